# death
"""A program that has switched the handler off dies in silence."""

import ctypes
import faulthandler
import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
faulthandler.disable()
ctypes.string_at(0)
