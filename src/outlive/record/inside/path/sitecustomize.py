"""Reached by Python at start-up because `outlive run` put this folder first in PYTHONPATH.

It loads Outlive's recorder, takes its own folder out of sys.path, and hands over to the user's own sitecustomize, if there is
one. It must be readable by every Python that the program may start (2.7 and 3.6 too), and must never raise.
"""

import sys


def _load_recorder():
    import os

    folder = os.environ.get("OUTLIVE_RECORD_FOLDER")
    if not folder or sys.version_info < (3, 9) or sys.implementation.name != "cpython":
        return
    record = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    package = type(sys)(
        "_outlive_record"
    )  # a package by hand: importlib.util would double the cost of the start
    package.__path__ = [record]
    sys.modules["_outlive_record"] = package
    from _outlive_record.inside import agent

    agent.start(folder)


def _hand_over():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here]
    mine = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401  # the user's own, now that this folder is out of the way
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = mine  # the import system still expects an entry


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
