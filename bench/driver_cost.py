"""What the driver of a job on Ray costs for each input: CPU and memory, with a model that does nothing.

    python bench/driver_cost.py [COUNT...]

Makes so many empty files, a thousand in a folder, lists them, cuts them into leases and has them done by actors on a cluster of one node. CPU is that of the
driver's process with all of its threads, Ray's included; what actors and the cluster use is not in it. Memory is what the driver has more at its end than when it
was connected. Needs Ray.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPERS = ROOT / "tests" / "helpers"
sys.path[:0] = [str(HELPERS), str(ROOT / "src")]

from outlive.detection.inputs import every_mention  # noqa: E402
from outlive.detection.items import Items, name_of, path_of  # noqa: E402
from outlive.inside.machine.resident import anonymous_bytes  # noqa: E402
from outlive.jobs.executor import TaskName  # noqa: E402
from outlive.jobs.leases.cut import leases_of  # noqa: E402
from outlive.jobs.leases.lease_worker import Terms  # noqa: E402
from outlive.jobs.leases.parts import Parts  # noqa: E402
from outlive.jobs.leases.storage import FolderStorage  # noqa: E402
from outlive.jobs.ray.executor import RayExecutor  # noqa: E402
from ray_processes import Talking  # noqa: E402

COUNTS = (10_000, 100_000, 1_000_000)
IN_A_FOLDER = 1000
TASK = TaskName("null_task:make", {}, ("null_task", "outlive.jobs.worker"))


def made(folder: Path, count: int) -> None:
    for number in range(0, count, IN_A_FOLDER):
        mine = folder / f"{number:09}"
        mine.mkdir(parents=True)
        for at in range(number, min(count, number + IN_A_FOLDER)):
            os.close(os.open(mine / f"{at:09}.jpg", os.O_CREAT | os.O_WRONLY))


def measure(address: str, folder: Path, count: int) -> None:
    pictures, out = folder / "pictures", folder / "out"
    made(pictures, count)
    items = Items(lambda: every_mention([str(pictures)]), 1, str(out), everywhere=True)
    began = time.process_time()
    leases = sum(1 for _ in leases_of(items, name_of))
    listed = time.process_time() - began
    terms = Terms(TASK, name_of, path_of, most=256)
    job = RayExecutor(
        terms, leases_of(items, name_of), address, store=Parts(FolderStorage(str(out)))
    )
    before, clock, began = anonymous_bytes(), time.monotonic(), time.process_time()
    peak = done = 0
    for some in job.run():
        done += len(some)
        peak = max(peak, anonymous_bytes())
    used, seconds = time.process_time() - began, time.monotonic() - clock
    assert done == count, (done, count)
    parts = Parts(FolderStorage(str(out)))
    again = time.process_time()
    parts.look()
    looked = time.process_time() - again
    print(
        f"{count:>9} inputs, {leases} leases: driver {used / count * 1e6:.1f} µs of CPU an input "
        f"({listed / count * 1e6:.1f} of them to list and to cut), {(peak - before) / count:.1f} bytes an input "
        f"({(peak - before) / 1e6:.1f} MB more at most); {seconds:.0f} s; index of what is done: "
        f"{looked / leases * 1e6:.1f} µs and 8 bytes a lease",
        flush=True,
    )


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or COUNTS
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {
            "HOME": home,
            "OUTLIVE_HOME": f"{home}/outlive",
            "PYTHONPATH": os.pathsep.join([str(HELPERS), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
        }  # fmt: skip
        cluster = Talking(os.environ, "ray_cluster.py", "1", "2")
        address = cluster.heard()["address"]
        try:
            for count in counts:
                folder = Path(home) / str(count)
                measure(address, folder, count)
                shutil.rmtree(folder)
        finally:
            cluster.end()


if __name__ == "__main__":
    main()
