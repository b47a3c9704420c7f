# needs: module gevent
"""Greenlets after monkey.patch_all."""

from gevent import monkey

monkey.patch_all()
import threading
import gevent
import gevent.pool

print(
    gevent.pool.Pool(3).map(lambda n: (gevent.sleep(0.01), n * n)[1], range(5)),
    threading.active_count(),
    type(threading.current_thread()).__name__,
)
