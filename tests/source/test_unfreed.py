"""What a file takes from a native library and never gives back."""

from __future__ import annotations

import pytest

from outlive.source.tree import tree_of
from outlive.source.unfreed import unfreed_in

LIBRARY = "import ctypes\nlib = ctypes.CDLL('libx.so')\n"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f():\n    return lib.calloc(1, 9)\n", [("f", "lib.calloc", "free")]),
        ("def f():\n    p = lib.calloc(1, 9)\n    lib.free(p)\n", []),
        ("lib.free.argtypes = []\np = lib.x_image_create()\n", [("<module>", "lib.x_image_create", "destroy")]),
        ("p = lib.x_image_create()\nlib.x_image_destroy(p)\n", []),
        ("hold = ctypes.pythonapi.Py_IncRef\nhold(a)\n", [("<module>", "hold", "decref")]),
        ("hold = ctypes.pythonapi.Py_IncRef\nhold(a)\nctypes.pythonapi.Py_DecRef(a)\n", []),
        ("f = open('x')\nother.malloc(3)\n", []),
        ("lib.decode(3)\n", []),
    ],
)  # fmt: skip
def test_what_is_never_given_back(code: str, found: list[tuple[str, str, str]]) -> None:
    told = [(one.function, one.call, one.closer) for one in unfreed_in(tree_of(LIBRARY + code))]

    assert found == told
