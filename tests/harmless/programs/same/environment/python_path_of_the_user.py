# environment: PYTHONPATH=/nowhere/a:/nowhere/b
"""The user's own folders are in the path, in their order."""

import sys

print([path for path in sys.path if "nowhere" in path])
