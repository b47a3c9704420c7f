"""A coroutine that waits, likewise."""


class Wait:
    def __await__(self):
        yield "waiting"


async def work():
    try:
        await Wait()
    finally:
        print("closed", flush=True)


kept = work()
print(kept.send(None))
