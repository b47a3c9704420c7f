"""The nouns: facts, places, findings, verdicts, and how sure we are.

Everything here is frozen and picklable. Standard library only: nothing in this file may know where a value came from beyond the
``source`` it carries. What is known about one run, the view that causes are asked of, is in ``evidence``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, overload

from outlive.inside.start.code_owner import package_of
from outlive.model.fact_names import FactName, Measure, unit_of
from outlive.model.quick_dataclass import dataclass

Value = str | int | float | bool | None


class Confidence(enum.IntEnum):
    """How much the evidence forces the conclusion. Compared with ``max()``."""

    POSSIBLE = 1  #: fits, and so do other explanations
    LIKELY = 2  #: fits better than anything else we know
    PROVEN = 3  #: no other known cause leaves this trace


class State(enum.IntEnum):
    """What a check says of this machine. The worst of several is their ``max()``."""

    FINE = 1
    UNKNOWN = 2  #: could not be told, and the finding says why
    WARNING = 3  #: works, and may end badly
    WILL_FAIL = 4


class EndingKind(enum.Enum):
    """How a run ended, as the one who waits for it sees it."""

    SIGNAL = "signal"
    EXIT = "exit"
    EXCEPTION = "exception"
    HANG = "hang"
    SUCCESS = "success"


class EndedBy(enum.Enum):
    """Who ended it."""

    KERNEL_OOM = "kernel-oom"
    PROCESS = "process"
    ITSELF = "itself"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """One observation, and where it was read."""

    name: str
    value: Value
    source: str
    private: bool = False  #: masked in every report meant to be shared
    unit: Measure | None = field(
        default=None, repr=False, compare=False
    )  #: of a number; comes with the name

    if TYPE_CHECKING:  # who writes a number gives it a name with a unit

        @overload
        def __init__(
            self,
            name: FactName,
            value: Value,
            source: str,
            private: bool = ...,
            unit: Measure | None = ...,
        ) -> None: ...

        @overload
        def __init__(
            self, name: str, value: str | bool | None, source: str, private: bool = ...
        ) -> None: ...

        def __init__(self, *_: object, **__: object) -> None: ...

    def __post_init__(self) -> None:
        """Keep the name as a text, which every reader knows to write, and to mask; the unit is the fact's from here on."""
        object.__setattr__(self, "unit", self.unit or unit_of(self.name))
        object.__setattr__(self, "name", str(self.name))


@dataclass(frozen=True, slots=True)
class Place:
    """A line of source code."""

    file: str
    line: int
    function: str = ""
    code: str = ""  #: the text of the line, when the file could be read
    own: bool = True  #: the user's own code, not a library's
    column: int = 0  #: from 1; 0 when only the line is known
    cell: int = (
        0  #: of a notebook, from 1, in the order of the file; then ``line`` is the line in it
    )

    def __str__(self) -> str:
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.file}:{cell}{self.line}"

    @property
    def package(self) -> str:
        """The installed package that the file belongs to, or nothing."""
        return package_of(self.file)


@dataclass(frozen=True, slots=True)
class Ending:
    """How the program ended."""

    kind: EndingKind
    signal: str | None = None
    exit_code: int | None = None
    by: EndedBy = EndedBy.UNKNOWN
    detail: str = ""


#: Between the end of a program, in the detail of an ending, and that of the notebook's kernel that it ran.
OF_A_NOTEBOOK = "; its notebook's kernel: "

#: How the gap of something begins that was asked for and could not be done (`--bound`, a remedy of `--heal`): it is always told.
NO_EFFECT = "had no effect: "


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a text and what shall stand there instead. Columns are bytes of UTF-8, from 0, as Python's parser counts them."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """What an argument of a call on the user's line should be: found again in the source by its tree, never by its text."""

    call: str  #: the last word of what is called, as ``shuffle``; empty: whatever it is
    argument: str  #: its name, as ``buffer_size``
    becomes: str  #: what shall stand there, as source
    place: int | None = None  #: among the arguments without a name; None: it always has one
    #: Only if it is one of these types, in whatever form they are written: ``np.float64``, ``"float64"``, ``float``.
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wrap:
    """What the program's only call of one of its own functions should hand over in another form: ``tf.constant(rate)`` for ``rate``."""

    function: str  #: the blamed one, by its last name
    argument: str
    within: str  #: what is called with it, as ``tf.constant``; written as the file has imported it


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing that the reader can do now."""

    text: str
    commands: tuple[str, ...] = ()
    safe: bool = False  #: may be applied without asking
    edits: tuple[Edit, ...] = ()  #: how a machine does it in the source
    changes: tuple[Change | Wrap, ...] = ()  #: how the user's line would read: the first that fits


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, why we believe it, and what to do about it."""

    says: str
    because: tuple[Fact, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    remedies: tuple[Remedy, ...] = ()
    where: Place | None = None
    by: EndedBy | None = None  #: what this finding knows about who ended the program
    state: State | None = None  #: what a check says; the other kinds leave it open
    slug: str = ""  #: written by the engine, never by the unit
    behind: tuple[
        str, ...
    ] = ()  #: what it explains, beyond what its unit does; written by the engine


@dataclass(frozen=True, slots=True)
class UnitFailure:
    """A unit broke; reported beside the findings, hiding nobody else's."""

    slug: str
    error: str


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A cause that was asked and has nothing to say."""

    slug: str
    headline: str
    trace: str  #: what would have shown it
    open: str = ""  #: why it cannot be ruled out for good: the reading that is missing


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ranked answer, together with what could not be known."""

    run: str
    ending: Ending
    findings: Sequence[Finding] = ()
    gaps: Mapping[str, str] = field(default_factory=dict)
    failures: Sequence[UnitFailure] = ()
    warnings: Sequence[
        Finding
    ] = ()  #: of the watches, where no cause is known; otherwise they follow the findings

    @property
    def cause(self) -> Finding | None:
        """The best explanation, or ``None``: not knowing is an answer."""
        return self.findings[0] if self.findings else None


@dataclass(frozen=True, slots=True)
class Checked:
    """What one check answered."""

    slug: str
    code: str
    findings: tuple[Finding, ...]

    @property
    def state(self) -> State:
        """The worst of its answers."""
        return max(
            (finding.state or State.UNKNOWN for finding in self.findings), default=State.UNKNOWN
        )


@dataclass(frozen=True, slots=True)
class Checkup:
    """The answers of all checks, in the order of their codes."""

    checked: tuple[Checked, ...]
    failures: tuple[UnitFailure, ...] = ()

    @property
    def found(self) -> bool:
        """Whether anything is wrong."""
        return any(item.state >= State.WARNING for item in self.checked)

    @property
    def safe_commands(self) -> tuple[str, ...]:
        """What a machine may do unasked."""
        return tuple(
            command
            for item in self.checked
            for finding in item.findings
            if finding.state is not None and finding.state >= State.WARNING
            for remedy in finding.remedies
            if remedy.safe
            for command in remedy.commands
        )


def size(count: float) -> str:
    """Bytes as a person reads them: ``1.4 GB``. Decimal units, as limits and disks are sold."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(count) >= step:
            return (
                f"{count / step:.1f} {unit}"
                if abs(count) < 100 * step
                else f"{count / step:.0f} {unit}"
            )
    return f"{count:.0f} bytes"
