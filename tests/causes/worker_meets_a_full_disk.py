"""A worker of a process pool writes the results; its error comes back through the future."""
# expect: disk-full PROVEN
# ending: 1
# disk: size=3m

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


def write(number: int) -> int:
    return Path(f"disk/result_{number}.bin").write_bytes(bytes(600_000))  # <- here


def run(count: int) -> None:
    with ProcessPoolExecutor(1) as pool:
        print(sum(pool.map(write, range(count))))


def die() -> None:
    run(20)


def spare() -> None:
    run(2)
