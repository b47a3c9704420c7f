"""A handler of the loop's own is called once, with its context."""

import asyncio


async def main():
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(
        lambda loop, context: print("handler", sorted(context), repr(context.get("exception")))
    )
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.01)
    loop.call_exception_handler({"message": "by hand"})
    print(loop.get_exception_handler() is not None)


asyncio.run(main())
