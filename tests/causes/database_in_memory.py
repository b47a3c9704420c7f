"""Rows go into a database that lives in memory: SQLite keeps them, no Python object does."""
# expect: native-leak LIKELY
# ending: SIGKILL
# memory: 300

import sqlite3


class Store:
    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE rows (number INTEGER, body BLOB)")

    def add(self, number: int, body: bytes) -> None:
        self.database.execute("INSERT INTO rows VALUES (?, ?)", (number, body))  # <- here


def run(count: int) -> None:
    store = Store()
    for number in range(count):
        store.add(number, number.to_bytes(4, "big") * 5000)  # <- here


def die() -> None:
    run(1_000_000)


def spare() -> None:
    run(1000)
