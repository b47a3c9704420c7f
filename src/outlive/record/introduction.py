"""Who is recorded: the first entry of a record, with what surrounds the program when it is started."""

from __future__ import annotations

import os

from outlive.record.masking import mask_text
from outlive.record.sampling import process_stat

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from outlive.host import Host
    from outlive.record.baseline import Baseline

SHELLS = frozenset(
    {
        "sh",
        "bash",
        "dash",
        "zsh",
        "fish",
        "ksh",
        "busybox",
        "env",
        "nohup",
        "nice",
        "timeout",
        "time",
    }
)

#: Variables that change how TensorFlow behaves; their values are recorded (masked by shape), no others are.
TELLING_VARIABLES = (
    "TF_",
    "CUDA_VISIBLE_DEVICES",
    "XLA_",
    "KERAS_",
    "OMP_",
    "MALLOC_",
    "LD_PRELOAD",
    "PYTHONMALLOC",
)


#: Variables by which batch systems and orchestrators are known; the values of these are numbers of jobs, others are not kept.
JOB_NUMBERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "AWS_BATCH_JOB_ID")
SCHEDULER_VARIABLES = (
    *JOB_NUMBERS,
    "SLURM_JOB_PARTITION",
    "SLURM_RESTART_COUNT",
    "SGE_ROOT",
    "_CONDOR_SCRATCH_DIR",
    "KUBERNETES_SERVICE_HOST",
    "ECS_CONTAINER_METADATA_URI",
    "ECS_CONTAINER_METADATA_URI_V4",
    "BATCH_TASK_INDEX",
)


def introduction(
    host: Host,
    baseline: Baseline,
    pid: int,
    argv: Sequence[str],
    shown: Sequence[str],
    secrets: Sequence[str],
    rings: str | None,
    task_groups: Any,
) -> dict[str, Any]:
    """The program, its machine and its limits; ``shown`` is the command without its secrets."""
    from outlive.record.revision import revision_of

    system = os.uname()
    total, _ = host.memory()
    return {
        "kind": "run",
        "version": 1,
        "command": shown,
        "folder": working_folder(),
        "pid": pid,
        "supervisor": os.getpid(),
        "supervisor_started": getattr(process_stat(host, os.getpid()), "started", None),
        "shell": os.path.basename(argv[0]) in SHELLS,
        "time": baseline.time,
        "rings": rings,
        "host": {
            "system": system.sysname,
            "kernel": system.release,
            "machine": system.machine,
        },
        "memory_total": total,
        "limits": host.limits(pid),
        "task_groups": task_groups,
        "environment": {
            name: mask_text(value[:200], secrets)
            for name, value in os.environ.items()
            if name.startswith(TELLING_VARIABLES)
        },
        "scheduler": {
            name: mask_text(os.environ[name][:40], secrets) if name in JOB_NUMBERS else ""
            for name in SCHEDULER_VARIABLES
            if name in os.environ
        },
        "baseline": baseline.reading,
        "revision": revision_of(host, working_folder()),
        "terminal": bool(getattr(process_stat(host, pid), "terminal", 0)),
        "stderr": "passed" if baseline.stderr_start is None else "file",
    }


def working_folder() -> str:
    """Where the program was started."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""
