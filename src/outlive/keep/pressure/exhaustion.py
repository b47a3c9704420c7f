"""How a program learns that memory is at its end: the exceptions that say so."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlive.inside.memory.brake import MemoryBrake as MemoryBrake

#: By name: TensorFlow and JAX are not imported to compare with.
NAMES = frozenset({"MemoryError", "ResourceExhaustedError", "MemoryBrake", "_ArrayMemoryError"})

#: What other errors say when memory was refused below them.
WORDS = ("out of memory", "oom when allocating", "resource_exhausted", "std::bad_alloc")


def is_exhaustion(error: BaseException | None) -> bool:
    """Whether this error, or one that it was raised from, means that memory was refused or near its end."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if any(kind.__name__ in NAMES for kind in type(error).__mro__):
            return True
        if isinstance(error, (RuntimeError, OSError)) or type(error).__name__.endswith("Error"):
            text = str(error).lower()
            if any(words in text for words in WORDS):
                return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False


def __getattr__(name: str) -> object:
    """``MemoryBrake``: the class that the recorder in this process raises, which has loaded it under a name of its own."""
    if name != "MemoryBrake":
        raise AttributeError(name)
    inside = "_outlive" if "_outlive" in sys.modules else "outlive.inside"
    return importlib.import_module(f"{inside}.memory.brake").MemoryBrake
