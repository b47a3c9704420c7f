"""The mask of modes."""

import os

mask = os.umask(0)
print(oct(mask))
open("wide", "w").close()
print(oct(os.stat("wide").st_mode))
