# status: 1
"""An object that an error passes by dies when it would."""

import atexit
import weakref


class Thing:
    pass


def fail():
    thing = Thing()
    atexit.register(
        lambda ref=weakref.ref(thing): print("alive at exit", ref() is not None, flush=True)
    )
    raise ValueError("with a thing in its frame")


fail()
