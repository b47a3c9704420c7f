"""The attributes of a future that failed and was asked, and of one that nobody asked."""

import concurrent.futures

for asked in (True, False):
    future = concurrent.futures.Future()
    future.set_exception(ValueError("x"))
    if asked:
        future.exception()
    print(sorted(vars(future)))
