# input: print('after', type(__import__('sys').last_value).__name__)\n
# python: -i
"""After an error `-i` stays, and knows the last error."""

import sys

sys.ps1 = sys.ps2 = ""
1 / 0
