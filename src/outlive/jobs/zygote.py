"""The process that workers are forked from: it has imported the heavy packages, and has run nothing of them.

Importing TensorFlow takes seconds; forking a process that has done it takes milliseconds, and is safe as long as no operation has been
run (FACTS: 110 of 110 forks). So this process only imports, waits, forks, and tells how its children ended. It is one thread, and ends
when the socket to its parent closes.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from typing import Any

from outlive.jobs.parent_death import die_with, volunteer
from outlive.jobs.plain_exception import describe

MESSAGE_BYTES = 1 << 20

#: How a zygote is started: its parent's import path, and the number of its socket.
BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from outlive.jobs.zygote import main; main(int(sys.argv[2]))"


def main(handle: int) -> None:
    """Import, then fork whenever asked to."""
    channel = socket.socket(fileno=handle)
    greeting = json.loads(channel.recv(MESSAGE_BYTES) or b"null")
    if greeting is None:
        return
    if greeting["parent"]:
        die_with(greeting["parent"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which decides
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # an actor of Ray's hands on a blocked SIGINT
    try:
        for name in greeting["imports"]:
            importlib.import_module(name)
    except BaseException as error:
        _tell(channel, {"failed": describe(error)})
        return
    gc.collect()
    gc.freeze()  # what is imported stays: a collection in a worker must not copy its pages
    _tell(channel, {"ready": os.getpid()})
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    children: set[int] = set()
    while True:
        readable, _, _ = select.select([channel.fileno(), wake_read], [], [])
        if wake_read in readable:
            os.read(wake_read, 4096)
            _bury(channel, children)
        if channel.fileno() in readable:
            message, handles, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 8)
            if not message:
                os._exit(0)
            children.add(_fork(channel, json.loads(message), handles, (wake_read, wake_write)))


def _fork(
    channel: socket.socket, order: dict[str, Any], handles: list[int], wakers: tuple[int, int]
) -> int:
    parent = os.getpid()
    child = os.fork()
    if child:
        for handle in handles:
            os.close(handle)
        _tell(channel, {"born": child})
        return child
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for handle in wakers:
            os.close(handle)
        channel.close()
        die_with(parent)
        volunteer()
        from outlive.jobs.worker import work

        work(order, handles)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _bury(channel: socket.socket, children: set[int]) -> None:
    while children:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        children.discard(pid)
        _tell(channel, {"died": pid, "status": status, "peak": usage.ru_maxrss * 1024})


def _tell(channel: socket.socket, message: dict[str, Any]) -> None:
    try:
        channel.send(json.dumps(message).encode())
    except OSError:
        os._exit(0)  # nobody is left to be told
