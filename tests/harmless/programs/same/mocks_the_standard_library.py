"""What ``unittest.mock`` makes of the functions and methods that a recorder may be curious about."""

import concurrent.futures
import inspect
import multiprocessing
import multiprocessing.pool
import multiprocessing.process
import os
import signal
import subprocess
import sys
import threading
import traceback
from unittest import mock

PLACES = [
    (subprocess.Popen, "send_signal", ("x",)),
    (subprocess.Popen, "poll", ()),
    (subprocess.Popen, "wait", ()),
    (concurrent.futures.Future, "result", (1,)),
    (concurrent.futures.Future, "exception", ()),
    (concurrent.futures.Future, "set_exception", (ValueError(),)),
    (concurrent.futures.Future, "cancel", ()),
    (multiprocessing.pool.ApplyResult, "get", ()),
    (multiprocessing.process.BaseProcess, "start", ()),
    (traceback.TracebackException, "format", ()),
]

for kind, name, arguments in PLACES:
    function = inspect.getattr_static(kind, name)
    print(
        kind.__name__,
        name,
        type(function).__name__,
        inspect.signature(function),
        function.__module__,
        function.__qualname__,
    )
    print(
        inspect.isfunction(function),
        inspect.getsource(function) == inspect.getsource(inspect.unwrap(function)),
    )
    print(
        hasattr(function, "__wrapped__"),
        function.__code__.co_filename == inspect.getsourcefile(kind),
    )
    with mock.patch.object(kind, name, autospec=True) as stand_in:
        made = kind.__new__(kind)
        print(type(stand_in).__name__, getattr(made, name)(*arguments) is stand_in.return_value)
        print(stand_in.call_args == mock.call(made, *arguments))
        try:
            getattr(made, name)(1, 2, 3, 4, 5, 6, 7, 8)
        except TypeError as error:
            print(error)
    whole = mock.create_autospec(kind, instance=True)
    getattr(whole, name)(*arguments)
    print(getattr(whole, name).call_count, inspect.getattr_static(kind, name) is function)

for module, name, arguments in (
    (os, "kill", (1, 2)), (sys, "exit", (1,)), (os, "_exit", (1,)), (os, "abort", ()), (signal, "alarm", (1,)),
    (signal, "setitimer", (1, 2)), (threading, "excepthook", (1,)), (traceback, "print_exc", ()),
):  # fmt: skip
    with mock.patch.object(module, name, autospec=True) as stand_in:
        getattr(module, name)(*arguments)
        print(name, stand_in.call_args, stand_in.call_count)
    with mock.patch.object(module, name) as stand_in:
        getattr(module, name)(*arguments)
        print(name, stand_in.call_args)
whole = mock.create_autospec(os)
whole.kill(1, 2)
print(whole.kill.call_args, whole._exit(3) is whole._exit.return_value)
