"""An object that comes back from its destructor, once."""

import gc

kept = []


class Phoenix:
    def __del__(self):
        kept.append(self)
        print("back", len(kept))


one = Phoenix()
one.me = one
del one
gc.collect()
kept.clear()
gc.collect()
print("end", len(kept))
