"""The names of C++ functions as people write them, by the library that every C++ program has with it."""

from __future__ import annotations

import ctypes
import functools
import re

#: Arguments, templates and returns make names of kilobytes; what a person needs is at the front.
LONGEST = 2000

INNERMOST = re.compile(r"<[^<>]*>|\([^()]*\)")
CLONE = re.compile(r" \[clone [^\]]{0,200}\]")
QUALIFIERS = ("const", "volatile", "&", "&&", "noexcept")


@functools.cache
def _library() -> ctypes.CDLL | None:
    for name in ("libstdc++.so.6", "libc++abi.so.1"):
        try:
            library = ctypes.CDLL(name)
            library.__cxa_demangle.restype = ctypes.c_void_p
            library.__cxa_demangle.argtypes = [ctypes.c_char_p, *[ctypes.c_void_p] * 3]
            library.free.argtypes = [ctypes.c_void_p]
            return library
        except (OSError, AttributeError):
            continue
    return None


def demangled(symbol: str) -> str:
    """``tensorflow::CropOp::Compute(…)`` for ``_ZN10tensorflow…``; other names stay as they are."""
    library = _library() if symbol.startswith("_Z") else None
    if library is None or len(symbol) > LONGEST:
        return symbol
    status = ctypes.c_int(-1)
    address = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not address:
        return symbol
    try:
        return ctypes.string_at(address).decode("utf-8", "replace")
    finally:
        library.free(address)


def short(name: str) -> str:
    """A function's name without its result, arguments and templates: ``tensorflow::CropOp::Compute``."""
    name = CLONE.sub("", name).replace("(anonymous namespace)", "{unnamed}")
    name = name.replace("operator()", "operator\0").replace("operator ", "operator\1")
    before = None
    while before != name:
        before, name = name, INNERMOST.sub("", name)
    words = [word for word in name.split() if word not in QUALIFIERS]
    return (words[-1] if words else name).replace("\0", "()").replace("\1", " ")
