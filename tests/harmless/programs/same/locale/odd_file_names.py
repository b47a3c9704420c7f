"""Names that are no text."""

import os

open(b"\xff\xfe name", "w").close()
print(os.listdir(b"."), os.listdir("."))
os.remove(b"\xff\xfe name")
