"""Every task has its own."""

import asyncio
import contextvars

variable = contextvars.ContextVar("variable")


async def work(n):
    variable.set(n)
    await asyncio.sleep(0.01)
    return variable.get()


async def main():
    print(await asyncio.gather(*(work(n) for n in range(5))))


asyncio.run(main())
