"""asyncio with signal handlers, subprocesses and a pool."""

import asyncio
import concurrent.futures
import os
import signal
import sys


async def main():
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "import sys; sys.exit(3)")
    print(await child.wait())
    with concurrent.futures.ThreadPoolExecutor() as pool:
        print(await loop.run_in_executor(pool, sum, range(2_000_000)))
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(stopped.wait(), 20)
    print("stopped", loop.remove_signal_handler(signal.SIGTERM))


asyncio.run(main())
