"""A task is cancelled by a sibling; the main task awaits it and is ended by CancelledError."""
# expect: operation-cancelled LIKELY
# ending: 1

import asyncio


async def slow() -> int:
    await asyncio.sleep(0.2)  # <- here
    return 1


async def main(cancel: bool) -> None:
    task = asyncio.create_task(slow())
    await asyncio.sleep(0)
    if cancel:
        task.cancel()
    print(await task)


def die() -> None:
    asyncio.run(main(True))


def spare() -> None:
    asyncio.run(main(False))
