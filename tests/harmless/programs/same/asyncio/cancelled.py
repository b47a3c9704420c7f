"""Tasks are cancelled at the end of run."""

import asyncio


async def wait():
    try:
        await asyncio.sleep(20)
    except asyncio.CancelledError:
        print("cancelled")
        raise


async def main():
    asyncio.create_task(wait())
    await asyncio.sleep(0.01)


asyncio.run(main())
