"""From what was asked for to the job that does it: on this machine alone, or as a part of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from outlive.data.addresses import is_address
from outlive.detection.inputs import every_mention, inputs_from
from outlive.detection.job import Detection
from outlive.detection.leased_job import Actors, LeasedDetection
from outlive.detection.settings import PackageMissing, Settings
from outlive.errors import OutliveError, UsageError
from outlive.jobs.endure import WorkerFailed
from outlive.jobs.leases.standing import shard_of
from outlive.jobs.ray.cluster import address_of


def started(
    settings: Settings,
    inputs: Sequence[str],
    lists: Sequence[str],
    out: str,
    resume: bool,
    shard: str | None,
    on: str,
    actor_cpus: int,
    say: Callable[[str], None],
) -> Detection | LeasedDetection:
    """The job, with its folder; nothing is worked on yet."""
    if shard is not None and on != "local":
        raise UsageError("--shard is for machines without Ray.", "Drop --shard, or drop --on.")
    if shard is None and on == "local" and is_address(out):
        raise UsageError(
            f"--out {out} is in a store: such a job is done by shards, or on Ray.",
            "Add --shard 0/1, then --merge; or --on ray.",
        )
    if settings.draw and is_address(out):
        raise UsageError("--draw needs a folder for --out.", "Drop --draw, or give a folder.")
    if shard is None and on == "local":
        return Detection(settings, lambda: inputs_from(inputs, lists), out, resume)
    actors = Actors(address_of(on), actor_cpus, say) if shard is None else None
    mine = shard_of(shard) if shard is not None else None
    return LeasedDetection(
        settings, lambda: every_mention(inputs, lists), out, mine, resume, actors
    )


class Final(OutliveError):
    """A shard failed in a way in which it would fail again: whoever starts shards shall not try."""

    exit_code = 4


@contextmanager
def final(is_shard: bool) -> Iterator[None]:
    """Tell failures that are final from those that may not happen again."""
    try:
        yield
    except (WorkerFailed, PackageMissing) as error:
        if is_shard and getattr(error, "final", True):
            raise Final(error.message, error.help) from error
        raise
