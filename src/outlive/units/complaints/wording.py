"""How a table of words is asked: one row, one way in which libraries complain about one thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from outlive.model.events import Thrown
from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """One complaint, taken apart. Which parts there are depends on the words."""

    kind: str  #: the slug of the cause that it belongs to
    thrown: Thrown
    words: str  #: the part of the message that says so
    variant: str = ""  #: which kind of it: batch, layer, labels, compressed …
    path: str = ""
    size: int | None = None  #: bytes of the data that could not be read
    offset: int | None = None  #: of the record in its file
    name: str = ""  #: of the feature, layer, operation
    first: str = ""  #: the shape or dtype that came
    second: str = ""  #: the one that was expected, or the other of the two


#: Takes a message apart; None: it is not this complaint.
Read = Callable[[str], dict[str, str] | None]


@dataclass(frozen=True, slots=True)
class Wording:
    """One row of a table: these classes of exceptions, with words like these, are this kind of complaint."""

    kind: str
    pattern: re.Pattern[str]
    classes: tuple[str, ...] = ()  #: bare names of classes; none: any
    variant: str = ""
    inside: str = ""  #: part of ``file:function:`` of a frame that the exception passed through
    line: re.Pattern[str] | None = None  #: what the user's line must say
    raised: bool = False  #: by the user's own code, not by a library
    read: Read | None = None  #: what a pattern cannot tell

    def complaint(self, thrown: Thrown) -> Complaint | None:
        """The exception taken apart, if it is one of this kind."""
        if not self._comes_from_there(thrown):
            return None
        found = self.pattern.search(COLOURS.sub("", thrown.message))
        if found is None:
            return None
        parts = {name: value or "" for name, value in found.groupdict().items()}
        if self.read is not None:
            told = self.read(thrown.message)
            if told is None:
                return None
            parts |= told
        return Complaint(
            kind=self.kind,
            thrown=thrown,
            words=" ".join(found[0].split())[:300],
            variant=self.variant,
            path=parts.get("path", "") or (thrown.file if self.kind in ABOUT_FILES else ""),
            size=_number(parts.get("size")),
            offset=_number(parts.get("offset")),
            name=parts.get("name", ""),
            first=" ".join(parts.get("first", "").split()),
            second=" ".join(parts.get("second", "").split()),
        )

    def _comes_from_there(self, thrown: Thrown) -> bool:
        if self.classes and not thrown.is_a(*self.classes):
            return False
        passed = (f"{frame.file}:{frame.function}:" for frame in thrown.frames)
        if self.inside and not any(self.inside in place for place in passed):
            return False
        if self.raised and not (thrown.frames and thrown.frames[0].own):
            return False
        own = thrown.own
        return self.line is None or (own is not None and self.line.search(own.code) is not None)


#: Keras prints in bold.
COLOURS = bounded(r"\x1b\[[\d;]*m")

ABOUT_FILES = ("corrupt-image", "corrupt-record", "corrupt-weights", "missing-file")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def says(
    kind: str,
    pattern: str,
    *classes: str,
    variant: str = "",
    inside: str = "",
    line: str = "",
    raised: bool = False,
    flags: int = 0,
    read: Read | None = None,
) -> Wording:
    """A row: ``says("shape-mismatch", r"Incompatible shapes: …", "InvalidArgumentError")``."""
    told = bounded(line) if line else None
    return Wording(kind, bounded(pattern, flags), classes, variant, inside, told, raised, read)


def complaint_in(thrown: Thrown, wordings: Sequence[Wording]) -> Complaint | None:
    """What an exception, or one that it only hands on, complains about.

    Libraries are heard before the program: who wraps an error repeats its words, and raises it elsewhere.
    """
    for link in sorted(thrown.passed_on(), key=lambda link: link.raised_by_program):
        for wording in wordings:
            found = wording.complaint(link)
            if found is not None:
                return found
    return None
