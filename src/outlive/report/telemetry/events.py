"""What happened in a run, as events: when, what, and the few values by which people filter. Pure."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outlive.inside.notes import kinds
from outlive.model.findings import EndingKind, Verdict
from outlive.report.telemetry.metrics_file import program_of

#: Kinds of records that are told, and what they are called.
TOLD = {
    kinds.SIGNAL: "outlive.signal",
    kinds.HANG: "outlive.hang",
    kinds.STOPPED: "outlive.stopped",
    kinds.CONTINUED: "outlive.continued",
}


def events_of(
    run: str,
    payloads: Iterable[Mapping[str, Any]],
    verdict: Verdict | None,
    command: Sequence[str],
    status: int,
) -> list[dict[str, Any]]:
    """The events of a run that is over, in the order of time. Whatever names a person or a path is masked in the verdict already."""
    payloads = list(payloads)
    start = next((it for it in payloads if it.get("kind") == kinds.RUN), {})
    began = float(start.get("time") or 0.0)
    common = {"outlive.run": run, "outlive.program": program_of(command)}
    events = [_event("outlive.run.started", began, "INFO", "The program was started.", common)]
    for it in payloads:
        if it.get("kind") in TOLD:
            more = {"outlive.signal": _signal(it["signal"])} if it.get("signal") else {}
            name = TOLD[it["kind"]]
            words = f"{name.removeprefix('outlive.')} {' '.join(more.values())}".strip()
            events.append(_event(name, began + float(it.get("at", 0)), "WARN", words, {**common, **more}))  # fmt: skip
    end = next((float(it.get("at", 0)) for it in payloads if it.get("kind") == kinds.END), 0.0)
    events.append(_end(began + end, end, verdict, common, status))
    return events


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _end(
    at: float, seconds: float, verdict: Verdict | None, common: Mapping[str, str], status: int
) -> dict[str, Any]:
    more: dict[str, Any] = {"outlive.seconds": seconds, "outlive.exit_status": status}
    if verdict is None or verdict.ending.kind is EndingKind.SUCCESS:
        return _event("outlive.run.ended", at, "INFO", "The program succeeded.", {**common, **more})
    ending, cause = verdict.ending, verdict.cause
    more |= {"outlive.ending": ending.kind.value, "outlive.ended_by": ending.by.value}
    if ending.signal:
        more["outlive.signal"] = ending.signal
    body = f"{ending.detail or ending.kind.value}; cause unknown."
    if cause is not None:
        body = cause.says
        more |= {
            "outlive.cause": cause.slug,
            "outlive.confidence": cause.confidence.name.lower(),
        }
        if cause.where is not None:
            more |= {
                "code.file.path": cause.where.file,
                "code.line.number": cause.where.line,
                "code.function.name": cause.where.function,
            }
    return _event("outlive.run.ended", at, "ERROR", body, {**common, **more})


def _event(
    name: str, at: float, severity: str, body: str, attributes: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "nanoseconds": int(at * 1e9),
        "severity": severity,
        "body": body,
        "attributes": dict(attributes),
    }
