"""Functions of Python, as they were before the program began.

gevent and eventlet put others into ``_thread``, ``time``, ``os``, ``select`` and ``signal``: a thread is a greenlet then, a lock gives other
greenlets their turn. What is ours must be real. The attributes of a class nobody looks into (see ``clock``).
"""

from __future__ import annotations

import _thread
import posix


class Real:
    """Python's own functions, kept before the program could replace them."""

    allocate_lock = _thread.allocate_lock
    get_ident = _thread.get_ident
    start_new_thread = _thread.start_new_thread
    getpid = posix.getpid
    open = posix.open
    close = posix.close
    dup2 = posix.dup2
    fstat = posix.fstat
    listdir = posix.listdir
    posix_fallocate = posix.posix_fallocate
    pread = posix.pread
    readlink = posix.readlink
    stat = posix.stat
    unlink = posix.unlink
    write = posix.write
