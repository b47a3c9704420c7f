"""An exception that cannot be told."""

import os

os.close(2)
print("out", flush=True)
raise ValueError("nobody hears it")
