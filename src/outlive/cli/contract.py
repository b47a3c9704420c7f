"""What the command line takes and gives beside its options: environment variables and exit statuses. The help and the manual are made of it."""

from __future__ import annotations

from collections.abc import Mapping

from outlive.model.quick_dataclass import dataclass

STATUSES: Mapping[int, str] = {
    0: "nothing found",
    1: "findings",
    2: "wrong usage",
    3: "Outlive failed",
    4: "a shard is final: trying again would end the same way",
}

#: What `outlive run` gives when there is no program whose status it could give.
STATUSES_OF_RUN: Mapping[int, str] = {
    2: "wrong usage; nothing was run",
    3: "Outlive failed before the program was started",
    126: "the command cannot be run (as in a shell)",
    127: "command not found (as in a shell)",
}


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that Outlive reads or sets."""

    name: str
    says: str
    by_you: bool = False  #: for people to set, and named in the help
    by_outlive: bool = False  #: set by Outlive for a process that it starts


VARIABLES = (
    Variable("OUTLIVE_HOME", "where runs are recorded (default: the user's state directory)", True),
    Variable("OUTLIVE_ON_DEATH", "a command to run after a death, like run --on-death", True),
    Variable("OUTLIVE_TOKEN", "the secret that the agents of doctor --cluster share", True),
    Variable("NO_COLOR", "no colours", True),
    Variable(
        "OUTLIVE_RUN", "the name of the run, for the command of --on-death", by_outlive=True
    ),
    Variable(
        "OUTLIVE_RECORD_FOLDER",
        "where the recorder in a watched program writes; set for the program by outlive run",
        by_outlive=True,
    ),
    Variable(
        "OUTLIVE_TESTS", "the journal of pytest --outlive; set for the recorded pytest", by_outlive=True
    ),
    Variable(
        "OUTLIVE_HEAL_STATE",
        "state passed between attempts of run --heal; the program does not see it",
        by_outlive=True,
    ),
    Variable(
        "OUTLIVE_REHEARSE",
        "where a rehearsal counts steps; outlive run takes it away, the program does not see it",
        by_outlive=True,
    ),
    Variable("_OUTLIVE_COMPLETE", "set by the shell completion (outlive completion)", by_outlive=True),
    Variable("PYTHONPATH", "Outlive prepends one folder for the watched program, which then removes itself from sys.path", by_outlive=True),
    Variable("XDG_STATE_HOME", "the user's state directory, if OUTLIVE_HOME is not set"),
    Variable("TMPDIR", "where runs are recorded if the state directory is not writable"),
    Variable("TERM", "dumb: no live view"),
    Variable("TF_CPP_MIN_LOG_LEVEL", "set for the Python that outlive plan starts, unless already set", by_outlive=True),
    Variable("GITHUB_ACTIONS", "true in a GitHub workflow: findings are annotated in the pull request"),
    Variable("GITHUB_STEP_SUMMARY", "the job summary file, in a GitHub workflow"),
    Variable("GITHUB_WORKSPACE", "the checkout, in a GitHub workflow: annotations name files below it"),
    Variable("OTEL_EXPORTER_OTLP_ENDPOINT", "where run --otel sends events; the other standard OTEL_ variables work too"),
    Variable("OTEL_SERVICE_NAME", "the service name for run --otel (default: outlive)"),
    Variable("RAY_memory_usage_threshold", "with --on ray: when Ray's memory monitor kills actors; the workers of a node stay below"),
    Variable("RAY_gcs_rpc_server_reconnect_timeout_s", "set to 600 for the driver of --on ray, unless already set: how long it waits for the head", by_outlive=True),
    Variable("OMP_NUM_THREADS", "with --on ray: set for the workers of an actor to its number of cores", by_outlive=True),
    Variable("PYTHONBREAKPOINT", "with --on ray: 0 for the workers of an actor, since nobody could answer", by_outlive=True),
    Variable("TF_CONFIG", "the cluster that doctor --cluster checks; which task of which job a rank is"),
    Variable("SLURM_JOB_NODELIST", "the cluster that doctor --cluster checks, in a Slurm job"),
    Variable("SLURM_PROCID", "which task of a job reports what doctor --cluster found; which rank of a job this is"),
    Variable("TORCHELASTIC_ERROR_FILE", "where torchrun looks for the words of a rank that failed: there goes the verdict"),
    Variable("TORCHELASTIC_RUN_ID", "which job a rank belongs to, under torchrun"),
    Variable("TORCHELASTIC_RESTART_COUNT", "how often torchrun has started a job again"),
    Variable("RANK", "which rank of a job this is; likewise OMPI_COMM_WORLD_RANK and PMI_RANK"),
    Variable("WORLD_SIZE", "how many ranks there are; likewise OMPI_COMM_WORLD_SIZE and PMI_SIZE"),
    Variable("OMPI_COMM_WORLD_RANK", "which rank of a job this is, under Open MPI"),
    Variable("OMPI_COMM_WORLD_SIZE", "how many ranks there are, under Open MPI"),
    Variable("PMI_RANK", "which rank of a job this is, under MPICH and Intel MPI"),
    Variable("PMI_SIZE", "how many ranks there are, under MPICH and Intel MPI"),
    Variable("PMI_JOBID", "which job a rank belongs to, under MPICH"),
    Variable("PMIX_NAMESPACE", "which job a rank belongs to, under Open MPI; else OMPI_MCA_ess_base_jobid"),
    Variable("OMPI_MCA_ess_base_jobid", "which job a rank belongs to, under Open MPI"),
    Variable("MASTER_ADDR", "which job a rank belongs to: the address of rank 0, with MASTER_PORT"),
    Variable("MASTER_PORT", "which job a rank belongs to: the port of rank 0"),
    Variable("RAY_JOB_ID", "tells that Ray started a rank"),
    Variable("SLURM_JOB_ID", "which job a rank belongs to, in a step of Slurm"),
    Variable("SLURM_STEP_ID", "which step of a Slurm job a rank belongs to"),
    Variable("SLURM_NTASKS", "how many ranks there are, in a Slurm job"),
    Variable("SLURM_STEP_NUM_TASKS", "how many ranks there are, in a step of Slurm"),
    Variable("SLURM_RESTART_COUNT", "how often Slurm has started a job again"),
    Variable("PATH", "where commands are searched for"),
    Variable("HOME", "where doctor looks for caches and kernels"),
    Variable("XDG_CACHE_HOME", "where doctor looks for caches"),
    Variable("XDG_DATA_HOME", "where doctor looks for Jupyter kernels"),
    Variable("KERAS_HOME", "where doctor looks for the Keras cache"),
    Variable("JUPYTER_PATH", "where doctor looks for Jupyter kernels"),
    Variable("JUPYTER_DATA_DIR", "where doctor looks for Jupyter kernels"),
    Variable("JUPYTER_CONFIG_DIR", "where doctor looks for Jupyter settings"),
    Variable("JUPYTER_DEFAULT_PROVISIONER_NAME", "tells doctor whether notebooks are recorded"),
    Variable("LD_LIBRARY_PATH", "where doctor looks for shared libraries"),
    Variable("LD_PRELOAD", "tells doctor which allocator is used"),
    Variable("MALLOC_ARENA_MAX", "tells doctor how the allocator is configured"),
)  # fmt: skip


def epilog() -> str:
    """The end of the help."""
    told = ", ".join(f"{status} {says}" for status, says in STATUSES.items())
    lines = [f"Exit statuses: {told}.", "`outlive run` returns the program's status."]
    yours = [variable for variable in VARIABLES if variable.by_you]
    width = max(len(variable.name) for variable in yours)
    names = [f"{variable.name:<{width}}  {variable.says}" for variable in yours]
    return "\n".join(["\b", *lines, "\b", *names])
