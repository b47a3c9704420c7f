"""A time limit."""

import asyncio


async def main():
    try:
        await asyncio.wait_for(asyncio.sleep(20), 0.05)
    except asyncio.TimeoutError as error:
        print(type(error).__name__, error)


asyncio.run(main())
