"""A listener and a client with a key."""

import threading
from multiprocessing.connection import Client, Listener

with Listener(authkey=b"key") as listener:
    thread = threading.Thread(target=lambda: Client(listener.address, authkey=b"key").send([1, 2]))
    thread.start()
    with listener.accept() as connection:
        print(connection.recv())
    thread.join()
