# documented-on: 3.14: stderr: the C stack that 3.14 adds has a frame of the handler that calls it
# death
"""The program's own fault handler says what it always says."""

import ctypes
import faulthandler
import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
faulthandler.enable(all_threads=False)
sum(range(5_000_000))
ctypes.string_at(0)
