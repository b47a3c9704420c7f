"""When a run is over: the last state of its metrics, and its events."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from outlive.inside.notes.masking import mask_text
from outlive.model.findings import Verdict
from outlive.report.hooks.run_hook import HookFailed, run_hook
from outlive.report.share import Stranger
from outlive.report.telemetry.events import events_of
from outlive.report.terminal import names_to_hide

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
        run_hook([sys.executable, "-m", "outlive.report.telemetry"], told, os.environ, SECONDS)
    except HookFailed as error:
        complain(f"outlive: the OpenTelemetry endpoint did not accept the events: sending {error.message}.")  # fmt: skip
