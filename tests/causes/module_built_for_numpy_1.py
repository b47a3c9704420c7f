"""A package was compiled for NumPy 1; NumPy 2 refuses it at import."""
# expect: numpy-abi-mismatch PROVEN
# ending: 1
# made_by: numpy_of_another_time.sh
# needs: tensorflow

import importlib


def smooth(package: str) -> None:
    filters = importlib.import_module(package)
    print(filters.__name__)


def die() -> None:
    smooth("oldfilters")


def spare() -> None:
    try:
        smooth("oldfilters")
    except ImportError:
        smooth("json")
