"""No further thread or process could be started."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

NO_THREAD = re.compile(
    r"can't start new thread|pthread_create(?:\(\))? failed|failed to create thread|Thread \S+ creation via pthread_create"
    r"|std::system_error.*Resource temporarily unavailable|Resource temporarily unavailable.*std::system_error"
)

#: Python's words for a fork that was refused are those of any call that would block: the caller tells them apart.
EAGAIN = 11
FORKS = re.compile(r"/(?:subprocess|popen_fork|popen_spawn_posix|popen_forkserver|pty)\.py$")


@cause(
    "D606",
    since="0.2",
    behind=(
        "uncaught-exception",
        "exited-by-program",
        "interrupted",
        "tf-check-failed",
        "native-op-crashed",
        "user-native-crashed",
    ),
)
def too_many_threads(evidence: Evidence) -> Iterator[Finding]:
    """The program could start no further thread or process: a limit on their number was reached.

    ## What happened
    Containers (`--pids-limit`, Kubernetes' `podPidsLimit`) and shells (`ulimit -u`) limit how many threads and processes may
    live at once; each counts as one. One thread for each picture, a new pool of threads at every step, or libraries that start one for
    each core of the machine (not of the container) reach it. Python says "can't start new thread", TensorFlow aborts, OpenBLAS prints
    "pthread_create failed" and interrupts the program.

    ## How we know
    The exception or the last words of the program say so. The control group counts what it has refused; the lines of the program
    that started threads were counted as they did.

    ## What to do
    Use a pool with a few workers (`ThreadPoolExecutor(max_workers=8)`), made once. Tell libraries how many threads they may
    have: `OMP_NUM_THREADS`, `tf.config.threading.set_intra_op_parallelism_threads`. Or raise the limit.
    """
    found = evidence.error_like(NO_THREAD)
    for error, sure in () if found else evidence.last_errors:
        if error.errno == EAGAIN and _forks(
            error.frames[0].file if error.frames else "", error.own.code if error.own else ""
        ):
            found = error, sure
    words = [line for line in evidence.log.splitlines() if NO_THREAD.search(line)]
    if found is not None:
        text, where, sure = (
            found[0].words,
            evidence.line_of(found[0]),
            found[1],
        )
    elif (
        words
        and evidence.failed
        and (evidence.fatal_signal in NATIVE_ENDS or _interrupted(evidence))
    ):
        text, where, sure = (
            words[-1].strip()[:300],
            evidence.crash_line or evidence.busy,
            Confidence.LIKELY,
        )
        if evidence.uncaught is not None:
            where = evidence.uncaught.own or where
    else:
        return
    threads = evidence.circumstances.threads
    group = next((group for group in evidence.circumstances.task_groups if group.refused), None)
    if group is None and threads is not None and evidence.no_space_for_a_thread(threads):
        return  # the stack of a new thread did not fit in the address space: another limit
    limit = group.limit if group else threads.limit if threads else None
    facts = [Fact("refused", text, "exception" if found else "stderr")]
    if group is not None:
        facts.append(
            Fact(
                "refused by the control group",
                f"{group.refused} times, limit {group.limit}",
                f"{group.path}/pids.events",
            )
        )
        whose = f"its control group allows {limit} threads and processes"
    elif limit is not None:
        facts.append(Fact("limit of this user", str(limit), "RLIMIT_NPROC (ulimit -u)"))
        whose = f"this user may have {limit} threads and processes (ulimit -u)"
    else:
        whose = "which limit it met is not known"
    if threads is not None:
        facts.append(Fact("threads alive", str(threads.count), "/proc/self/task"))
        facts += [
            Fact("called", f"{name}: {count}", "/proc/self/task/*/comm")
            for name, count in threads.groups[:3]
        ]
        for place, count in threads.started[:2]:
            facts.append(Fact("threads started", f"{count} by {place}", "threading"))
        busiest = threads.starter
        if busiest is not None:
            where = busiest[0]
            whose += f", and {where} has started {busiest[1]}"
    raise_it = (
        f"docker run --pids-limit {max(4 * (limit or 0), 4096)} …"
        if group
        else "ulimit -u unlimited"
    )
    yield Finding(
        f"No further thread or process could be started: {whose}.",
        (*facts, *evidence.because("most threads", "processes")),
        sure if group is not None else min(sure, Confidence.LIKELY),
        (
            Remedy(
                "Use a few threads for all of the work, made once: `ThreadPoolExecutor(max_workers=8)`."
            ),
            Remedy(
                "Tell the libraries to start fewer.",
                (
                    "export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 TF_NUM_INTRAOP_THREADS=2 TF_NUM_INTEROP_THREADS=2",
                ),
            ),
            Remedy("Or raise the limit.", (raise_it,)),
        ),
        where=where,
    )


#: How a library that cannot start its threads ends the process.
NATIVE_ENDS = ("SIGABRT", "SIGSEGV", "SIGINT", "SIGBUS")


def _interrupted(evidence: Evidence) -> bool:
    """OpenBLAS raises SIGINT when it cannot start its threads; Python makes it a KeyboardInterrupt."""
    error = evidence.uncaught
    return error is not None and error.is_a("KeyboardInterrupt", "ImportError")


def _forks(file: str, code: str) -> bool:
    return bool(FORKS.search(file)) or "fork(" in code or "posix_spawn" in code
