"""What is read becomes a fact with its source, or a gap with its reason."""

from __future__ import annotations

from outlive.model.fact_names import FactName
from outlive.model.findings import Fact, Value


class Notes:
    """Facts and gaps as they are gathered."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.gaps: dict[str, str] = {}

    def add(self, name: FactName, value: Value, source: str, *, private: bool = False) -> None:
        """A reading; ``None`` is a gap: it could not be read there."""
        if value is None:
            self.gaps[name] = f"{source} could not be read"
        else:
            self.facts[name] = Fact(name, value, source, private)

    def miss(self, name: FactName, why: str) -> None:
        """A reading that cannot be had."""
        self.gaps[name] = why
