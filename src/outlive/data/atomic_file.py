"""Write a file whole or not at all, over nothing but the file that was asked for.

The new text lies under a name that nobody else has until it is complete. A fixed name (``results.csv.new``) could be a file of the user's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: Ends the name of a file that is still being written; what is killed meanwhile leaves one.
UNFINISHED = ".outlive-new"

#: Names have at most 255 bytes; what is added takes 24.
MOST_BYTES_OF_A_NAME = 200


@contextmanager
def replacing(path: str, mode: int = 0o666) -> Iterator[str]:
    """Give the path of an empty new file beside ``path``, and put it in its place when all went well."""
    fresh = new_beside(path, mode)
    try:
        yield fresh
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh)
        raise


def new_beside(path: str, mode: int = 0o666) -> str:
    """Make an empty file in the same folder, under a name that was free."""
    folder, name = os.path.split(path)
    short = os.fsdecode(os.fsencode(name)[:MOST_BYTES_OF_A_NAME])
    fresh = os.path.join(folder, f".{short}.{os.urandom(4).hex()}{UNFINISHED}")
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
    return fresh
