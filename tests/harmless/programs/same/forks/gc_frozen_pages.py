"""Objects that were frozen before a fork are the same in the child."""

import gc
import os

kept = [[n] for n in range(1000)]
gc.collect()
gc.freeze()
child = os.fork()
if child == 0:
    gc.collect()
    os._exit(int(sum(one[0] for one in kept) == 499500))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
gc.unfreeze()
