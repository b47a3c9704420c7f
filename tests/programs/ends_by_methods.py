"""Ends itself by a function of Python's that it keeps in a class; for every Python from 3.9 on."""

import copy
import enum
import importlib.util
import inspect
import os
import pickle
import signal
import subprocess
import sys


class Tools:
    leave, kill, alarm = sys.exit, os.kill, signal.alarm


class Acts(enum.Enum):
    KILL = os.kill


print(type(importlib.util.find_spec("asyncio.base_events").loader).__name__)
for function in (sys.exit, os.kill, signal.alarm):
    print(function, function.__name__, function.__doc__, inspect.signature(function))
    print(pickle.loads(pickle.dumps(function)) is function, copy.deepcopy(function) is function)
child = subprocess.Popen(["sleep", "60"])
Tools().kill(child.pid, signal.SIGTERM)
print(child.wait(), Tools().alarm(0), list(Acts))
Tools().leave(9)
