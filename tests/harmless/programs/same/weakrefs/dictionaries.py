"""Weak dictionaries lose what nobody holds, at once."""

import weakref


class Thing:
    pass


values, keys, names = weakref.WeakValueDictionary(), weakref.WeakKeyDictionary(), weakref.WeakSet()
for n in range(5):
    thing = Thing()
    values[n] = thing
    keys[thing] = n
    names.add(thing)
print(len(values), len(keys), len(names))
del thing
print(len(values), len(keys), len(names))
