"""As test runners do: an error that was caught is put where a debugger looks for it, and the status tells that something failed."""
# expect: exited-by-program LIKELY
# ending: 1

import sys


def check() -> None:
    assert sys.argv == [], "a test that fails"


def run(ends: bool) -> None:
    failed = 0
    try:
        check()
    except AssertionError as error:
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
        failed += 1
    if ends:
        raise SystemExit(failed)  # <- here


def die() -> None:
    run(ends=True)


def spare() -> None:
    run(ends=False)
