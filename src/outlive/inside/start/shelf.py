"""Modules of ours that are needed only when memory is in danger: read at the start, run when they are needed.

An import opens a file, and while the program runs we open none. Reading the compiled module takes some microseconds; what makes an
import slow, unmarshalling and running it, is done when it is wanted.
"""

from __future__ import annotations
import __future__

import _frozen_importlib_external as external  # importlib, without its weight
import marshal
import os
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Dict, Sequence

INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER_BYTES = 16
LOW = 0xFFFFFFFF


class Shelf:
    """The modules, in the order in which they need each other."""

    def __init__(self, names: Sequence[str]) -> None:
        self._read: Dict[str, Any] = {name: read(path_of(name)) for name in names}
        self._failed = False

    def load(self) -> Any:
        """Run what has not been run; the last module, or nothing when one is missing or broken."""
        if self._failed:
            return None
        inside = __name__.rpartition(".")[0].rpartition(".")[0]
        module: Any = None
        # ``from __future__ import …`` imports it, and the program may not have: it would be looked for on the disk.
        ours = sys.modules.setdefault("__future__", __future__) is __future__
        try:
            for name, (data, compiled) in self._read.items():
                full = f"{inside}.{name}"
                module = sys.modules.get(full)
                if module is None:
                    module = self._run(name, full, data, compiled)
        except Exception:
            self._failed = True
            return None
        finally:
            if ours:
                sys.modules.pop("__future__", None)
        return module

    def _run(self, name: str, full: str, data: bytes, compiled: bool) -> Any:
        path = path_of(name)
        code: CodeType = (
            marshal.loads(data[HEADER_BYTES:]) if compiled else compile(data, path, "exec")
        )
        module: Any = type(sys)(full)
        module.__file__, module.__package__ = path, full.rpartition(".")[0]
        sys.modules[full] = module  # the next one imports from it
        exec(code, module.__dict__)
        return module


def path_of(name: str) -> str:
    """The source of a module below ``inside``, such as memory.sizes."""
    return os.path.join(INSIDE, *name.split(".")) + ".py"


def read(path: str) -> Any:
    """The compiled module if there is a fresh one, else its source; and which of the two it is."""
    try:
        data = contents(external.cache_from_source(path))
        source = os.stat(path)
        header = [int.from_bytes(data[start : start + 4], "little") for start in (4, 8, 12)]
        fresh = [0, int(source.st_mtime) & LOW, source.st_size & LOW]
        if data[:4] == external.MAGIC_NUMBER and header == fresh:
            return data, True
    except (OSError, NotImplementedError):
        pass
    try:
        return contents(path), False
    except OSError:
        return None


def contents(path: str) -> bytes:
    """Read a whole file, with one read. Not into more room than it needs: each such piece would stay a mapping of its own, which every fork copies."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)
