"""A call whose arguments are worked out."""

from __future__ import annotations

import ast
from dataclasses import field
from typing import Any

from outlive.model.quick_dataclass import dataclass
from outlive.source.dry_run.things import UNKNOWN, Unknown


@dataclass
class Call:
    """What is called, with what."""

    node: ast.Call
    called: Any
    args: list[Any] = field(default_factory=list)
    words: dict[str, Any] = field(default_factory=dict)
    open: bool = False  #: more arguments are given than are known: `*rest`, `**options`

    def get(self, place: int | None, *names: str) -> Any:
        """An argument by its place or one of its names; None when it is not given."""
        for name in names:
            if name in self.words:
                return self.words[name]
        if place is not None and place < len(self.args):
            return self.args[place]
        return UNKNOWN if self.open else None

    def given(self, place: int | None, *names: str) -> bool:
        """Whether an argument is given, and known to be."""
        found = self.get(place, *names)
        return found is not None and not isinstance(found, Unknown)

    @property
    def every(self) -> list[Any]:
        """All arguments."""
        return [*self.args, *self.words.values()]
