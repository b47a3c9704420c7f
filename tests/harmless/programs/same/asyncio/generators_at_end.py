"""Asynchronous generators are closed at the end of the loop."""

import asyncio


async def numbers():
    try:
        for n in range(10):
            yield n
    finally:
        print("generator closed")


async def main():
    async for n in numbers():
        if n == 2:
            break
    print("main ends")


asyncio.run(main())
