"""What `outlive fix` has found, as a person and as a program read it. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from outlive.keep.fix.propose import Proposal
from outlive.keep.fix.verify import Verified
from outlive.model.findings import Finding
from outlive.model.quick_dataclass import dataclass

SCHEMA = "outlive.fix/1"


@dataclass(frozen=True, slots=True)
class Tried:
    """A patch, and what was seen of it; nothing where it was not run."""

    proposal: Proposal
    verified: Verified | None = None
    not_run: str = ""  #: why it was not

    @property
    def works(self) -> bool:
        """Whether it was seen to help."""
        return self.verified is not None and self.verified.yes

    @property
    def says(self) -> str:
        """One line about what was seen."""
        if self.verified is None:
            return f"not verified, because {self.not_run}"
        return (
            f"verified: {self.verified.says}"
            if self.verified.yes
            else f"not verified, because {self.verified.says}"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that was found for one run."""

    run: str
    cause: Finding | None
    tried: Sequence[Tried] = ()
    reasons: Sequence[str] = ()  #: why there is no patch, or no other one
    notes: Sequence[str] = ()  #: about the rehearsal
    applied: str = ""  #: the file that was changed
    backup: str = ""

    @property
    def best(self) -> Tried | None:
        """The patch to show: the first that works, else the first."""
        return next((one for one in self.tried if one.works), next(iter(self.tried), None))


def as_json(outcome: Outcome) -> str:
    """Write an outcome as one JSON object (schema `outlive.fix/1`)."""
    best = outcome.best
    return json.dumps(
        {
            "schema": SCHEMA,
            "run": outcome.run,
            "cause": outcome.cause.slug if outcome.cause else None,
            "patch": _patch(best) if best else None,
            "tried": [_patch(one) for one in outcome.tried],
            "reasons": list(outcome.reasons),
            "remedies": [one.text for one in outcome.cause.remedies] if outcome.cause else [],
            "notes": list(outcome.notes),
            "applied": outcome.applied or None,
            "backup": outcome.backup or None,
        },
        indent=1,
        ensure_ascii=False,
    )


def _patch(one: Tried) -> dict[str, object]:
    patch = one.proposal.patch
    return {
        "fix": one.proposal.slug,
        "cause": one.proposal.cause,
        "file": one.proposal.path,
        "says": patch.says,
        "results": patch.results,
        "diff": one.proposal.diff,
        "verified": one.works,
        "because": one.says,
    }
