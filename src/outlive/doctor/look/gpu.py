"""Read the GPUs, by asking the driver's own tool in a child: the driver may hang."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from outlive.doctor.look.notes import Notes
from outlive.inside.machine.host import Host, whole
from outlive.model.fact_names import GPU_DRIVER, GPUS
from outlive.model.installation import Gpu
from outlive.recorder.bounded_command import ask

SECONDS = 10
DRIVER = "/proc/driver/nvidia/version"
MIB = 1 << 20


def read_gpus(host: Host, variables: Mapping[str, str], notes: Notes) -> tuple[Gpu, ...]:
    """Read the GPUs and which processes hold their memory; none without a driver."""
    driver = (host.read(DRIVER) or "").splitlines()
    if driver:
        notes.add(GPU_DRIVER, driver[0].removeprefix("NVRM version: ").strip(), DRIVER)
    else:
        notes.miss(GPU_DRIVER, f"{DRIVER} does not exist: no NVIDIA driver is loaded")
    tool = shutil.which("nvidia-smi", path=variables.get("PATH"))
    if tool is None:
        notes.miss(GPUS, "nvidia-smi is not installed")
        return ()
    cards = _ask(tool, "--query-gpu=uuid,name,memory.total,memory.used")
    if isinstance(cards, str):
        notes.miss(GPUS, f"nvidia-smi: {cards}")
        return ()
    holders = _ask(tool, "--query-compute-apps=gpu_uuid,pid,process_name,used_memory")
    held: dict[str, list[str]] = {}
    for row in holders if not isinstance(holders, str) else []:
        if len(row) == 4:
            held.setdefault(row[0], []).append(f"{row[2]} ({row[1]}): {row[3]} MiB")
    notes.add(GPUS, len(cards), "nvidia-smi")
    return tuple(
        Gpu(row[1], _mib(row[2]), _mib(row[3]), tuple(held.get(row[0], ())))
        for row in cards
        if len(row) == 4
    )


def _ask(tool: str, query: str) -> list[list[str]] | str:
    """Rows of a table, or why there are none."""
    try:
        said = ask([tool, query, "--format=csv,noheader,nounits"], SECONDS)
    except OSError as error:
        return str(error)
    if said.status is None:
        return f"no answer within {SECONDS} s"
    if said.status:
        return (said.out + said.errors).strip().partition("\n")[0] or f"status {said.status}"
    return [[word.strip() for word in line.split(",")] for line in said.out.splitlines() if line]


def _mib(text: str) -> int | None:
    count = whole(text)
    return None if count is None else count * MIB
