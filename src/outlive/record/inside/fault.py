"""The Python stacks of all threads when a fatal signal strikes: ``faulthandler``, writing to a file of ours.

If the program (or the user, with -X faulthandler) has enabled it already, theirs stays; the shim copies what it writes.
"""

from __future__ import annotations

import os
import sys

from .aside import put_aside
from .clock import Clock
from .hooks import like

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Tuple


class FaultFile:
    """The file, its descriptor, and the care that it stays ours."""

    def __init__(self, folder: str, theirs: Callable[[int], None]) -> None:
        self._folder = folder
        self._theirs = theirs  # told where the program's own handler writes
        self._handle = -1
        self._identity: Optional[Tuple[int, int]] = None
        self._real: Any = None  # faulthandler's own functions, while ours stand in their place
        self.path = ""

    def enable(self) -> None:
        """Install the handler, unless somebody else did."""
        import faulthandler

        if faulthandler.is_enabled():
            return
        self._real = (faulthandler.enable, faulthandler.disable, faulthandler.is_enabled)
        try:
            self._open()
            faulthandler.enable(file=self._handle, all_threads=True)
        except (ImportError, OSError, ValueError, RuntimeError):
            self._handle = -1
            return
        self._watch_for_other_owners(faulthandler)

    def _watch_for_other_owners(self, faulthandler: Any) -> None:
        """When the program enables or disables the handler itself, it is no longer ours to touch."""
        for name in ("enable", "disable"):
            real = getattr(faulthandler, name)

            def passed_on(*args: Any, _real: Callable[..., Any] = real, **kwargs: Any) -> Any:
                self._handle = -1
                self._put_back(faulthandler)
                result = _real(*args, **kwargs)
                self._tell_where(args, kwargs)
                return result

            setattr(faulthandler, name, like(real)(passed_on))
        faulthandler.is_enabled = like(faulthandler.is_enabled)(lambda: False)  # not by the program

    def _tell_where(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """The descriptor that ``enable`` was given, or that of stderr."""
        try:
            file: Any = args[0] if args else kwargs.get("file", sys.stderr)
            self._theirs(file if isinstance(file, int) else file.fileno())
        except Exception:
            pass  # what is no file cannot be followed

    def _put_back(self, faulthandler: Any) -> None:
        faulthandler.enable, faulthandler.disable, faulthandler.is_enabled = self._real

    def _open(self) -> None:
        self.path = os.path.join(self._folder, f"{os.getpid()}-{Clock.monotonic_ns()}.fault")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._handle = put_aside(os.open(self.path, flags, 0o600))
        found = os.fstat(self._handle)
        self._identity = (found.st_dev, found.st_ino)

    def check(self) -> None:
        """Once a second: if the number no longer means our file, keep our hands off it."""
        if self._handle < 0:
            return
        try:
            found = os.fstat(self._handle)
            ours = (found.st_dev, found.st_ino) == self._identity
        except OSError:
            ours = False
        if not ours:
            self._handle = -1
            self._disable()

    def forked(self) -> None:
        """In a child: a file of its own, so that two deaths are not mixed."""
        if self._handle < 0:
            return
        self.check()
        if self._handle < 0:
            return
        parents = self._handle
        self._handle = -1
        self._disable()
        self.enable()
        os.close(parents)

    def close(self) -> None:
        """In a child that is not recorded: nothing more is written, least of all into the parent's file."""
        if self._handle >= 0:
            self._handle = -1
            self._disable()

    def _disable(self) -> None:
        import faulthandler

        self._put_back(faulthandler)
        faulthandler.disable()
