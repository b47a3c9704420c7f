"""Values as JSON has them, arrays included: what is read back from a journal must not run code, so it is no pickle."""

from __future__ import annotations

import base64
import importlib
from typing import Any

ARRAY = "__array__"


def to_plain(value: Any) -> Any:
    """Numbers, texts, lists and dictionaries of them, arrays and tensors. What else there is, is an error that names it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(one) for one in value]
    numpy: Any = importlib.import_module("numpy")
    array = numpy.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(f"{type(value).__name__} cannot be kept in a journal")
    text = base64.b64encode(numpy.ascontiguousarray(array).tobytes()).decode("ascii")
    return {ARRAY: [array.dtype.str, list(array.shape), text]}


def from_plain(value: Any) -> Any:
    """Turn what ``to_plain`` made back into values and arrays."""
    if isinstance(value, list):
        return [from_plain(one) for one in value]
    if isinstance(value, dict) and set(value) == {ARRAY}:
        numpy: Any = importlib.import_module("numpy")
        dtype, shape, text = value[ARRAY]
        return numpy.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()
    if isinstance(value, dict):
        return {name: from_plain(one) for name, one in value.items()}
    return value
