"""A generator's frame is not kept by anybody."""

import time
import weakref


class Thing:
    pass


def numbers():
    thing = Thing()
    refs.append(weakref.ref(thing))
    yield 1


refs = []
kept = numbers()
next(kept)
time.sleep(0.3)
del kept
print(refs[0]())
