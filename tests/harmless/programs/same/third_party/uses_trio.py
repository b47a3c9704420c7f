# needs: module trio
"""A nursery of trio."""

import trio


async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep, 0.05)
    with trio.move_on_after(0.05) as scope:
        await trio.sleep(5)
    print(scope.cancelled_caught, await trio.to_thread.run_sync(sum, range(10)))


trio.run(main)
