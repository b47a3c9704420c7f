"""The frames of an exit that is caught."""

import sys
import traceback

try:
    sys.exit(3)
except SystemExit as error:
    print(len(traceback.extract_tb(error.__traceback__)))
