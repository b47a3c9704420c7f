"""builtins.__import__ sees the program's imports alone."""

import builtins
import time

names, real = [], builtins.__import__


def note(name, *rest):
    names.append(name)
    return real(name, *rest)


builtins.__import__ = note
import colorsys

time.sleep(0.4)
builtins.__import__ = real
print([name for name in names if name != "_io"])  # 3.14 imports it at times
