"""A loop in a thread, called from outside."""

import asyncio
import threading

loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever)
thread.start()
future = asyncio.run_coroutine_threadsafe(asyncio.sleep(0.01, "slept"), loop)
print(future.result(20), type(future).__module__)
loop.call_soon_threadsafe(loop.stop)
thread.join()
loop.close()
