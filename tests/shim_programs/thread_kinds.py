"""Threads that end in every way there is: by returning, by pthread_exit, cancelled, with their own stack for signals."""

import ctypes
import threading

import common

shim = common.start()
library = ctypes.CDLL(None)
library.pthread_create.argtypes = [ctypes.c_void_p] * 4
library.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
library.pthread_cancel.argtypes = [ctypes.c_ulong]


class SignalStack(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("size", ctypes.c_size_t),
    ]


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p)


def native_thread(function, argument, cancel=False):
    thread, result = ctypes.c_ulong(), ctypes.c_void_p()
    made = library.pthread_create(ctypes.byref(thread), None, address_of(function), argument)
    if cancel:
        library.pthread_cancel(thread)
    joined = library.pthread_join(thread, ctypes.byref(result))
    return made, joined, result.value


def own_signal_stack(out):
    memory = ctypes.create_string_buffer(1 << 16)
    mine, now = SignalStack(ctypes.addressof(memory), 0, len(memory)), SignalStack()
    out.append(library.sigaltstack(ctypes.byref(mine), None))
    library.sigaltstack(None, ctypes.byref(now))
    out.append(now.address == ctypes.addressof(memory))
    none = SignalStack(None, 2, 0)
    library.sigaltstack(ctypes.byref(none), None)


found = []
for _ in range(3):
    common.refresh(shim)
    found.append(native_thread(library.labs, 7))
    found.append(native_thread(library.pthread_exit, 9))
    found.append(native_thread(library.pause, None, cancel=True))
    thread = threading.Thread(target=own_signal_stack, args=(found,))
    thread.start()
    thread.join()
for _ in range(200):
    thread = threading.Thread(target=found.append, args=(1,))
    thread.start()
    thread.join()
many = [threading.Thread(target=found.append, args=(2,)) for _ in range(60)]
for thread in many:
    thread.start()
for thread in many:
    thread.join()
threading.stack_size(32 * 1024)
thread = threading.Thread(target=found.append, args=(3,))
thread.start()
thread.join()
print(sorted(map(str, found)))
