"""How shapes are written in messages."""

from __future__ import annotations

SHAPE = "shape-mismatch"

#: TensorFlow writes ``[2,3]``, NumPy and Keras ``(2, 3)``.
A = r"(?P<first>[\[(][^\])\n]*[\])])"
B = r"(?P<second>[\[(][^\])\n]*[\])])"
