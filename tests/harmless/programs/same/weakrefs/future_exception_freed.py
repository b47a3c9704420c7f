"""What a future's exception holds is free when the future is."""

import concurrent.futures
import gc
import weakref


class Thing(Exception):
    pass


future = concurrent.futures.Future()
thing = Thing("x")
ref = weakref.ref(thing)
future.set_exception(thing)
future.exception()
del thing, future
gc.collect()
print(ref())
