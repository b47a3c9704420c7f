"""Who is recorded: the first entry of a record, with what surrounds the program when it is started."""

from __future__ import annotations

import os

from outlive.inside.notes import kinds
from outlive.inside.notes.masking import mask_and_cut
from outlive.recorder.job_membership import here, membership
from outlive.recorder.sampler import process_stat

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from outlive.inside.machine.host import Host
    from outlive.recorder.baseline import Baseline

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

#: Variables that change how TensorFlow, Python's memory and threads behave; their values are recorded (masked), no others are. By
#: their whole names: ``TF_VAR_db_password`` is Terraform's, and no beginning of a name says that its value is no secret.
TELLING_VARIABLES = frozenset(
    [
        "TF_CPP_MIN_LOG_LEVEL",
        "TF_CPP_MAX_VLOG_LEVEL",
        "TF_CPP_VMODULE",
        "TF_CPP_MIN_VLOG_LEVEL",
        "TF_ENABLE_ONEDNN_OPTS",
        "TF_DISABLE_MKL",
        "TF_XLA_FLAGS",
        "TF_DETERMINISTIC_OPS",
        "TF_CUDNN_DETERMINISTIC",
        "TF_CUDNN_USE_AUTOTUNE",
        "TF_CUDNN_USE_FRONTEND",
        "TF_CUDNN_RESET_RND_GEN_STATE",
        "TF_CUDNN_WORKSPACE_LIMIT_IN_MB",
        "TF_CUDNN_MAX_AUTOTUNE_ALGORITHM_COUNT",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "TF_FORCE_UNIFIED_MEMORY",
        "TF_GPU_ALLOCATOR",
        "TF_GPU_THREAD_MODE",
        "TF_GPU_THREAD_COUNT",
        "TF_GPU_HOST_MEM_LIMIT_IN_MB",
        "TF_PER_DEVICE_MEMORY_LIMIT_MB",
        "TF_CUDA_HOST_MEM_LIMIT_IN_MB",
        "TF_CUDA_MALLOC_ASYNC_SUPPORTED_PREALLOC",
        "TF_ENABLE_GPU_GARBAGE_COLLECTION",
        "TF_BFC_ALLOCATOR",
        "TF_NUM_INTRAOP_THREADS",
        "TF_NUM_INTEROP_THREADS",
        "TF_OVERRIDE_GLOBAL_THREADPOOL",
        "TF_USE_LEGACY_KERAS",
        "TF_KERAS",
        "TF_ENABLE_MLIR_OPTIMIZATIONS",
        "TF_MLIR_ENABLE_MERGE_CONTROL_FLOW_PASS",
        "TF_ENABLE_AUTO_MIXED_PRECISION",
        "TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE",
        "TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_IGNORE_PERFORMANCE",
        "TF_ENABLE_TENSOR_FLOAT_32_EXECUTION",
        "TF_TRT_ALLOW_ENGINE_NATIVE_SEGMENT_EXECUTION",
        "TF_DUMP_GRAPH_PREFIX",
        "TF_DATA_EXPERIMENT_OPT_IN",
        "TF_DATA_EXPERIMENT_OPT_OUT",
        "TF_RUN_EAGER_OP_AS_FUNCTION",
        "TF_MKL_ALLOC_MAX_BYTES",
        "TF_SYNC_ON_FINISH",
        "TF_GRPC_WORKER_CACHE_QUEUES",
        "TF_ADJUST_HUE_FUSED",
        "TF_WINOGRAD_NONFUSED",
        "TF_DISABLE_CUBLAS_TENSOR_OP_MATH",
        "TF_DISABLE_CUDNN_TENSOR_OP_MATH",
        "TF_DISABLE_CUDNN_RNN_TENSOR_OP_MATH",
        "TF2_BEHAVIOR",
        "XLA_FLAGS",
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        "XLA_PYTHON_CLIENT_MEM_FRACTION",
        "XLA_PYTHON_CLIENT_ALLOCATOR",
        "KERAS_BACKEND",
        "KERAS_HOME",
        "KERAS_FLOATX",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_LAUNCH_BLOCKING",
        "CUDA_DEVICE_ORDER",
        "CUDA_CACHE_DISABLE",
        "CUDA_CACHE_MAXSIZE",
        "CUDA_FORCE_PTX_JIT",
        "CUDA_MODULE_LOADING",
        "OMP_NUM_THREADS",
        "OMP_PROC_BIND",
        "OMP_PLACES",
        "OMP_DYNAMIC",
        "OMP_SCHEDULE",
        "OMP_WAIT_POLICY",
        "OMP_STACKSIZE",
        "OMP_THREAD_LIMIT",
        "OMP_NESTED",
        "OMP_MAX_ACTIVE_LEVELS",
        "KMP_BLOCKTIME",
        "KMP_AFFINITY",
        "KMP_SETTINGS",
        "KMP_DUPLICATE_LIB_OK",
        "KMP_STACKSIZE",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "MALLOC_ARENA_MAX",
        "MALLOC_ARENA_TEST",
        "MALLOC_CHECK_",
        "MALLOC_CONF",
        "MALLOC_MMAP_MAX_",
        "MALLOC_MMAP_THRESHOLD_",
        "MALLOC_PERTURB_",
        "MALLOC_TOP_PAD_",
        "MALLOC_TRIM_THRESHOLD_",
        "LD_PRELOAD",
        "PYTHONMALLOC",
        "PYTHONHASHSEED",
    ]
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
    job: str = "",
) -> dict[str, Any]:
    """The program, its machine, its limits and the job that it is a rank of; ``shown`` is the command without its secrets."""
    from outlive.recorder.git_revision import revision_of

    system = os.uname()
    total, _ = host.memory()
    return {
        "kind": kinds.RUN,
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
            **here(),
        },
        "memory_total": total,
        "limits": host.limits(pid),
        "task_groups": task_groups,
        "environment": {
            name: mask_and_cut(value, 200, secrets)
            for name, value in os.environ.items()
            if name in TELLING_VARIABLES
        },
        "scheduler": {
            name: mask_and_cut(os.environ[name], 40, secrets) if name in JOB_NUMBERS else ""
            for name in SCHEDULER_VARIABLES
            if name in os.environ
        },
        "job": _masked(membership(os.environ, job), secrets),
        "baseline": baseline.reading,
        "revision": revision_of(host, working_folder()),
        "terminal": bool(getattr(process_stat(host, pid), "terminal", 0)),
        "stderr": "passed" if baseline.stderr_start is None else "file",
    }


def _masked(found: dict[str, Any] | None, secrets: Sequence[str]) -> dict[str, Any] | None:
    """The rank that this is, without secrets: a name and the addresses are free texts."""
    if found is None:
        return None
    texts = {
        name: mask_and_cut(value, 200, secrets) if isinstance(value, str) else value
        for name, value in found.items()
    }
    addresses = found.get("addresses") or {}
    texts["addresses"] = {
        task: mask_and_cut(address, 200, secrets) for task, address in addresses.items()
    }
    return texts


def working_folder() -> str:
    """Where the program was started."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""
