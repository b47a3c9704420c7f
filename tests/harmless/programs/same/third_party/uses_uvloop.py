# needs: module uvloop
"""asyncio on uvloop, with a started program."""

import asyncio
import sys
import uvloop


async def main():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "import sys; sys.exit(3)")
    print(type(asyncio.get_running_loop()).__module__, await child.wait())


loop = uvloop.new_event_loop()
loop.run_until_complete(main())
loop.close()
