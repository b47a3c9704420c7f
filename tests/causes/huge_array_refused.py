"""One request that no machine can meet: MemoryError."""
# expect: allocation-refused PROVEN
# ending: 1


def table(rows: int, columns: int) -> int:
    block = bytearray(rows * columns)  # <- here
    return len(block)


def die() -> None:
    table(10**7, 10**9)


def spare() -> None:
    try:
        table(10**7, 10**9)
    except MemoryError:
        print("too large, as expected")
