"""Keeps very many small objects in one of several shapes, says at its peak how many MB it took, and ends well."""

import resource
import sys
import time


class Node:
    __slots__ = ("following", "name")

    def __init__(self, following, name):
        self.following, self.name = following, name


def linked(count):
    last = None
    for number in range(count):
        last = Node(last, str(number))
    return last


SHAPES = {
    "tuples": lambda: [(number, f"word {number}", float(number)) for number in range(1_000_000)],
    "dictionary": lambda: {number: f"word {number}" for number in range(1_300_000)},
    "dictionaries": lambda: [{"first": number} for number in range(700_000)],
    "set": lambda: set(range(2_300_000)),
    "one tuple": lambda: tuple(range(4_500_000)),
    "linked": lambda: linked(1_400_000),
    "lists of tuples": lambda: [
        [(number, str(number)) for number in range(900)] for _ in range(1400)
    ],
}

kept = SHAPES[sys.argv[1]]()
time.sleep(0.5)  # it is looked at ten times a second
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
while isinstance(kept, Node):  # one after the other: a chain that goes at once overflows the stack
    kept = kept.following
