"""Many files on all cores, in the order in which they were named.

A pool of the standard library's, because the work is ours and harmless: a worker that is killed is replaced by doing the rest here.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context

from outlive.source.lint.check import Told, look_at
from outlive.source.lint.settings import Answering, Settings

#: Starting workers takes as long as checking about this many files.
WORTH_WORKERS = 60
AT_A_TIME = 16


def look_at_all(
    files: Sequence[str], settings: Settings, jobs: int, each: Callable[[], object] = lambda: None
) -> Iterator[Told]:
    """What is to be said of each file. ``each`` is called after each of them.

    With TensorFlow to be asked, the workers make do with what it answered before; what is left open is asked here, of one child.
    """
    asks = settings.answers is Answering.TENSORFLOW
    first = replace(settings, answers=Answering.KEPT) if asks else settings
    try:
        for told in _with_workers(files, first, jobs, each):
            yield look_at(told.path, settings) if asks and told.unasked else told
    finally:
        if asks:
            _end_child(settings.python)


def _end_child(python: str) -> None:
    from outlive.source.lint.oracle import answers_of

    answers_of(python).close()


def _with_workers(
    files: Sequence[str], settings: Settings, jobs: int, each: Callable[[], object]
) -> Iterator[Told]:
    ask = functools.partial(look_at, settings=settings)
    done = 0
    workers = min(jobs, len(files) // WORTH_WORKERS + 1)
    if workers > 1:
        # where processes cannot be had (no /dev/shm, a limit on them), or one of them is killed, the rest is done here
        with contextlib.suppress(OSError, BrokenProcessPool, ImportError):
            pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=gc.disable)
            try:
                for told in pool.map(ask, files, chunksize=AT_A_TIME):
                    yield told
                    done += 1
                    each()
            finally:
                pool.shutdown(cancel_futures=True)
    with _without_collector():
        for path in files[done:]:
            yield ask(path)
            each()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """A tree of a program is a hundred thousand objects without a circle: to look for circles in it is a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
