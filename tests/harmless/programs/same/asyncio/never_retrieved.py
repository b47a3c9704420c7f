"""A task whose error nobody asks for is told of when it is collected."""

import asyncio
import gc


async def fail():
    raise ValueError("nobody asks")


async def main():
    task = asyncio.create_task(fail(), name="lost")
    await asyncio.sleep(0.01)
    del task
    gc.collect()


asyncio.run(main())
