"""A started program with its streams."""

import asyncio
import sys


async def main():
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "print(input()[::-1])",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    print(await child.communicate(b"abc\n"), child.returncode)
    shell = await asyncio.create_subprocess_shell("exit 7")
    print(await shell.wait())


asyncio.run(main())
