"""A function whose names are looked at lets go of what it deletes; what a helper has of its names stays. For every Python from 3.9 on."""

import gc
import sys
import types
import weakref

package = types.ModuleType("inside")
package.__path__ = [sys.argv[1]]
sys.modules["inside"] = package

from inside.memory.census import locals_of  # noqa: E402


class Thing:
    pass


def lets_go():
    thing = Thing()
    seen = weakref.ref(thing)
    frame = sys._getframe()
    looks = sorted(locals_of(frame)), sorted(locals_of(frame)), sorted(locals_of(frame))
    everything = gc.get_objects()  # as a look at all objects has it
    looks += (sorted(set(locals_of(frame)) - {"everything", "looks"}),)
    del everything, thing
    print(looks[0], looks[1] == looks[2] == looks[3], seen())
    del frame


def names_of_caller():
    return sys._getframe(1).f_locals


def lends():
    number = 1
    names = names_of_caller()
    names["number"] = 100
    locals_of(sys._getframe())
    print(names["number"], number)


lets_go()
lends()
