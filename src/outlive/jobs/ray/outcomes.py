"""Outcomes that no actor is left to tell: read again from what it had committed, or made of the fact that it was lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from outlive.jobs.executor import Outcome
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.worker_death import Death
from outlive.model.findings import Ending, EndingKind, Verdict
from outlive.model.verdict_json import from_json


def kept_outcomes(
    terms: Terms, lease: Lease, record: Mapping[str, Any]
) -> list[tuple[int, Outcome]]:
    """What became of each input of a lease, as its file says."""
    places = {terms.name_of(item): at for at, item in enumerate(lease.items)}
    found = [
        (places[name], Outcome(lease.items[places[name]], value)) for name, value in record["done"]
    ]
    for one in record["quarantined"]:
        at = places[one["input"]]
        verdict = from_json(json.dumps(one["verdict"]))
        death = Death(one["worker"], busy=((one["stage"], ()),) if one["stage"] else ())
        found.append((at, Outcome(lease.items[at], None, death, verdict, one["host"])))
    return found


def lost_outcome(item: Any, name: str, host: str, times: int, words: str) -> Outcome:
    """One input whose actor was lost each time that it was tried alone. Nobody saw why, and that is what is said."""
    detail = f"was lost with its actor {times} times, this input alone in hand"
    verdict = Verdict(
        name,
        Ending(EndingKind.SIGNAL, detail=detail),
        (),
        {
            "how the actor ended": f"nobody was left on its machine to see it; Ray says: {words[:300]}"
        },
    )
    return Outcome(item, None, Death(0), verdict, host)
