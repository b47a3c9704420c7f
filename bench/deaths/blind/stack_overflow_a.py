"""The recursion limit was raised to a million for deep trees; the C stack has not grown with it."""
# expect: stack-overflow

import random
import sys

sys.setrecursionlimit(1_000_000)  # <- here


class Node:
    def __init__(self, threshold):
        self.threshold = threshold
        self.children = []

    def __len__(self):
        return 1 + sum(len(child) for child in self.children)  # <- here


def grow(depth, seed):
    rng = random.Random(seed)
    root = node = Node(rng.random())
    for _ in range(depth):
        child = Node(rng.random())
        node.children.append(child)
        node = child
    return root


def report(depths):
    for depth in depths:
        tree = grow(depth, seed=depth)
        print("depth", depth, "nodes", len(tree), flush=True)


report([10, 100, 200_000])
