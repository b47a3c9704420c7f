"""How the numbers of a picture are given to a model: as they are, or as shares; and in the model's own type."""

from __future__ import annotations

import importlib
import math
from typing import Any

#: Name -> (divided by, then less)
RANGES = {"0..255": (1.0, 0.0), "0..1": (255.0, 0.0), "-1..1": (127.5, 1.0)}


#: Where TensorFlow wants a tensor to begin: at a multiple of this.
ALIGNMENT = 64


def aligned(shape: tuple[int, ...], dtype: str) -> Any:
    """An empty array that TensorFlow takes as it is, without a copy."""
    numpy: Any = importlib.import_module("numpy")
    length = math.prod(shape) * numpy.dtype(dtype).itemsize
    raw = begun_aligned(numpy.empty(length + ALIGNMENT, "uint8"))
    return raw[:length].view(dtype).reshape(shape)


def begun_aligned(raw: Any) -> Any:
    """The bytes from the first one on at which a tensor may begin."""
    return raw[-raw.ctypes.data % ALIGNMENT :]


def is_aligned(array: Any) -> bool:
    """Whether it is such a one."""
    return bool(
        array.ctypes.data % ALIGNMENT == 0 and array.flags.c_contiguous and array.flags.writeable
    )


def given_as(
    array: Any, dtype: str, pixels: str, quantised: tuple[float, int] | None = None
) -> Any:
    """A uint8 picture as the model wants it; ``quantised`` is the scale and the zero point of a quantised input."""
    numpy: Any = importlib.import_module("numpy")
    if dtype == "uint8":
        return array
    divisor, less = RANGES[pixels]
    if dtype.startswith("float"):
        values = array.astype(dtype)
        return values if divisor == 1.0 else values / divisor - less
    if quantised and quantised[0]:
        scale, zero = quantised
        info = numpy.iinfo(dtype)
        real = array.astype("float32") / divisor - less
        return numpy.clip(numpy.rint(real / scale) + zero, info.min, info.max).astype(dtype)
    if dtype == "int8":
        return (array.astype("int16") - 128).astype("int8")
    return array.astype(dtype)
