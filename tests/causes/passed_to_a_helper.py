"""The list has one name in the caller and another in the helper that fills it; a generator makes what is kept."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 250

import time


def frames(count: int):
    for number in range(count):
        yield {"number": number, "pixels": bytearray(number.to_bytes(2, "big") * 400_000)}
        time.sleep(0.001)


def gather(into: list, count: int) -> None:
    for frame in frames(count):
        if frame["number"] >= 0:
            into.append(frame)  # <- here


def die() -> None:
    video: list = []
    gather(video, 3000)
    print(len(video))


def spare() -> None:
    for _ in frames(400):
        pass
