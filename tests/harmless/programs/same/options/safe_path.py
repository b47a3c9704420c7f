# python: -P
# python-at-least: 3.11
"""The script's folder is not in the path."""

import sys

print(sys.flags.safe_path, sys.path)
