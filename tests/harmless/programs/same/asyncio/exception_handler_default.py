"""The default handler writes to the log."""

import asyncio


async def main():
    loop = asyncio.get_running_loop()
    loop.call_exception_handler({"message": "by hand", "exception": ValueError("x")})


asyncio.run(main())
