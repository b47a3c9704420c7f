# python: -X dev
"""The debug mode sees no slow callback of ours."""

import asyncio


async def main():
    loop = asyncio.get_running_loop()
    loop.slow_callback_duration = 5
    print(loop.get_debug())
    await asyncio.sleep(0.3)


asyncio.run(main())
