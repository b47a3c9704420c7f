"""A warning is shown once for its place, with its line."""

import warnings


def old():
    warnings.warn("old", DeprecationWarning, stacklevel=2)


for _ in range(3):
    old()
warnings.simplefilter("always")
old()
