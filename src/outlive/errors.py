"""What Outlive says when it cannot do what was asked.

OutliveError            exit 3: Outlive itself failed
├── UsageError          exit 2: the command line asks for something that does not exist
├── NothingRecorded     exit 2: there is no such run
├── RecordUnreadable    exit 3: the record is damaged beyond what can be recovered
└── PluginError         exit 3: a cause, check, rule or watch is badly made

Every error has one sentence (what failed, with the value) and a ``help``: what to try next.
"""

from __future__ import annotations


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
