# python-at-least: 3.13
"""Whether there is a global lock is what it was."""

import sys
import sysconfig

print(sys._is_gil_enabled(), sysconfig.get_config_var("Py_GIL_DISABLED"))
