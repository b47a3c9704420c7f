"""sys.exit with a text; and one that was caught before, which must not be named."""
# expect: exited-by-program PROVEN
# ending: 1

import contextlib
import sys


def die() -> None:
    with contextlib.suppress(SystemExit):
        sys.exit(4)
    sys.exit("no model found")  # <- here


def spare() -> None:
    with contextlib.suppress(SystemExit):
        sys.exit(4)
