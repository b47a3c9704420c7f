"""A server that waits for its clients is not stuck; its worker waits for their requests."""
# expect: nothing
# ending: hang
# hang_after: 2

import queue
import socket
import threading

requests: "queue.Queue[socket.socket]" = queue.Queue()


def serve() -> None:
    while True:
        requests.get().close()


def listen() -> socket.socket:
    threading.Thread(target=serve, daemon=True).start()
    return socket.create_server(("127.0.0.1", 0))


def die() -> None:
    with listen() as server:
        requests.put(server.accept()[0])


def spare() -> None:
    with listen() as server:
        client = socket.create_connection(server.getsockname())
        requests.put(server.accept()[0])
        client.close()
