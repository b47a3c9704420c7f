# python: -S
"""Without site the program runs."""

import sys

print(sys.flags.no_site, "site" in sys.modules)
