# ci
# python-below: 3.13
"""A dictionary of a caller's locals is not overwritten when a traceback is formatted."""

import sys
import traceback


def helper():
    names = sys._getframe(1).f_locals
    names["added"] = 1
    return names


def work():
    value = 1
    names = helper()
    try:
        raise ValueError("x")
    except ValueError:
        traceback.format_exc()
    value = 2
    return sorted(names), names.get("value"), value


print(work())
