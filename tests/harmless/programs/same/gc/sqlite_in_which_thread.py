"""SQLite's objects are closed by the thread that made them."""

import sqlite3
import time


class Owner:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.me = self

    def __del__(self):
        self.connection.close()


until = time.monotonic() + 3
while time.monotonic() < until:
    for _ in range(20):
        Owner()
    [[] for _ in range(2000)]
print("nothing said")
