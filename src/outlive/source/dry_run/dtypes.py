"""Names of types, as programs write them for NumPy and for TensorFlow."""

from __future__ import annotations

from typing import Any

from outlive.source.dry_run.things import Api, Const
from outlive.source.specs import SAME_TYPE, WIDTHS

#: What Python's types are in TensorFlow; in NumPy `float` is 64 bits wide.
OF_PYTHON = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bool": "bool",
    "single": "",
}


def dtype_of(thing: Any, usual: str = "", *, numpy: bool = False) -> str:
    """The name of a type, as a program writes it."""
    if thing is None:
        return usual
    if isinstance(thing, Api):
        root, _, word = thing.name.rpartition(".")
        numpy = numpy or root == "numpy"
    else:
        word = thing.value if isinstance(thing, Const) and isinstance(thing.value, str) else ""
    word = SAME_TYPE.get(word, word) if numpy else OF_PYTHON.get(word, word)
    return word if word in WIDTHS or word == "string" else ""
