"""A checkpoint grows past the largest file that the process may write."""
# expect: file-size-limit PROVEN
# ending: 1

import resource


def save(size: int) -> None:
    with open("checkpoint", "wb", buffering=0) as file:
        for _ in range(2):
            file.write(bytes(size))  # <- here


def die() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    save(100_000)


def spare() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    save(50_000)
