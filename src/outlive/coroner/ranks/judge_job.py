"""The verdict on a job, from what is recorded of its ranks."""

from __future__ import annotations

from outlive.coroner.mask_verdict import hidden
from outlive.coroner.ranks.first_culprit import decide_job
from outlive.coroner.ranks.records import latest_launch, rank_record
from outlive.model.ranks.job import JobVerdict
from outlive.recorder.store.entries import reading_once


def judge_job(job: str | None) -> JobVerdict:
    """Judge the last launch of a job; without a name, of the job that was started last."""
    launch = latest_launch(job)
    records = []
    for found in launch:
        with (
            reading_once()
        ):  # of each rank for itself: a job of thousands must not be held in memory
            records.append(rank_record(found))
    largest = max(launch, key=lambda it: it.member.size or 0)
    verdict: JobVerdict = hidden(decide_job(largest.member, records))
    return verdict
