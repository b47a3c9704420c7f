"""A started program that is killed."""

import asyncio


async def main():
    child = await asyncio.create_subprocess_exec("sleep", "60")
    child.kill()
    print(await child.wait())


asyncio.run(main())
