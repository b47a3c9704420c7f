"""When a run is over: the last state of its metrics, and its events."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from outlive.errand import ErrandFailed, run_errand
from outlive.model import Verdict
from outlive.record.masking import mask_text
from outlive.report.share import Stranger
from outlive.showing import names_to_hide
from outlive.telemetry.events import events_of

SECONDS = 15.0


def send_events(
    run: str,
    payloads: Iterable[Mapping[str, Any]],
    verdict: Verdict | None,
    command: Sequence[str],
    status: int,
    complain: Callable[[str], object],
) -> None:
    """Hand the events over, in a child that may fail; what leaves the machine is masked."""
    if verdict is not None:
        verdict = Stranger(mask_text, names_to_hide()).verdict(verdict)
    events = events_of(run, payloads, verdict, command, status)
    told = json.dumps(events).encode()
    try:
        run_errand([sys.executable, "-m", "outlive.telemetry"], told, os.environ, SECONDS)
    except ErrandFailed as error:
        complain(f"outlive: the events were not taken by OpenTelemetry's endpoint: sending {error.message}.")  # fmt: skip
