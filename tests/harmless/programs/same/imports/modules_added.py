# documented: stdout: the recorder's modules are in sys.modules, under names that begin with _outlive
"""Names in sys.modules that are not the program's."""

import sys

print([name for name in sys.modules if "outlive" in name.lower()])
