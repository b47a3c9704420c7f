"""No further thread or process could be started."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import PROCESSES, THREADS
from outlive.model.findings import Confidence, Fact, Finding, Place, Remedy
from outlive.model.patterns import LONGEST_LINE, bounded, excerpt
from outlive.units.unit import cause

NO_THREAD = bounded(
    r"(?:can't start new thread|pthread_create(?:\(\))? failed|failed to create thread"
    r"|Thread \S+ creation via pthread_create"
    r"|instance of 'std::system_error'\s+what\(\): +Resource temporarily unavailable)"
)

#: Python's words for a fork that was refused are those of any call that would block: the caller tells them apart.
EAGAIN = 11
FEWER = (
    "export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2",
    "export TF_NUM_INTRAOP_THREADS=2 TF_NUM_INTEROP_THREADS=2",
)

#: How a library that cannot start its threads ends the process: OpenBLAS raises SIGINT.
NATIVE_ENDS = ("SIGABRT", "SIGSEGV", "SIGINT", "SIGBUS")
FORKS = re.compile(r"/(?:subprocess|popen_fork|popen_spawn_posix|popen_forkserver|pty)\.py$")

#: How TensorFlow names the threads that `options.threading.private_threadpool_size` asks for.
PRIVATE_POOL = "tf_data_private_threadpool"


@cause(
    "D606",
    since="0.2",
    behind=(
        "uncaught-exception",
        "exited-by-program",
        "crashed-at-exit",
        "interrupted",
        "tf-check-failed",
        "native-op-crashed",
        "user-native-crashed",
    ),
    searched=(
        "RuntimeError: can't start new thread",
        "OpenBLAS blas_thread_init: pthread_create failed",
        "creation via pthread_create() failed",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable",
    ),
)
def too_many_threads(evidence: Evidence) -> Iterator[Finding]:
    """The program could not start another thread or process: a limit on their number was reached.

    ## What happened
    Containers (`--pids-limit`, Kubernetes' `podPidsLimit`) and shells (`ulimit -u`) limit how many threads and processes may
    live at once; each counts as one. One thread for each picture, a new pool of threads at every step, or libraries that start one for
    each core of the machine (not of the container) reach it. Python says "can't start new thread", TensorFlow aborts, OpenBLAS prints
    "pthread_create failed" and interrupts the program.

    ## How we know
    The exception or the last words of the program say so. The cgroup counts what it has refused; the program's threads are
    counted by the functions that they run.

    ## What to do
    Use a pool with a few workers (`ThreadPoolExecutor(max_workers=8)`), created once. Limit the threads of libraries:
    `OMP_NUM_THREADS`, `tf.config.threading.set_intra_op_parallelism_threads`. Or raise the limit.
    """
    around = evidence.circumstances
    group = next((group for group in around.task_groups if group.refused), None)
    refusal = _refusal(evidence, group is not None)
    if refusal is None:
        return
    text, source, where, sure = refusal
    threads = around.threads
    if group is None and evidence.memory.refused_stack() is not None:
        return  # another limit
    facts = [Fact("refused", text, source)]
    raise_it = "ulimit -u unlimited"
    if group is not None:
        whose = f"its cgroup allows {group.limit} threads and processes"
        counted = f"{group.refused} times, limit {group.limit}"
        facts.append(Fact("refused by the cgroup", counted, f"{group.path}/pids.events"))
        raise_it = f"docker run --pids-limit {max(4 * (group.limit or 0), 4096)} …"
    elif threads is not None and threads.limit is not None:
        whose = f"this user may have {threads.limit} threads and processes (ulimit -u)"
        facts.append(Fact("most of this user", str(threads.limit), "RLIMIT_NPROC"))
    else:
        whose = "it is not known which limit was reached"
    if threads is not None:
        facts += [Fact(THREADS, words, "/proc/self/task") for words in threads.words]
        if threads.most is not None:
            place, count = threads.most
            whose += f", and {count} of them run {place.function} ({place})"
            where = where or place
    yield Finding(
        f"No more threads or processes could be started: {whose}.",
        (*facts, *evidence.run.because(*(() if threads else ("most threads",)), PROCESSES)),
        sure if group is not None else min(sure, Confidence.LIKELY),
        (
            Remedy(
                "Give the pipeline fewer threads of its own: options = tf.data.Options(); options.threading.private_threadpool_size = 4; dataset.with_options(options)."
                if PRIVATE_POOL in text
                else "Share a few threads, created once: `ThreadPoolExecutor(max_workers=8)`."
            ),
            Remedy("Tell the libraries to start fewer threads.", FEWER),
            Remedy("Or raise the limit.", (raise_it,)),
        ),
        where=where,
    )


def _refusal(evidence: Evidence, counted: bool) -> tuple[str, str, Place | None, Confidence] | None:
    """Who says that no thread could be started, where, and how sure that is; ``counted``: a cgroup says so too."""
    for error, sure in evidence.errors.last:
        forks = error.errno == EAGAIN and _forks(error.frames, error.own)
        if forks or NO_THREAD.search(error.message):
            return error.words, "exception", evidence.errors.line_of(error), sure
    error_last = evidence.errors.uncaught
    line = error_last.own if error_last is not None else None
    line = line or evidence.crash.line or evidence.run.busy
    lines = [_line_with(found) for found in NO_THREAD.finditer(evidence.run.log)]
    interrupted = error_last is not None and error_last.is_a("KeyboardInterrupt")
    refused_import = error_last is not None and error_last.is_a("ImportError")
    if lines and (evidence.run.fatal_signal in NATIVE_ENDS or interrupted or refused_import):
        # A check that fails ends the process there and then; when the group has refused a thread besides, nothing is left to doubt.
        checked = evidence.run.fatal_signal == "SIGABRT" and "Check failed" in lines[-1]
        sure = Confidence.PROVEN if counted and checked else Confidence.LIKELY
        return lines[-1][:300], "stderr", line, sure
    got = evidence.signals.sender_of("SIGINT")
    if counted and interrupted and got is not None and got.itself:
        words = "a library interrupted the program while it was imported"
        return words, "siginfo", line, Confidence.LIKELY
    return None


def _line_with(found: re.Match[str]) -> str:
    """Return the whole line, or lines, in which words were found."""
    text = found.string
    end = text.find("\n", found.end())
    line = text[text.rfind("\n", 0, found.start()) + 1 : end if end >= 0 else len(text)]
    return " ".join(excerpt(line, LONGEST_LINE).split())


def _forks(frames: tuple[Place, ...], own: Place | None) -> bool:
    code = own.code if own is not None else ""
    file = frames[0].file if frames else ""
    return bool(FORKS.search(file)) or "fork(" in code or "posix_spawn" in code
