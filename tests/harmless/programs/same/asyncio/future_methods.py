"""Futures of the loop: what they hold and what they look like."""

import asyncio


async def main():
    future = asyncio.get_running_loop().create_future()
    print(future.done(), sorted(name for name in dir(future) if not name.startswith("__")))
    future.set_exception(KeyError("x"))
    print(repr(future.exception()))
    try:
        await future
    except KeyError as error:
        print("raised", error)


asyncio.run(main())
