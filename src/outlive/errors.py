"""What Outlive says when it cannot do what was asked.

OutliveError            exit 3: Outlive itself failed
├── UsageError          exit 2: the command line asks for something that does not exist
├── NothingRecorded     exit 2: there is no such run
├── RecordUnreadable    exit 3: the record is damaged beyond what can be recovered
└── PluginError         exit 3: a cause, a check, a rule or a remedy is badly made

Every error has one sentence (what failed, with the value) and a ``help``: what to try next.
"""

from __future__ import annotations

import os

TYPE_CHECKING = (
    False  # importing ``typing`` for this would cost the start of a run more than all of this
)
if TYPE_CHECKING:
    from collections.abc import Iterable

#: How alike two names must be, from 0 to 1, for one to be a mistyped other: "fotos" and "photos" are 0.73.
LIKENESS = 0.7


class OutliveError(Exception):
    """Something failed in Outlive itself; the watched program is not affected."""

    exit_code = 3

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.help = help


class UsageError(OutliveError):
    """The command line asks for something that does not exist."""

    exit_code = 2


class NothingRecorded(OutliveError):
    """There is no run to talk about."""

    exit_code = 2


class RecordUnreadable(OutliveError):
    """The record is damaged, or was written by a version that this one does not know."""


class PluginError(OutliveError):
    """A unit is badly made; named at start, never skipped in silence."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Suggest the known name that is nearest to a mistyped one; where none is near, say something else."""
    import difflib  # only now: a command line without a mistake does not pay for it

    close = difflib.get_close_matches(name, list(known), 1, LIKENESS)
    return " ".join(filter(None, (f"Did you mean {close[0]}?" if close else "", otherwise)))


def did_you_mean_path(path: str, otherwise: str = "") -> str:
    """Suggest a file or folder that lies where the path leads to."""
    folder, name = os.path.split(path.rstrip("/"))
    try:
        beside = [os.path.join(folder, entry) for entry in os.listdir(folder or os.curdir)]
    except OSError:
        beside = []
    return did_you_mean(os.path.join(folder, name), beside, otherwise)
