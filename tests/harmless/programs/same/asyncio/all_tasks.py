"""The tasks of a loop are the program's alone."""

import asyncio


async def main():
    task = asyncio.create_task(asyncio.sleep(0.01), name="mine")
    print(sorted(one.get_name() for one in asyncio.all_tasks()), asyncio.current_task().get_name())
    await task


asyncio.run(main())
