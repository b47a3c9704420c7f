"""A thread fails early; the main thread fails later for a reason of its own, which is the one to name."""
# expect: uncaught-exception PROVEN
# ending: 1

import contextlib
import io
import threading


def fail() -> None:
    raise ValueError("in a thread")


def run() -> None:
    with contextlib.redirect_stderr(io.StringIO()):
        thread = threading.Thread(target=fail, name="loader")
        thread.start()
        thread.join()


def die() -> None:
    run()
    raise OSError("in the main thread")  # <- here


def spare() -> None:
    with contextlib.suppress(ValueError):
        fail()
