"""View: where a program is to run, its machine and its Python, as the checks of `outlive doctor` see it. Frozen and picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlive.model.cluster import Cluster
from outlive.model.fact_names import FactName
from outlive.model.findings import Fact, Finding, Remedy, State
from outlive.model.installation import Environment, Gpu, Kernel
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """The room on the disk where something is written."""

    purpose: str  #: temporary files, the working directory, …
    path: str
    kind: str  #: of the file system: ext4, tmpfs, …
    free_bytes: int | None = None
    total_bytes: int | None = None
    free_inodes: int | None = None
    writable: bool = True
    exists: bool = True  #: otherwise the figures are those of the folder above it
    why_not: str = ""  #: why it could not be read


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that is known about a place before anything runs there; the only argument that a check receives."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    gaps: Mapping[str, str] = field(default_factory=dict)  #: fact name -> why it is missing
    rooms: tuple[Room, ...] = ()
    python: Environment | None = None  #: ``None``: it could not be started, the gap says why
    gpus: tuple[Gpu, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    cluster: Cluster | None = None  #: only when it was asked for

    def number(self, name: FactName) -> float | None:
        """The value of a fact that is a number, or ``None``."""
        value = self.facts[name].value if name in self.facts else None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: FactName) -> str | None:
        """The value of a fact that is a text, or ``None``."""
        value = self.facts[name].value if name in self.facts else None
        return value if isinstance(value, str) else None

    def because(self, *wanted: FactName | Fact) -> tuple[Fact, ...]:
        """Those of the facts that are known, in this order; a fact that a check has made itself goes along."""
        return tuple(
            fact if isinstance(fact, Fact) else self.facts[fact]
            for fact in wanted
            if isinstance(fact, Fact) or fact in self.facts
        )

    def fine(self, says: str, *facts: FactName | Fact) -> Finding:
        """Nothing is wrong, and this is how we know."""
        return Finding(says, self.because(*facts), state=State.FINE)

    def warning(
        self, says: str, *facts: FactName | Fact, remedies: tuple[Remedy, ...] = ()
    ) -> Finding:
        """It works, and may end badly."""
        return Finding(says, self.because(*facts), remedies=remedies, state=State.WARNING)

    def will_fail(
        self, says: str, *facts: FactName | Fact, remedies: tuple[Remedy, ...] = ()
    ) -> Finding:
        """It cannot work like this."""
        return Finding(says, self.because(*facts), remedies=remedies, state=State.WILL_FAIL)

    def unknown(self, *names: FactName) -> Finding:
        """It could not be told, for want of these facts."""
        missing = [name for name in names if name not in self.facts]
        why = "; ".join(f"{name}: {self.gaps.get(name, 'not read')}" for name in missing)
        return Finding(f"Could not check ({why}).", self.because(*names), state=State.UNKNOWN)

    def unsure(self, says: str, *facts: FactName | Fact) -> Finding:
        """It could not be told, for a reason that is said."""
        return Finding(says, self.because(*facts), state=State.UNKNOWN)
