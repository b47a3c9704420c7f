"""A fork inside a running loop."""

import asyncio
import os


async def main():
    child = os.fork()
    if child == 0:
        os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


asyncio.run(main())
