# python: -W always
"""A coroutine that nobody awaits is warned of."""

import gc


async def forgotten():
    pass


forgotten()
gc.collect()
print("done")
