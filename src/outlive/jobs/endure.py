"""A job with a memory: what it answers is on the disk before anybody is told, and what it condemns has a verdict."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.jobs.executor import CannotWork, Executor, Outcome
from outlive.jobs.results_journal import Journal, writing
from outlive.jobs.schedule import Fall
from outlive.jobs.worker_death import Death
from outlive.jobs.worker_verdict import verdict_on_worker
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass
from outlive.model.verdict_json import to_data

QUARANTINE_NAME = "quarantine.jsonl"

#: Results wait this long at most before they are written: a write to the disk for each would cost more than most models.
COMMIT_SECONDS = 0.25
MOST_UNWRITTEN = 512


@dataclass(frozen=True, slots=True)
class Answer:
    """One input and what became of it: a value, or the verdict on the worker that died of it."""

    name: str
    value: Any = None
    verdict: Verdict | None = None
    stage: str = ""  #: what was being done when it failed
    host: str = ""  #: where it failed
    worker: int = 0  #: … and the number of the process

    @property
    def good(self) -> bool:
        """Whether there is a value."""
        return self.verdict is None

    @property
    def cause(self) -> str:
        """The slug of the cause, or that nobody knows."""
        if self.verdict is None:
            return ""
        return self.verdict.cause.slug if self.verdict.cause else "unknown"

    @property
    def says(self) -> str:
        """The sentence of the verdict."""
        if self.verdict is None:
            return ""
        if self.verdict.cause is not None:
            return self.verdict.cause.says
        return f"The worker {self.verdict.ending.detail}; no known cause matches."


class WorkerFailed(OutliveError):
    """The task fails with any input; with the verdict on it."""

    final = True  #: it would fail again


def endure(
    executor: Executor,
    journal: Journal | None,
    name_of: Callable[[Any], str],
    path_of: Callable[[Any], str] = lambda item: "",
    as_json: Callable[[Any], Any] | None = None,
) -> Iterator[Sequence[Answer]]:
    """The answers of an executor as they are safe; sometimes none, so that the caller can look around.

    ``as_json`` makes of a value what the journal can hold, where it is not that already.
    """
    unwritten: list[Answer] = []
    since = time.monotonic()
    try:
        for outcomes in executor.run():
            if outcomes and not unwritten:
                since = time.monotonic()
            for one in outcomes:
                name = name_of(one.item)
                if one.death is None:
                    unwritten.append(Answer(name, one.value))
                else:
                    verdict = one.verdict or verdict_on_worker(one.death, name, path_of(one.item))
                    unwritten.append(refused(one, one.death, name, verdict))
            due = time.monotonic() - since > COMMIT_SECONDS or len(unwritten) >= MOST_UNWRITTEN
            if unwritten and (due or journal is None):
                written, unwritten = unwritten, []
                _write(journal, written, as_json)
                yield written
            else:
                yield ()
    except CannotWork as failure:
        _write(journal, unwritten, as_json)
        raise _explained(failure) from failure
    if unwritten:
        _write(journal, unwritten, as_json)
        yield unwritten


def refused(outcome: Outcome, death: Death, name: str, verdict: Verdict) -> Answer:
    """The answer to an input that a worker died of."""
    stage = death.busy[0][0] if death.busy else ""
    host = outcome.host or os.uname().nodename
    return Answer(name, None, verdict, stage, host, death.pid)


def _explained(failure: CannotWork) -> WorkerFailed:
    """With what the coroner says of it."""
    told = _told(failure)
    told.final = bool(failure.death.thrown) or failure.death.fall is not Fall.OUTSIDE
    return told


def _told(failure: CannotWork) -> WorkerFailed:
    verdict = verdict_on_worker(failure.death, "")
    cause = verdict.cause
    if cause is None or failure.death.thrown.get("slug"):
        return WorkerFailed(failure.message, failure.help)
    remedy = cause.remedies[0].text if cause.remedies else ""
    told = f"{failure.message}\n         {cause.says}  [{cause.slug}]"
    return WorkerFailed(told if not failure.death.thrown else failure.message, remedy)


def _write(
    journal: Journal | None, answers: Sequence[Answer], as_json: Callable[[Any], Any] | None
) -> None:
    if journal is None or not answers:
        return
    record = record_of(answers, as_json)
    bad = record["quarantined"]
    journal.append(record)
    if bad:  # for whoever watches; the journal is what counts
        path = os.path.join(journal.folder, QUARANTINE_NAME)
        with writing(journal.folder), open(path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in bad)


def record_of(
    answers: Sequence[Answer], as_json: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """What is written of these answers."""
    good = [[one.name, as_json(one.value) if as_json else one.value] for one in answers if one.good]
    return {"done": good, "quarantined": [entry(one) for one in answers if not one.good]}


def entry(answer: Answer) -> dict[str, Any]:
    """One line of the quarantine."""
    assert answer.verdict is not None
    return {
        "input": answer.name,
        "cause": answer.cause,
        "says": answer.says,
        "stage": answer.stage,
        "host": answer.host,
        "worker": answer.worker,
        "verdict": to_data(answer.verdict),
    }


def done_before(journal: Journal) -> tuple[set[str], int]:
    """The names of all inputs that are answered already, and how many of them are in quarantine."""
    names: set[str] = set()
    quarantined = 0
    for record in journal.records():
        names.update(name for name, _ in record["done"])
        names.update(one["input"] for one in record["quarantined"])
        quarantined += len(record["quarantined"])
    return names, quarantined


def in_quarantine(records: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """All that is in quarantine, from the journal."""
    for record in records:
        yield from record["quarantined"]
