"""Shared memory, made and removed; nothing is left and no tracker complains."""

import multiprocessing
from multiprocessing import shared_memory


def work(name):
    block = shared_memory.SharedMemory(name)
    block.buf[0] = 42
    block.close()


if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=100)
    worker = multiprocessing.get_context("fork").Process(target=work, args=(block.name,))
    worker.start()
    worker.join()
    print(block.buf[0])
    block.close()
    block.unlink()
