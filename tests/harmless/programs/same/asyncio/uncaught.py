# status: 1
"""The trace of an error that ends the loop."""

import asyncio


async def inner():
    await asyncio.sleep(0)
    raise ValueError("in a coroutine")


async def main():
    await inner()


asyncio.run(main())
