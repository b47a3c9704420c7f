"""Names that nothing binds, and names that are bound in ways that are easily overlooked."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import tensorflow as tf

if TYPE_CHECKING:
    from collections.abc import Iterator

image = np.random.rand(1000, 1000, 3)  # expect: undefined-name
again = np.zeros(3)  # the same name is told once


def load(path: NotImported) -> AlsoNotImported:
    global later
    later = tf.io.read_file(path)
    return [piece for piece in later]


def annotated(number: Undefined = 3):
    with contextlib.suppress(ValueError), open("x") as handle:
        (first, *rest), last = handle
    if (found := first) and rest:
        return found, last, missing  # expect: undefined-name
    return __file__


class Loader:
    size = 3
    sizes = [size for _ in range(3)]

    def __init__(self):
        self.kind = __class__


match image.shape:
    case [height, *others]:
        print(height, others)
    case {"width": width, **extra}:
        print(width, extra)

try:
    reduce
except NameError:
    from functools import reduce

try:
    unicode("x")
except NameError:
    pass

for index in range(3):
    del index
print(lambda word, *words, **more: (word, words, more))
print(indx)  # expect: undefined-name
