"""What a worker of a scan does to each file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outlive.data.scan.cache import stamp_of
from outlive.data.scan.engine import BATCH, Checked, Settings, check, given_up
from outlive.data.scan.flaws import Flaw
from outlive.inside.notes.describe import in_short
from outlive.jobs.worker import Ready

Answer = tuple[tuple[int, int] | None, Checked | None]  #: the file's stamp, and the result


def make(settings: Settings, budget: int | None = None) -> CheckTask:
    """Make the task. The budget of pictures is among the settings, that of the worker is watched by others."""
    return CheckTask(settings)


class CheckTask:
    """Checks files one by one."""

    most = BATCH
    facts: Mapping[str, Any] = {}
    room_bytes = None
    going: Callable[[], None]  #: set by the worker

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def prepare(self, item: str) -> Ready:
        """Nothing is to be done ahead."""
        return Ready(item)

    def run(self, things: Sequence[str]) -> list[Answer]:
        """Check each file; one whose check fails is an answer, too."""
        return [self._checked(path) for path in things]

    def _checked(self, path: str) -> Answer:
        stamp = stamp_of(path)
        try:
            return stamp, check(path, self._settings, self.going)
        except MemoryError:
            flaw = Flaw("image-too-large", path, "not enough memory to decode it")
            return None, given_up(path, flaw)  # not remembered: it may suffice then
        except Exception as error:  # a file that nobody thought of costs itself, not the scan
            says = f"its check failed: {in_short(error)}"
            return stamp, given_up(path, Flaw("scanner-crashed", path, says))
