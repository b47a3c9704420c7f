"""What an exception holds is free after it was handled."""

import weakref


class Thing:
    pass


def fail(refs):
    thing = Thing()
    refs.append(weakref.ref(thing))
    raise ValueError("handled")


refs = []
try:
    fail(refs)
except ValueError:
    pass
print(refs[0]())
