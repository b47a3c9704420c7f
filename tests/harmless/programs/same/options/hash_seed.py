# environment: PYTHONHASHSEED=7
"""Hashes are what the seed makes them."""

print([hash(text) for text in ("a", "b", "c")])
