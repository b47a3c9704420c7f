"""A temporary file that stays, with a fixed name."""

import os
import tempfile

open(os.path.join(tempfile.gettempdir(), "left"), "w").write("left")
print("left")
