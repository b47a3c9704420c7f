"""Plain functions stand in the classes that are wrapped."""

import concurrent.futures
import inspect
import subprocess
import traceback

for kind, names in (
    (subprocess.Popen, ("wait", "poll", "_internal_poll", "_handle_exitstatus", "send_signal")),
    (concurrent.futures.Future, ("result", "exception", "cancel", "set_exception")),
    (traceback.TracebackException, ("__init__",)),
):
    print(
        kind.__name__, [(name, type(inspect.getattr_static(kind, name)).__name__) for name in names]
    )
