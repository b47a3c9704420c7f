"""Which rank of which job this process is: asked of the environment that its launcher gave it.

The first of these that tells a rank tells the job too, the nearest launcher before the one around it:

1. torchrun: ``TORCHELASTIC_RUN_ID`` with ``RANK`` and ``WORLD_SIZE``
2. TensorFlow: ``TF_CONFIG`` with a cluster of more than one task and a task
3. Open MPI: ``OMPI_COMM_WORLD_RANK``
4. MPICH and Intel MPI: ``PMI_RANK``
5. ``RANK`` and ``WORLD_SIZE`` with ``MASTER_ADDR`` (Ray Train, Accelerate, DeepSpeed, by hand)
6. Slurm: ``SLURM_PROCID`` of a step (``srun``)

A job of one rank is none. ``--job NAME`` names the job whatever tells the rank, and where nothing does.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Environment = Mapping[str, str]
    Found = dict[str, Any]

#: torchrun's name for a run that was given none; many jobs have it.
UNNAMED = ("", "none")

#: A cluster may have thousands of tasks; more addresses than this help nobody, and the entry must stay small.
MOST_TASKS = 1000


def membership(environment: Environment, given: str = "") -> Found | None:
    """Tell job, rank, size and launcher; nothing for a program that is no rank of a job and was given no job."""
    found = next((told for tell in TELLERS if (told := tell(environment)) is not None), None)
    if given:
        return {**(found or {"rank": "", "launcher": ""}), "name": given}
    if found is None or found.get("size") == 1:
        return None
    return found


def _torchrun(environment: Environment) -> Found | None:
    if "TORCHELASTIC_RUN_ID" not in environment:
        return None
    found = _numbered(environment, "RANK", "WORLD_SIZE")
    if found is None:
        return None
    run = environment["TORCHELASTIC_RUN_ID"]
    name = f"torchrun-{run}" if run not in UNNAMED else f"torchrun-{_master(environment)}"
    attempt = _whole(environment.get("TORCHELASTIC_RESTART_COUNT"))
    return {**found, "name": name, "launcher": "torchrun", "attempt": attempt or 0}


def _tensorflow(environment: Environment) -> Found | None:
    text = environment.get("TF_CONFIG")
    if not text:
        return None
    import json
    import zlib

    try:
        told = json.loads(text)
        cluster, task = told["cluster"], told["task"]
        kind, index = str(task["type"]), int(task["index"])
        addresses = {
            f"{job}/{number}": str(address)
            for job, tasks in sorted(cluster.items())
            for number, address in _numbered_tasks(tasks)
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # TensorFlow will say what is wrong with it
    if not addresses:
        return None
    name = f"tf-{zlib.crc32(json.dumps(cluster, sort_keys=True).encode()):08x}"
    return {
        "name": name,
        "rank": f"{kind}/{index}",
        "size": len({*addresses, f"{kind}/{index}"}),
        "launcher": "TF_CONFIG",
        "addresses": dict(list(addresses.items())[:MOST_TASKS]),
    }


def _numbered_tasks(tasks: Any) -> list[tuple[int, Any]]:
    """The tasks of a job: a list of addresses, or a table with some of them by number."""
    if isinstance(tasks, dict):
        return [(int(number), address) for number, address in sorted(tasks.items())]
    return list(enumerate([tasks] if isinstance(tasks, str) else tasks))


def _open_mpi(environment: Environment) -> Found | None:
    found = _numbered(environment, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    if found is None:
        return None
    space = environment.get("PMIX_NAMESPACE") or environment.get("OMPI_MCA_ess_base_jobid") or "job"
    return {**found, "name": f"mpi-{space}", "launcher": "mpirun"}


def _mpich(environment: Environment) -> Found | None:
    found = _numbered(environment, "PMI_RANK", "PMI_SIZE")
    if found is None:
        return None
    job = environment.get("SLURM_JOB_ID") or environment.get("PMI_JOBID") or "job"
    return {**found, "name": f"mpi-{job}", "launcher": "mpiexec"}


def _plain(environment: Environment) -> Found | None:
    if not environment.get("MASTER_ADDR"):
        return None
    found = _numbered(environment, "RANK", "WORLD_SIZE")
    if found is None:
        return None
    by = "Ray" if environment.get("RAY_JOB_ID") else "RANK"
    return {**found, "name": _master(environment), "launcher": by}


def _slurm(environment: Environment) -> Found | None:
    """A step that ``srun`` started; a batch script alone is told rank 0 too, and is none."""
    step = environment.get("SLURM_STEP_ID")
    size = "SLURM_STEP_NUM_TASKS" if "SLURM_STEP_NUM_TASKS" in environment else "SLURM_NTASKS"
    found = _numbered(environment, "SLURM_PROCID", size)
    if found is None or not step:
        return None
    job = environment.get("SLURM_JOB_ID", "")
    attempt = _whole(environment.get("SLURM_RESTART_COUNT"))
    return {**found, "name": f"slurm-{job}.{step}", "launcher": "srun", "attempt": attempt or 0}


def _master(environment: Environment) -> str:
    """Where rank 0 listens, which all ranks are told."""
    return f"{environment.get('MASTER_ADDR', '')}:{environment.get('MASTER_PORT', '')}"


def _numbered(environment: Environment, rank: str, size: str) -> Found | None:
    number = _whole(environment.get(rank))
    if number is None:
        return None
    return {"rank": str(number), "size": _whole(environment.get(size))}


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


TELLERS: tuple[Callable[[Environment], Found | None], ...] = (
    _torchrun, _tensorflow, _open_mpi, _mpich, _plain, _slurm,
)  # fmt: skip


def here() -> dict[str, str]:
    """The machine of this process: its name, its last start and its numbering of processes. Two that agree share a clock and process numbers."""
    return {"name": os.uname().nodename, "boot": _boot(), "pids": _pids()}


def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _pids() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
