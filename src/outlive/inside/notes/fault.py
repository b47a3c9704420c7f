"""The Python stacks of all threads when a fatal signal strikes: ``faulthandler``, writing to a file of ours.

If the program (or the user, with -X faulthandler) has enabled it already, theirs stays; the shim copies what it writes.
"""

from __future__ import annotations

import os
import sys

from ..start.clock import Clock
from ..start.descriptors import put_aside
from ..start.real import Real
from .journal import allows_a_file_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple

    from ..start.calls import Calls


#: The stacks of many threads; where no file may be as large, to write them would be SIGXFSZ.
LEAST_BYTES = 64 * 1024


class FaultFile:
    """The file, its descriptor, and the care that it stays ours."""

    def __init__(self, folder: str, calls: Calls, theirs: Callable[[int], None]) -> None:
        self._folder = folder
        self._calls = calls
        self._theirs = theirs  # told where the program's own handler writes
        self._handle = -1
        self._identity: Optional[Tuple[int, int]] = None
        self._guard: Callable[[int], None] = lambda handle: None
        self._guarded = False  # by the shim, before we were there
        self._watching = False
        self._changing = False  # ours are the calls that are seen
        self.path = ""

    def enable(self) -> None:
        """Install the handler, unless somebody else did."""
        import faulthandler

        if faulthandler.is_enabled() or not allows_a_file_of(LEAST_BYTES):
            return
        self._changing = True
        try:
            self._open()
            faulthandler.enable(file=self._handle, all_threads=True)
            self._guard(self._handle)
            self._watch_for_other_owners(faulthandler)
        except (ImportError, OSError, ValueError, RuntimeError):
            self._handle = -1
        finally:
            self._changing = False

    def take_over(self, handle: int, identity: Optional[Tuple[int, int]]) -> None:
        """Go on with the handler that ``sitecustomize`` has installed, if it did. The shim makes the file when there is something to write."""
        import faulthandler

        self._handle, self._identity, self._guarded = handle, identity, True
        if handle >= 0:
            self._watch_for_other_owners(faulthandler)

    def _watch_for_other_owners(self, faulthandler: Any) -> None:
        """Leave the handler alone once the program enables it itself; until then, answer the program that it is off."""
        if not self._watching:
            self._calls.watch(faulthandler, "enable", before=self._given_away)
            for name in ("disable", "is_enabled"):
                self._calls.watch(faulthandler, name, before=self._is_nobodys)
        self._watching = True

    def _given_away(self, args: Any, names: Any) -> None:
        if self._changing:
            return
        self._handle = -1
        self._guard(-1)
        file: Any = args[0] if args else (names or {}).get("file", sys.stderr)
        self._theirs(file if isinstance(file, int) else file.fileno())

    def _is_nobodys(self, _args: Any, _names: Any) -> Optional[Tuple[bool]]:
        """As far as the program knows."""
        return (False,) if self._handle >= 0 and not self._changing else None

    def guard_by(self, guard: Callable[[int], None]) -> None:
        """Who sees to it that nothing is written where the number has become another file's."""
        self._guard = guard
        if not self._guarded:
            self._guard(self._handle)

    def _open(self) -> None:
        self.path = os.path.join(self._folder, f"{Real.getpid()}-{Clock.monotonic_ns()}.fault")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = Real.open(self.path, flags, 0o600)
        if self._handle < 0:
            self._handle = put_aside(handle)
        else:  # in a forked child: the handler goes on with the number that it knows
            Real.dup2(handle, self._handle, inheritable=False)
            Real.close(handle)
        found = Real.fstat(self._handle)
        self._identity = (found.st_dev, found.st_ino)

    @property
    def watched(self) -> Tuple[int, Any]:
        """The descriptor, or -1, and which file it means."""
        return self._handle, self._identity

    def check(self) -> None:
        """Once a second: if the number no longer means our file, keep our hands off it."""
        if self._handle < 0:
            return
        try:
            found = Real.fstat(self._handle)
            ours = (found.st_dev, found.st_ino) == self._identity and allows_a_file_of(LEAST_BYTES)
        except OSError:
            ours = False
        if not ours:
            self._handle = -1
            self._disable()

    def forked(self) -> None:
        """In a child: a file of its own, so that two deaths are not mixed."""
        self.check()
        if self._handle < 0:
            return
        try:
            self._open()
            self._guard(self._handle)
        except (
            OSError
        ):  # no room, or no longer allowed: nothing is written, least of all into the parent's file
            self.close()

    def close(self) -> None:
        """In a child that is not recorded: nothing more is written, least of all into the parent's file."""
        if self._handle >= 0:
            self._handle = -1
            self._disable()

    def _disable(self) -> None:
        import faulthandler

        self._guard(-1)
        faulthandler.disable()
