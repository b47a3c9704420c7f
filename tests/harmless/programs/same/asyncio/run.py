"""A coroutine and its result."""

import asyncio


async def main():
    await asyncio.sleep(0.01)
    return 5


print(asyncio.run(main()))
