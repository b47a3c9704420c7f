# python-at-least: 3.11
# status: 1
"""A group of tasks that fails."""

import asyncio


async def fail(n):
    await asyncio.sleep(n / 100)
    raise ValueError(n)


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(1))
        group.create_task(asyncio.sleep(20))


asyncio.run(main())
