"""From the record of a run to its verdict: of a program that runs a notebook, what its kernel died of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.evidence import Evidence
from outlive.examine import decide
from outlive.foresight import foreseen, forewarned
from outlive.model import Verdict
from outlive.record.kernels import failed_kernel
from outlive.record.probes import gather


def judge(
    name: str, payloads: Sequence[Mapping[str, Any]], rings: str | None
) -> tuple[Verdict, Evidence]:
    """The verdict on a run, and the evidence that it rests on."""
    evidence = gather(payloads, rings)
    kernel = failed_kernel(evidence, rings)
    if kernel is None:
        return _with_foresight(decide(name, evidence), evidence), evidence
    verdict = _with_foresight(decide(name, kernel), kernel)
    detail = f"{evidence.ending.detail}; its notebook's kernel: {kernel.ending.detail}"
    return replace(verdict, ending=replace(evidence.ending, detail=detail)), kernel


def _with_foresight(verdict: Verdict, evidence: Evidence) -> Verdict:
    """What could have been told before the run, where that is true."""
    return forewarned(foreseen(verdict, evidence.program.folder), evidence)
