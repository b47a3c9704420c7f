"""Which of very many names came before, in little memory: the numbers of names are kept in drawers, and only one drawer is looked through at a time."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable

DRAWERS = 256

#: Numbers in a drawer before it is emptied onto the disk.
HELD = 8192


def repeated(names: Iterable[str]) -> set[int]:
    """Give the places of all names that stand at an earlier place, too."""
    drawers = [array("q") for _ in range(DRAWERS)]
    with tempfile.TemporaryDirectory(prefix="outlive-names-") as folder:
        for place, name in enumerate(names):
            number = hash(name)
            drawer = drawers[number % DRAWERS]
            drawer.append(number)
            drawer.append(place)
            if len(drawer) >= HELD:
                _empty(drawer, os.path.join(folder, str(number % DRAWERS)))
        found: set[int] = set()
        for number, drawer in enumerate(drawers):
            found |= _repeated_in(drawer, os.path.join(folder, str(number)))
    return found


def _empty(drawer: array[int], path: str) -> None:
    with open(path, "ab") as file:
        drawer.tofile(file)
    del drawer[:]


def _repeated_in(drawer: array[int], path: str) -> set[int]:
    whole = array("q")
    if os.path.exists(path):
        with open(path, "rb") as file:
            whole.frombytes(file.read())
    whole.extend(drawer)
    seen: set[int] = set()
    found: set[int] = set()
    for number, place in zip(whole[::2], whole[1::2], strict=True):
        if number in seen:
            found.add(place)
        seen.add(number)
    return found
