"""What the hooks are."""

import sys
import threading

for hook in (
    sys.excepthook,
    sys.unraisablehook,
    sys.displayhook,
    sys.breakpointhook,
    threading.excepthook,
):
    print(type(hook).__name__, getattr(hook, "__module__", None), getattr(hook, "__name__", None))
