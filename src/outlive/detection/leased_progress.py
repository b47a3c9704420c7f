"""What `outlive detect --merge` and `--status` say of a job that many work on."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict

from rich.text import Text

from outlive.detection.leased_job import Merged, merge
from outlive.errors import UsageError
from outlive.jobs.leases.open_storage import storage_at
from outlive.jobs.leases.parts import Parts
from outlive.jobs.leases.standing import Status, status_of
from outlive.report.terminal import console_on
from outlive.report.text import visible

#: So many shards that have not finished are named.
MOST_NAMED = 8


def tell_merged(out: str, as_json: bool) -> int:
    """Make the results; the exit status."""
    merged = merge(out)
    if as_json:
        print(json.dumps({"schema": "outlive.merge/1", **asdict(merged)}, indent=1))
    else:
        console = console_on(sys.stdout)
        text = f"{merged.done} done, {merged.quarantined} quarantined"
        console.print(Text(f"{text}.", "bold"), soft_wrap=True)
        console.print(Text(f"Results: {visible(merged.path)}"), soft_wrap=True)
        if merged.sheet is not None:
            console.print(Text(f"Contact sheet: {visible(merged.sheet)}"), soft_wrap=True)
        for line in _unfinished(merged):
            console.print(Text(line, "yellow"), soft_wrap=True)
    if merged.missing or merged.damaged:
        return 3
    return 1 if merged.quarantined else 0


def _unfinished(merged: Merged) -> list[str]:
    lines = []
    if merged.damaged:
        lines.append(
            f"{merged.damaged} result files were damaged and are removed: start the job again, then merge again."
        )
    if merged.missing:
        lines.append(
            f"Not finished: {named(merged.missing, merged.shards)}. Start again, then merge."
        )
    return lines


def named(missing: tuple[int, ...], shards: int) -> str:
    """Say which shards are meant, as far as that fits in a line."""
    told = ", ".join(str(index) for index in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"{'shard' if len(missing) == 1 else 'shards'} {told}{more} of {shards}"


def tell_status(out: str, as_json: bool) -> int:
    """Say how far the job in this folder is; the exit status."""
    parts = Parts(storage_at(out))
    if parts.job() is None:
        raise UsageError(
            f"There is no job with shards in {out}.",
            "Give the folder that was given as --out to `outlive detect --shard` or `--on ray`.",
        )
    status = status_of(parts)
    if as_json:
        print(json.dumps(_data(status), indent=1))
    else:
        console = console_on(sys.stdout)
        for line in lines_of(status, parts.address):
            console.print(Text(visible(line)), soft_wrap=True)
    return 0


def lines_of(status: Status, folder: str) -> list[str]:
    """What a person wants to know."""
    quarantined = sum(status.quarantined.values())
    of = f" of {status.inputs}" if status.inputs is not None else ""
    text = f"{status.answered}{of} inputs, {quarantined} quarantined"
    if status.rate and not status.finished:
        text += f", {status.rate:.1f}/s"
    if status.seconds_left is not None:
        text += f", about {status.seconds_left / 60:.0f} min left"
    lines = [f"{text}."]
    told = sorted(status.quarantined.items(), key=lambda one: -one[1])
    lines += [f"  {count} {cause}" for cause, count in told]
    working = status.working
    nodes = sum(one.nodes for one in working)
    lost = sum(one.lost_nodes for one in status.standings.values())
    hosts = f"{nodes} {'node' if nodes == 1 else 'nodes'} working"
    hosts += f", {lost} lost" if lost else ""
    if status.finished:
        merging = shlex.join(["outlive", "detect", "--merge", folder])
        lines.append(f"Finished. The results of all leases:  {merging}")
    elif working:
        lines.append(f"{hosts}. Not finished: {named(status.missing, status.shards)}.")
    elif status.shards:
        lines.append(
            f"Nobody is working. Not finished: {named(status.missing, status.shards)}. "
            "Resume with the same command (with --on ray add --resume)."
        )
    else:
        lines.append("Nothing has been begun.")
    return lines


def _data(status: Status) -> dict[str, object]:
    return {
        "schema": "outlive.status/1",
        "inputs": status.inputs,
        "done": status.done,
        "quarantined": sum(status.quarantined.values()),
        "causes": dict(status.quarantined),
        "rate": round(status.rate, 2),
        "seconds_left": status.seconds_left,
        "shards": status.shards,
        "missing": list(status.missing),
        "finished": status.finished,
        "nodes": sum(one.nodes for one in status.working),
        "lost_nodes": sum(one.lost_nodes for one in status.standings.values()),
        "standings": {name: asdict(one) for name, one in status.standings.items()},
    }
