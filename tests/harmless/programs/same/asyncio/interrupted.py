# status: SIGINT
"""Ctrl-C in a coroutine: clean-up runs, then the program ends by the signal."""

import asyncio
import os
import signal


async def main():
    try:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        await asyncio.sleep(20)
    finally:
        print("clean-up", flush=True)


asyncio.run(main())
