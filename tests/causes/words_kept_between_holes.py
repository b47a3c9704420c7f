"""A quarter of the words of each text is kept, without end; each text has longer words, so what is dropped leaves holes that hasten the end."""
# expect: kept-in-container LIKELY
# ending: SIGKILL
# memory: 300

import time

TEXT_BYTES = 10_000_000
LENGTHS = 28


def words(length: int, count: int) -> list[str]:
    return [str(number) + "w" * length for number in range(count)]


def run(texts: int) -> None:
    index = []
    for number in range(texts):
        length = 20 + 16 * (number % LENGTHS)
        index.append(words(length, TEXT_BYTES // (length + 50))[::4])  # <- here
        time.sleep(0.005)
    print(len(index))


def die() -> None:
    run(10_000)


def spare() -> None:
    run(3)
