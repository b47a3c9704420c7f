"""A loop that is made, run and closed by hand."""

import asyncio

loop = asyncio.new_event_loop()
loop.call_later(0.01, loop.stop)
loop.run_forever()
print(loop.is_running(), loop.is_closed())
loop.run_until_complete(loop.shutdown_asyncgens())
loop.close()
print(loop.is_closed())
