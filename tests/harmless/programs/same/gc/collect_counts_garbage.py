"""How many unreachable objects a collection finds."""

import gc

gc.collect()
gc.disable()
for _ in range(10):
    one = []
    one.append(one)
del one
print(gc.collect())
