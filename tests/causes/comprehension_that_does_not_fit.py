"""All rows are made before the first one is used: the memory ends before the comprehension does, and its dictionary has no name yet."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 200

import time


class Table:
    def __init__(self, width: int) -> None:
        self.width = width

    def row(self, number: int) -> bytes:
        time.sleep(0.001)
        return number.to_bytes(4, "little") * (self.width // 4)

    def total(self, count: int) -> int:
        rows = {
            f"row {number}": self.row(number)  # <- here
            for number in range(count)  # <- here
        }
        return sum(map(len, rows.values()))


def die() -> None:
    print(Table(800_000).total(1000))


def spare() -> None:
    print(Table(800_000).total(30))
