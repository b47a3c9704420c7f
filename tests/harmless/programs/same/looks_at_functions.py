"""What a program can see of the functions that end it: kind, name, home, signature, identity, copies."""

import _signal
import _thread
import copy
import faulthandler
import gc
import importlib
import inspect
import os
import pickle
import posix
import pydoc
import signal
import sys
import threading
import types

if not os.path.basename(__file__).startswith("looks"):
    raise SystemExit
FUNCTIONS = [
    sys.exit, os._exit, os.abort, os.kill, os.killpg, os.fork, os.waitpid, exec, sys.excepthook,
    signal.alarm, signal.setitimer, threading.excepthook, faulthandler.enable, faulthandler.disable,
    faulthandler.is_enabled, *([os.unshare, os.setns] if hasattr(os, "unshare") else []),
]  # fmt: skip


def signature(function):
    try:
        return str(inspect.signature(function))
    except ValueError as error:
        return str(error)


def known(function):
    return [repr(getattr(function, name, "none")) for name in dir(function) if name not in ("__self__", "__hash__")
            and not callable(getattr(function, name, None))]  # fmt: skip


for function in FUNCTIONS:
    print(function.__name__, type(function), isinstance(function, types.BuiltinFunctionType))
    print(inspect.isbuiltin(function), inspect.isfunction(function), inspect.isroutine(function))
    print(signature(function), function.__module__, function.__qualname__, function.__doc__)
    print(
        function.__text_signature__,
        function.__self__.__name__,
        sorted(dir(function)),
        known(function),
    )
    print(pickle.dumps(function), pickle.loads(pickle.dumps(function)) is function)
    print(
        copy.copy(function) is function,
        copy.deepcopy(function) is function,
        gc.is_tracked(function),
    )
    print(pydoc.plain(pydoc.render_doc(function)))
print(
    posix.kill is os.kill,
    posix._exit is os._exit,
    posix.abort is os.abort,
    _signal.alarm is signal.alarm,
)
print(threading.excepthook is threading.__excepthook__, threading.excepthook is _thread._excepthook)
print(sys.excepthook is sys.__excepthook__, len({id(one) for one in FUNCTIONS}))
print(
    [
        type(finder).__name__ if not isinstance(finder, type) else finder.__name__
        for finder in sys.meta_path
    ]
)
for module in (os, signal):
    importlib.reload(module)
print(posix.kill is os.kill, _signal.alarm is signal.alarm, os.kill is FUNCTIONS[3])
print(sorted(vars(os)) == sorted(set(vars(os))), os.kill(os.getpid(), 0))
