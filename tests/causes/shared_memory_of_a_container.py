"""Two blocks of shared memory, where a container has room for one."""
# expect: shared-memory-full PROVEN
# ending: SIGBUS
# in_memory: /dev/shm 8

from multiprocessing import shared_memory


def fill(megabytes: int) -> None:
    block = shared_memory.SharedMemory(create=True, size=megabytes << 20)
    try:
        for start in range(0, len(block.buf), 4096):
            block.buf[start] = 1  # <- here
    finally:
        block.close()
        block.unlink()


def die() -> None:
    fill(16)


def spare() -> None:
    fill(1)
