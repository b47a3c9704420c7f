"""An asyncio task fails and nobody awaits it."""
# expect: background-error-lost PROVEN
# ending: 0

import asyncio
import contextlib


async def fetch(number: int) -> float:
    await asyncio.sleep(0)
    return 1 / number  # <- here


async def main(wait: bool) -> None:
    task = asyncio.create_task(fetch(0))
    if wait:
        with contextlib.suppress(ZeroDivisionError):
            await task
    del task
    for _ in range(5):
        await asyncio.sleep(0)


def die() -> None:
    asyncio.run(main(False))


def spare() -> None:
    asyncio.run(main(True))
