"""ulimit -v: far less than the machine has."""
# expect: address-space-limit LIKELY
# ending: 1
# address_space: 1000


def collect(count: int) -> int:
    block = bytearray()
    for _ in range(count):
        block += bytes(50_000_000)  # <- here
    return len(block)


def die() -> None:
    collect(100)


def spare() -> None:
    collect(5)
