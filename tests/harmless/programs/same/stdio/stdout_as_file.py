"""fdopen over descriptor 1 with another encoding."""

import io
import os
import sys

sys.stdout.flush()
out = io.open(os.dup(1), "w", encoding="utf-16")
out.write("äöü\n")
out.close()
