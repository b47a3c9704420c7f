"""The nouns of `outlive run --heal`: a death that may be healed, and what is different in the next attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlive.inside.notes.links import Link
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of the next attempt from the one that died."""

    remedy: str  #: a short name; none is tried twice
    says: str  #: what is done, as a sentence for the person
    switches: tuple[str, ...] = ()  #: of `outlive run`
    variables: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[Link, str] = field(default_factory=dict)  #: beside the rings, for the inside
    open_files: int | None = None  #: the soft limit


@dataclass(frozen=True, slots=True)
class Case:
    """A death, and all that a remedy may know of it."""

    verdict: Verdict
    evidence: Evidence
    folder: str  #: of the run that died
    open_files: tuple[int, int] = (0, 0)  #: soft and hard limit
    batches_tried: tuple[int, ...] = ()  #: by an `outlive.adaptive` when it died
    brake_on: bool = False
    checkpoints: tuple[str, ...] = ()  #: that it saved and that are there now
    saved_before: Mapping[str, str] = field(
        default_factory=dict
    )  #: checkpoints that were there when it was started again, and who had saved them
    main: tuple[str, int] | None = (
        None  #: the text of its main module, and the line there that it stood at
    )
    may_be_ended: bool = False  #: it hangs, and the person has said how long that may be


#: What a remedy says: a change; why not, where that is worth a word; or nothing.
Answer = Change | str | None
