"""A pool whose threads have small stacks walks a tree, not deeper than Python allows everywhere."""
# expect: thread-stack-too-small LIKELY
# ending: SIGSEGV

import threading
from concurrent.futures import ThreadPoolExecutor


class Tree:
    def __init__(self, depth: int) -> None:
        self.child = None
        for _ in range(depth):
            parent = Tree.__new__(Tree)
            parent.child = self.child
            self.child = parent

    def height(self) -> int:
        if self.child is None:
            return 1
        return 1 + max(map(Tree.height, [self.child]))  # <- here


def die() -> None:
    threading.stack_size(128 * 1024)
    with ThreadPoolExecutor(2) as pool:
        print(pool.submit(Tree(220).height).result())


def spare() -> None:
    threading.stack_size(16 * 1024 * 1024)
    with ThreadPoolExecutor(2) as pool:
        print(pool.submit(Tree(220).height).result())
