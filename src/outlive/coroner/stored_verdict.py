"""The verdict that was stored when a run ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace

from outlive.coroner.mask_verdict import hidden
from outlive.model.fact_names import FactName
from outlive.model.findings import Fact, Verdict
from outlive.model.verdict_json import from_json, is_torn
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import content_of
from outlive.units.unit import cause, discover

#: The longest that was seen had 40 kB; one that is cut here is no JSON any more.
LARGEST_BYTES = 8_000_000


def stored_verdict(folder: str) -> Verdict | None:
    """The verdict that was made when the run ended; none when the disk was full, say, and it was cut off."""
    path = os.path.join(folder, run_folders.VERDICT_NAME)
    try:
        text = content_of(path, LARGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    return None if is_torn(text) else _with_units(hidden(from_json(text)))


def _with_units(verdict: Verdict) -> Verdict:
    """Give a number its unit where only the file of its cause has named the fact; the others have theirs already."""
    if not any(_lacks_unit(fact) for finding in verdict.findings for fact in finding.because):
        return verdict
    own = {unit.slug: _own_names(unit.ask.__module__) for unit in discover(cause)}
    findings = [
        replace(finding, because=tuple(_measured(fact, own.get(finding.slug, {})) for fact in finding.because))
        for finding in verdict.findings
    ]  # fmt: skip
    return replace(verdict, findings=findings)


def _lacks_unit(fact: Fact) -> bool:
    return fact.unit is None and type(fact.value) in (int, float)


def _own_names(module: str) -> dict[str, FactName]:
    names = vars(sys.modules[module]).values()
    return {str(name): name for name in names if isinstance(name, FactName)}


def _measured(fact: Fact, own: Mapping[str, FactName]) -> Fact:
    return replace(fact, name=own[fact.name]) if _lacks_unit(fact) and fact.name in own else fact
