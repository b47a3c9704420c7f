"""Set a limit and become the command: ``limits.py NAME VALUE COMMAND…``."""

import os
import resource
import sys

resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]), int(sys.argv[2])))
os.execvp(sys.argv[3], sys.argv[3:])
