"""Reached by Python at start-up because `outlive run` put this folder first in PYTHONPATH.

It loads Outlive's recorder, takes its own folder out of sys.path, and hands over to the user's own sitecustomize, if there is
one. It must be readable by every Python that the program may start (2.7 and 3.6 too), and raises only what ``site`` would have met
without it: that there is no sitecustomize, or what the user's own raises.
"""

import sys


def _load_recorder():
    import os

    folder = os.environ.get("OUTLIVE_RECORD_FOLDER")
    if not folder or sys.version_info < (3, 9) or sys.implementation.name != "cpython":
        return
    record = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # A package by hand: importlib.util would double the cost of the start.
    package = type(sys)("_outlive_record")
    package.__path__ = [record]
    sys.modules["_outlive_record"] = package
    package.borrowed = _import_privately("_outlive_record.inside.agent")
    sys.modules["_outlive_record.inside.agent"].start(folder)


def _import_privately(name):
    """Import our module so that neither side sees the other's modules.

    A program may have a signal.py or resource.py of its own: while ours is loaded the program's folders are out of sys.path, and
    afterwards the modules that only we needed are out of sys.modules (ours hold on to them), so that `import signal` finds what it
    would have found. Only here, where no other thread is: one that imports at the same time would lose its modules.
    """
    import os

    standard = os.path.dirname(os.path.abspath(os.__file__))
    path, before = list(sys.path), set(sys.modules)
    sys.path[:] = [
        entry
        for entry in path
        if entry == standard or os.path.dirname(entry) == standard or entry.endswith(".zip")
    ]
    try:
        __import__(name)
    finally:
        sys.path[:] = path
        kept = set(sys.builtin_module_names)
        new = [
            added
            for added in set(sys.modules) - before
            if added not in kept and not added.startswith("_outlive_record")
        ]
        borrowed = {added: sys.modules.pop(added) for added in new}
    return borrowed


def _hand_over():
    """The user's own, now that this folder is out of the way. If there is none, the error says so as it would have."""
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here]
    mine = sys.modules.pop("sitecustomize", None)  # Python 2 empties a module that nobody holds
    import sitecustomize  # noqa: F401

    return mine


def _confess(error):
    """The program must run as if nothing had been tried; the verdict says that the recorder failed."""
    import os

    try:
        path = os.path.join(os.environ["OUTLIVE_RECORD_FOLDER"], "%d.failed" % os.getpid())
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(handle, ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace"))
        os.close(handle)
    except Exception:
        pass


try:
    _load_recorder()
except Exception as failure:
    _confess(failure)
_hand_over()
