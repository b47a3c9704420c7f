"""The driver of a job on Ray, as small as it can be: says how far it is, one JSON object a line.

python ray_job.py ADDRESS OUT ITEMS.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import fragile_task
from outlive.jobs.executor import TaskName
from outlive.jobs.leases.cut import leases_of
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.leases.parts import Parts
from outlive.jobs.leases.storage import FolderStorage
from outlive.jobs.ray.executor import RayExecutor

TASK = TaskName("fragile_task:make", {"most": 4}, ("fragile_task", "outlive.jobs.worker"))


def main(address: str, out: str, items: str) -> None:
    parts = Parts(FolderStorage(out))
    parts.look()
    leases = leases_of(json.loads(Path(items).read_text()), fragile_task.number_of, 8)
    left = (lease for lease in leases if not parts.was_done(lease.id))
    terms = Terms(TASK, fragile_task.number_of, fragile_task.nowhere)
    job = RayExecutor(terms, left, address, store=parts, say=lambda words: say({"says": words}))
    for some in job.run():
        progress = job.progress
        say({
            "answered": [one.item["n"] for one in some],
            "nodes": progress.nodes, "lost": progress.lost_nodes, "actors": progress.actors,
        })  # fmt: skip
    say({"finished": job.finished})


def say(told: object) -> None:
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
