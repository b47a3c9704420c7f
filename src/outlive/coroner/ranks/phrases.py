"""Pieces of sentences about ranks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outlive.model.findings import Place
from outlive.model.ranks.job import RankRecord


def place_words(place: Place | None) -> str:
    """A line, for the middle of a sentence."""
    return str(place) if place is not None else "an unknown line"


def names_of(records: Iterable[RankRecord]) -> str:
    """Ranks as a sentence lists them: ``rank 0, rank 1 and 6 more``."""
    names = [record.words for record in records]
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nobody"


def verb_for(records: Sequence[RankRecord], one: str, several: str) -> str:
    """The form of a verb that fits so many."""
    return one if len(records) == 1 else several


def capital(text: str) -> str:
    """A text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]
