"""Threads are given 64 kB of stack; nested data that any other thread reads without trouble does not fit."""
# expect: thread-stack-too-small LIKELY
# ending: SIGSEGV

import json
import threading


def read(text: str) -> None:
    json.loads(text)  # <- here


def work(stack_bytes: int) -> None:
    threading.stack_size(stack_bytes)
    reader = threading.Thread(target=read, args=("[" * 800 + "]" * 800,))
    reader.start()
    reader.join()


def die() -> None:
    work(64 * 1024)


def spare() -> None:
    work(0)
