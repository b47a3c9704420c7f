"""accept with a time limit and a handler that raises."""

import signal
import socket

server = socket.create_server(("127.0.0.1", 0))
server.settimeout(0.2)
try:
    server.accept()
except TimeoutError as error:
    print(error)
except socket.timeout as error:
    print(error)
server.settimeout(None)


def handler(*_):
    raise KeyError("by a signal")


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    server.accept()
except KeyError as error:
    print(error)
