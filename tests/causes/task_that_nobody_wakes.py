"""A task of asyncio waits for an item that no other task puts; the event loop has nothing left to do."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 2

import asyncio


class Stream:
    def __init__(self) -> None:
        self.items: asyncio.Queue[int | None] = asyncio.Queue()

    async def total(self) -> int:
        total = 0
        while True:
            item = await self.items.get()  # <- here
            if item is None:
                return total
            total += item


async def main(end: bool) -> None:
    stream = Stream()
    reader = asyncio.create_task(stream.total(), name="reader")
    for number in range(3):
        await stream.items.put(number)
    if end:
        await stream.items.put(None)
    print(await reader)


def die() -> None:
    asyncio.run(main(False))


def spare() -> None:
    asyncio.run(main(True))
