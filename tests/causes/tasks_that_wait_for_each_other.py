"""Two tasks of asyncio take two locks in opposite orders; no thread's stack shows it."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2

import asyncio


class Table:
    def __init__(self) -> None:
        self.rows = asyncio.Lock()
        self.index = asyncio.Lock()

    async def insert(self, taken: asyncio.Event, go: asyncio.Event) -> None:
        async with self.rows:
            taken.set()
            await go.wait()
            async with self.index:  # <- here
                pass

    async def rebuild(self, taken: asyncio.Event, go: asyncio.Event) -> None:
        async with self.index:
            taken.set()
            await go.wait()
            await self.rows.acquire()  # <- here
            self.rows.release()


async def main(together: bool) -> None:
    table, one, other = Table(), asyncio.Event(), asyncio.Event()
    insert = table.insert(one, other if together else one)
    rebuild = table.rebuild(other, one if together else other)
    if together:
        await asyncio.gather(insert, rebuild)
    else:
        await insert
        await rebuild


def die() -> None:
    asyncio.run(main(True))


def spare() -> None:
    asyncio.run(main(False))
