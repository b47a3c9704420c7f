"""Read the graphics cards, by asking the driver's own tool in a child: the driver may hang."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

from outlive.host import Host, whole
from outlive.installed import Gpu
from outlive.look.notes import Notes

SECONDS = 10
DRIVER = "/proc/driver/nvidia/version"
MIB = 1 << 20


def read_gpus(host: Host, variables: Mapping[str, str], notes: Notes) -> tuple[Gpu, ...]:
    """The cards and who holds their memory; none where there is no driver."""
    driver = (host.read(DRIVER) or "").splitlines()
    if driver:
        notes.add("gpu driver", driver[0].removeprefix("NVRM version: ").strip(), DRIVER)
    else:
        notes.miss("gpu driver", f"{DRIVER} does not exist: no NVIDIA driver is loaded")
    tool = shutil.which("nvidia-smi", path=variables.get("PATH"))
    if tool is None:
        notes.miss("gpus", "nvidia-smi is not installed")
        return ()
    cards = _ask(tool, "--query-gpu=uuid,name,memory.total,memory.used")
    if isinstance(cards, str):
        notes.miss("gpus", f"nvidia-smi: {cards}")
        return ()
    holders = _ask(tool, "--query-compute-apps=gpu_uuid,pid,process_name,used_memory")
    held: dict[str, list[str]] = {}
    for row in holders if not isinstance(holders, str) else []:
        if len(row) == 4:
            held.setdefault(row[0], []).append(f"{row[2]} ({row[1]}): {row[3]} MiB")
    notes.add("gpus", len(cards), "nvidia-smi")
    return tuple(
        Gpu(row[1], _mib(row[2]), _mib(row[3]), tuple(held.get(row[0], ())))
        for row in cards
        if len(row) == 4
    )


def _ask(tool: str, query: str) -> list[list[str]] | str:
    """Rows of a table, or why there are none."""
    try:
        done = subprocess.run(
            [tool, query, "--format=csv,noheader,nounits"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} s"
    except OSError as error:
        return str(error)
    if done.returncode:
        return (done.stdout + done.stderr).strip().partition("\n")[0] or f"status {done.returncode}"
    return [[word.strip() for word in line.split(",")] for line in done.stdout.splitlines() if line]


def _mib(text: str) -> int | None:
    count = whole(text)
    return None if count is None else count * MIB
