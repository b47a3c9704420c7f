"""Encoded pictures stay in their streams in memory, whose bytes Python itself does not tell of: C keeps them."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 200

import io
import itertools
import time
from collections.abc import Iterator

STREAMS: dict[str, list[Iterator[io.BytesIO]]] = {}


def keep(camera: str, number: int) -> None:
    stream = io.BytesIO()
    stream.write(number.to_bytes(4, "little") * 200_000)
    STREAMS.setdefault(camera, []).append(itertools.repeat(stream))  # <- here


def run(count: int) -> None:
    for number in range(count):
        keep(f"camera {number % 3}", number)
        time.sleep(0.001)


def die() -> None:
    run(1000)


def spare() -> None:
    run(30)
