"""What a unit is, and how units are found: one function in one file, by looking in its folder.

There are six kinds: a cause of death, a check of the machine, a rule for code, a remedy of `--heal`, a fix of the user's code, and a watch of the running program, which only
says something. What acts on a running program (the brake, the watch for a hang) is not a unit (ADR 0029).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from outlive.errors import PluginError
from outlive.model.findings import Finding
from outlive.model.quick_dataclass import dataclass

if TYPE_CHECKING:
    from outlive.model.evidence import (
        Evidence,
    )  # the supervisor asks watches, and needs no evidence
    from outlive.model.heal_case import Answer as Healing
    from outlive.model.heal_case import Case
    from outlive.model.outlook.window import Window
    from outlive.model.patch import Answer as Fixing
    from outlive.model.surroundings import Surroundings
    from outlive.source.fix_case import FixCase
    from outlive.source.parsed import (
        Source,  # a verdict must not wait for the nouns of doctor and lint
    )

View = TypeVar("View")
Answer = TypeVar("Answer")
Ask = Callable[[View], Answer]


@dataclass(frozen=True)  # no slots: Python 3.11 cannot call a generic alias of such a class
class UnitOf(Generic[View, Answer]):
    """One question, asked of a frozen view."""

    slug: str
    code: str
    since: str
    doc: str
    ask: Ask[View, Answer]
    needs: tuple[str, ...] = ()  #: facts without which the question stays open
    behind: tuple[str, ...] = ()  #: slugs of the more general causes that this one explains
    prevents: tuple[str, ...] = ()  #: slugs of the causes that this one forestalls
    heals: tuple[str, ...] = ()  #: slugs of the causes after which this one is tried
    searched: tuple[str, ...] = ()  #: what people who meet it type into a search box

    @property
    def headline(self) -> str:
        """The first line of the manual page."""
        return self.doc.splitlines()[0]

    def section(self, heading: str) -> str:
        """What the manual page says under a heading."""
        return self.doc.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


#: Most units answer with findings.
Unit = UnitOf[View, Iterable[Finding]]
AnyUnit = UnitOf[Any, Any]


@dataclass(frozen=True, slots=True)
class Kind(Generic[View, Answer]):
    """A kind of unit: the prefix of its codes, the folder it lives in, the headings of its page."""

    name: str
    prefix: str
    package: str
    headings: tuple[str, ...]

    def __call__(
        self,
        code: str,
        *,
        since: str,
        needs: tuple[str, ...] = (),
        behind: tuple[str, ...] = (),
        prevents: tuple[str, ...] = (),
        heals: tuple[str, ...] = (),
        searched: tuple[str, ...] = (),
    ) -> Callable[[Ask[View, Answer]], UnitOf[View, Answer]]:
        """Make a unit of a function: ``@cause("D101", since="0.1")``."""

        def make(ask: Ask[View, Answer]) -> UnitOf[View, Answer]:
            slug = ask.__name__.replace("_", "-")
            doc = inspect.cleandoc(ask.__doc__ or "")
            self._refuse_badly_made(slug, code, doc)
            return UnitOf(slug, code, since, doc, ask, needs, behind, prevents, heals, searched)

        return make

    def _refuse_badly_made(self, slug: str, code: str, doc: str) -> None:
        if not re.fullmatch(rf"{self.prefix}\d{{3}}", code):
            raise PluginError(
                f"{self.name} {slug} has the code {code!r}.",
                f"Codes of this kind are {self.prefix} and three digits.",
            )
        found = tuple(line[3:].strip() for line in doc.splitlines() if line.startswith("## "))
        if found != self.headings or not doc.splitlines()[0].endswith("."):
            raise PluginError(
                f"The manual page of {self.name} {slug} has the headings {found}.",
                f"Write one sentence, then {', '.join('## ' + title for title in self.headings)}.",
            )


#: Slugs of the general causes that a cause knows better when memory ran out: what such a unit gives as ``behind``.
BEHIND_MEMORY = (
    "memory-limit-reached",
    "machine-out-of-memory",
    "worker-out-of-memory",
    "address-space-limit",
    "allocation-refused",
    "uncaught-exception",
    "exited-by-program",
)
#: … and when it is known who held it: then nothing leaked, and no heap has holes.
BEHIND_GROWTH = (*BEHIND_MEMORY, "native-leak", "fragmented-heap")
#: A stage of a pipeline is known in the program itself only, and explains no exception.
BEHIND_A_PIPELINE = tuple(
    slug
    for slug in BEHIND_GROWTH
    if slug not in ("worker-out-of-memory", "uncaught-exception", "exited-by-program")
)

cause: Kind[Evidence, Iterable[Finding]] = Kind(
    "cause", "D", "outlive.units.causes", ("What happened", "How we know", "What to do")
)

check: Kind[Surroundings, Iterable[Finding]] = Kind(
    "check", "H", "outlive.units.checks", ("Why it matters", "What to do")
)

#: Of a rule, ``needs`` are words: without one of them in the text there is nothing to ask.
rule: Kind[Source, Iterable[Finding]] = Kind(
    "rule", "R", "outlive.units.rules", ("Why it is bad", "Bad", "Good")
)

#: A remedy answers with a change for the next attempt, or why there is none.
remedy: Kind[Case, Healing] = Kind(
    "remedy",
    "T",
    "outlive.keep.heal.remedies",
    ("What changes", "When it is tried", "When it is not"),
)

#: A fix answers with a patch of the user's source, or why none can be derived from it.
fix: Kind[FixCase, Fixing] = Kind(
    "fix",
    "F",
    "outlive.units.fixes",
    ("What it changes", "When it is offered", "What becomes of the results"),
)

#: A watch answers with what will become of the running program.
watch: Kind[Window, Iterable[Finding]] = Kind(
    "watch", "W", "outlive.units.watches", ("What it sees", "When it speaks", "What to do")
)

KINDS: tuple[Kind[Any, Any], ...] = (cause, check, rule, remedy, fix, watch)


def discover(kind: Kind[View, Answer]) -> tuple[UnitOf[View, Answer], ...]:
    """Every unit of a kind, by looking in its folder. A badly made one is an error at once."""
    package = importlib.import_module(kind.package)
    units: dict[str, UnitOf[View, Answer]] = {}
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{kind.package}.{module_info.name}")
        mine = [value for value in vars(module).values() if isinstance(value, UnitOf)]
        expected = module_info.name.replace("_", "-")
        if len(mine) != 1 or mine[0].slug != expected:
            raise PluginError(
                f"{module.__file__} holds {[unit.slug for unit in mine]}.",
                f"It must hold exactly one {kind.name}, named {expected}.",
            )
        if mine[0].code in units:
            raise PluginError(
                f"{expected} and {units[mine[0].code].slug} both have the code {mine[0].code}.",
                "Give the newer one a fresh code.",
            )
        units[mine[0].code] = mine[0]
    return tuple(units.values())
