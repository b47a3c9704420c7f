"""The nouns of `outlive fix`: what a fix answers, and what became of it."""

from __future__ import annotations

from outlive.model.findings import Edit
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Patch:
    """What a fix changes in the user's source."""

    says: str  #: what is changed, as a sentence
    edits: tuple[Edit, ...]
    results: str = ""  #: how the program's results differ then, as a sentence; empty: they do not
    raises: str = ""  #: where the fix lets an error be seen: how the program ends then


#: What a fix says: a patch; why it cannot be derived from the source; or nothing.
Answer = Patch | str | None
