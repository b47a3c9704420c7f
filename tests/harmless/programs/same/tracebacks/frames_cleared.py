"""traceback.clear_frames lets go of locals."""

import traceback
import weakref


class Thing:
    pass


def fail():
    thing = Thing()
    global ref
    ref = weakref.ref(thing)
    raise ValueError


try:
    fail()
except ValueError as error:
    traceback.clear_frames(error.__traceback__)
    print(ref())
