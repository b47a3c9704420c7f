"""Signals through the loop."""

import asyncio
import os
import signal


async def main():
    loop, heard = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, heard.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(heard.wait(), 20)
    print("heard", loop.remove_signal_handler(signal.SIGUSR1), signal.getsignal(signal.SIGUSR1))


asyncio.run(main())
