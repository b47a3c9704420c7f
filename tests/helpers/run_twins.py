"""Twins of several victims, one after the other in one process: importing TensorFlow for each of them costs more than all that they do.

``twins.py`` is played like a victim (see `stage`); its argument names the victims. Each twin works in a folder of its own.
"""

import gc
import importlib
import os
import sys


def spare() -> None:
    sys.path.insert(0, sys.argv[1])
    for name in sys.argv[2:]:
        os.mkdir(name)
        os.chdir(name)
        gc.disable()  # as run_victim.py does while it imports
        victim = importlib.import_module(name)
        gc.enable()
        victim.spare()
        os.chdir("..")
