"""Finalizers run at exit, newest first."""

import weakref


class Thing:
    pass


things = [Thing() for _ in range(3)]
for n, thing in enumerate(things):
    weakref.finalize(thing, print, "finalize", n)
print("main ends")
