"""Errors in several tasks."""

import asyncio


async def fail(n):
    await asyncio.sleep(n / 100)
    raise ValueError(n)


async def main():
    print([repr(one) for one in await asyncio.gather(fail(1), fail(2), return_exceptions=True)])


asyncio.run(main())
