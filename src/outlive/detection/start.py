"""From what was asked for to the job that does it: on this machine alone, or as a part of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from outlive.detection.inputs import every_mention, inputs_from
from outlive.detection.job import Detection
from outlive.detection.leased_job import LeasedDetection
from outlive.detection.settings import PackageMissing, Settings
from outlive.errors import OutliveError
from outlive.jobs.endure import WorkerFailed
from outlive.jobs.leases.standing import shard_of
from outlive.jobs.zygote_client import ImportFailed


def started(
    settings: Settings,
    inputs: Sequence[str],
    lists: Sequence[str],
    out: str,
    resume: bool,
    shard: str | None,
) -> Detection | LeasedDetection:
    """The job, with its folder; nothing is worked on yet."""
    if shard is None:
        return Detection(settings, lambda: inputs_from(inputs, lists), out, resume)
    return LeasedDetection(settings, lambda: every_mention(inputs, lists), out, shard_of(shard))


class Final(OutliveError):
    """A shard failed in a way in which it would fail again: whoever starts shards shall not try."""

    exit_code = 4


@contextmanager
def final(is_shard: bool) -> Iterator[None]:
    """Tell failures that are final from those that another try may mend."""
    try:
        yield
    except (WorkerFailed, ImportFailed, PackageMissing) as error:
        if is_shard and getattr(error, "final", True):
            raise Final(error.message, error.help) from error
        raise
