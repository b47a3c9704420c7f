"""Threads and processes below a loop."""

import asyncio
import concurrent.futures
import multiprocessing


def double(n):
    return 2 * n


async def main():
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, double, 4), await asyncio.to_thread(double, 5))
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("fork")
    ) as pool:
        print(await loop.run_in_executor(pool, double, 6))


if __name__ == "__main__":
    asyncio.run(main())
