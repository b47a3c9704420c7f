"""poll, select and selectors."""

import os
import select
import selectors

read_end, write_end = os.pipe()
poller = select.poll()
poller.register(write_end)
print(
    [event for _, event in poller.poll(100)],
    [len(one) for one in select.select([read_end], [write_end], [], 0.1)],
)
with selectors.DefaultSelector() as selector:
    selector.register(read_end, selectors.EVENT_READ, "data")
    print(selector.select(0.05), type(selector).__name__)
    os.write(write_end, b"x")
    print([key.data for key, _ in selector.select(5)])
