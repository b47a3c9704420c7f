"""The collector's settings and its generations."""

import gc

print(
    gc.isenabled(),
    gc.get_threshold(),
    gc.get_debug(),
    gc.garbage,
    gc.callbacks,
    gc.get_freeze_count(),
)
