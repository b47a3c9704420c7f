# measures: time
# slow
"""Tasks of a loop."""

import asyncio
import time


async def work(n):
    await asyncio.sleep(0)
    return n


async def main():
    total = 0
    for _ in range(20):
        total += sum(await asyncio.gather(*(work(n) for n in range(1000))))
    return total


before = time.perf_counter()
print(asyncio.run(main()))
print(time.perf_counter() - before)
