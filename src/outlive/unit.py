"""What a unit is, and how units are found: one function in one file, by looking in its folder.

A cause of death is one kind, a check of the machine and a rule for code are others. Watches will be a further value of ``Kind``; nothing else
changes.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from outlive.errors import PluginError
from outlive.evidence import Evidence
from outlive.model import Finding

if TYPE_CHECKING:
    from outlive.source import Source  # a verdict must not wait for the nouns of doctor and lint
    from outlive.surroundings import Surroundings

View = TypeVar("View")
Ask = Callable[[View], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Unit(Generic[View]):
    """One question, asked of a frozen view, answered with findings."""

    slug: str
    code: str
    since: str
    doc: str
    ask: Ask[View]
    needs: tuple[str, ...] = ()  #: facts without which the question stays open
    behind: tuple[str, ...] = ()  #: slugs of the more general causes that this one explains
    prevents: tuple[str, ...] = ()  #: slugs of the causes that this one forestalls
    searched: tuple[str, ...] = ()  #: what people who meet it type into a search box

    @property
    def headline(self) -> str:
        """The first line of the manual page."""
        return self.doc.splitlines()[0]

    def section(self, heading: str) -> str:
        """What the manual page says under a heading."""
        return self.doc.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


@dataclass(frozen=True, slots=True)
class Kind(Generic[View]):
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
        searched: tuple[str, ...] = (),
    ) -> Callable[[Ask[View]], Unit[View]]:
        """Make a unit of a function: ``@cause("D101", since="0.1")``."""

        def make(ask: Ask[View]) -> Unit[View]:
            slug = ask.__name__.replace("_", "-")
            doc = inspect.cleandoc(ask.__doc__ or "")
            self._refuse_badly_made(slug, code, doc)
            return Unit(slug, code, since, doc, ask, needs, behind, prevents, searched)

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

cause: Kind[Evidence] = Kind(
    "cause", "D", "outlive.causes", ("What happened", "How we know", "What to do")
)

check: Kind[Surroundings] = Kind("check", "H", "outlive.checks", ("Why it matters", "What to do"))

#: Of a rule, ``needs`` are words: without one of them in the text there is nothing to ask.
rule: Kind[Source] = Kind("rule", "R", "outlive.rules", ("Why it is bad", "Bad", "Good"))

KINDS: tuple[Kind[Any], ...] = (cause, check, rule)


def discover(kind: Kind[View]) -> tuple[Unit[View], ...]:
    """Every unit of a kind, by looking in its folder. A badly made one is an error at once."""
    package = importlib.import_module(kind.package)
    units: dict[str, Unit[View]] = {}
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{kind.package}.{module_info.name}")
        mine = [value for value in vars(module).values() if isinstance(value, Unit)]
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
