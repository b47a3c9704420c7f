"""The collector and its counts, as servers use them before a fork."""

import gc
import os

gc.disable()
gc.collect()
gc.freeze()
child = os.fork()
if child == 0:
    gc.enable()
    print(gc.collect() >= 0, gc.isenabled(), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
gc.unfreeze()
print(gc.get_freeze_count(), gc.garbage, gc.callbacks)
