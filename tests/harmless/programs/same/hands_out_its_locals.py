"""A dictionary of a function's names that a helper has taken and changed stays as the helper left it."""

import logging
import sys
import traceback


def names_of_caller():
    return sys._getframe(1).f_locals


def works(number):
    text = "text"
    names = names_of_caller()
    names["number"], names["added"] = 100, "added"
    try:
        raise ValueError(text)
    except ValueError:
        traceback.format_exc()
        logging.getLogger().addHandler(logging.NullHandler())
        logging.exception("told")
    later = number
    return (
        sorted(names.items(), key=str)[:0],
        names["number"],
        names["added"],
        "later" in names,
        later,
        text,
    )


print(works(1))
