"""The last gate before anything is said: a verdict and its evidence without secrets, whatever of them came that far.

The record holds none already. Here is caught what was put together after it: lines of source, texts that several pieces make, and
records that were written before this was known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any, TypeVar

from outlive.inside.notes.masking import Masker, secrets_here
from outlive.model.own_fields import own_fields

Anything = TypeVar("Anything")


def hidden(value: Anything) -> Anything:
    """The same without secrets. What holds none is handed back as it is."""
    found: Anything = _Hider(Masker(secrets_here())).hide(value)
    return found


class _Hider:
    """Goes through nouns of any depth."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def hide(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._masker.text(value) if type(value) is str else value
        if isinstance(value, tuple):
            return self._tuple(value)
        if isinstance(value, list):
            return [self.hide(item) for item in value]
        if isinstance(value, Mapping):
            return {self.hide(name): self.hide(item) for name, item in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return self._noun(value)
        return value

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        found = [self.hide(item) for item in value]
        if all(one is other for one, other in zip(found, value, strict=True)):
            return value
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)

    def _noun(self, value: Any) -> Any:
        changed = {}
        for field in own_fields(value):
            before = getattr(value, field.name)
            after = self.hide(before)
            if field.init and after is not before and after != before:
                changed[field.name] = after
        return replace(value, **changed) if changed else value
