"""Play a job of many ranks on this machine: each in its own process below `outlive run`, on loopback, and one shared home."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from limited import enter, memory_group

PROGRAMS = Path(__file__).parent.parent / "programs" / "ranks"
SECONDS = 100

#: What `outlive run --hang-after` prints of a program that stands still.
STUCK = b"stuck for"


@dataclass
class Rank:
    """One rank while it runs."""

    name: str
    process: subprocess.Popen[bytes]
    ready: int
    words: bytes = b""
    ended: float | None = None
    pid: int = 0  #: of the program itself, once it has come to its fault


@dataclass
class Job:
    """A job that was played."""

    home: Path
    ranks: dict[str, Rank] = field(default_factory=dict)

    @property
    def last_end(self) -> float:
        """When the last rank's `outlive run` was gone, by the monotonic clock."""
        return max(rank.ended or 0.0 for rank in self.ranks.values())

    def why(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Ask for the verdict on the job."""
        return subprocess.run(
            [sys.executable, "-m", "outlive", "why", "--job", *options],
            env=os.environ | {"OUTLIVE_HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def verdict(self) -> dict[str, object]:
        """The verdict on the job, as JSON."""
        told = self.why("--json")
        assert told.returncode in (0, 1), told.stderr
        found: dict[str, object] = json.loads(told.stdout)
        return found


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def numbered(size: int) -> dict[str, dict[str, str]]:
    """Environments of ranks as torchrun's and Accelerate's are, by rank."""
    (port,) = free_ports(1)
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
    return {str(rank): {**common, "RANK": str(rank)} for rank in range(size)}


def cluster(**counts: int) -> dict[str, dict[str, str]]:
    """Environments of the tasks of a TensorFlow cluster, by task: ``cluster(worker=3)``."""
    ports = iter(free_ports(sum(counts.values())))
    tasks = {
        job: [f"127.0.0.1:{next(ports)}" for _ in range(count)] for job, count in counts.items()
    }
    return {
        f"{job}/{index}": {
            "TF_CONFIG": json.dumps({"cluster": tasks, "task": {"type": job, "index": index}})
        }
        for job, addresses in tasks.items()
        for index in range(len(addresses))
    }


#: Of a launcher that these tests themselves may be run by.
FOREIGN = re.compile(
    r"RANK|LOCAL_RANK|WORLD_SIZE|MASTER_|TF_CONFIG|SLURM_|OMPI_|PMI_|TORCHELASTIC_"
)


@contextlib.contextmanager
def playing(
    program: str | Path,
    environments: Mapping[str, Mapping[str, str]],
    home: Path,
    faults: Mapping[str, str],
    options: Sequence[str] = (),
    memory: Mapping[str, int] | None = None,
    variables: Mapping[str, str] | None = None,
    bare: Sequence[str] = (),
) -> Iterator[Job]:
    """Start all ranks; whatever of them is left at the end is killed. ``memory`` is the limit of a rank's cgroup, in MB; those of ``bare`` are not recorded."""
    job = Job(home)
    base = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    base |= {
        "OUTLIVE_HOME": str(home),
        "RANK_FAULTS": ",".join(f"{rank}={fault}" for rank, fault in faults.items()),
        "TF_CPP_MIN_LOG_LEVEL": "1",
        **(variables or {}),
    }
    recorded = ["-m", "outlive", "run", *options]
    with contextlib.ExitStack() as stack:
        for name, environment in environments.items():
            group = (
                stack.enter_context(memory_group(memory[name])) if name in (memory or {}) else None
            )
            told, tell = os.pipe()
            stack.callback(os.close, told)
            process = subprocess.Popen(
                [sys.executable, *([] if name in bare else recorded), str(PROGRAMS / program)],
                env={**base, **environment, "RANK_READY": str(tell)},
                pass_fds=[tell],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                preexec_fn=None if group is None else lambda group=group: enter(group),
                start_new_session=True,
            )
            os.close(tell)
            job.ranks[name] = Rank(name, process, told)
            stack.callback(_end, job.ranks[name])
        yield job


def _end(rank: Rank) -> None:
    """Kill a rank with all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(rank.process.pid, signal.SIGKILL)
    rank.process.wait()
    assert rank.process.stderr is not None
    rank.process.stderr.close()


def kill_at_fault(job: Job, name: str, number: int = signal.SIGKILL) -> None:
    """Send a rank's program a signal from outside as soon as it has come to its fault."""
    rank = job.ranks[name]
    rank.pid = int(os.read(rank.ready, 64) or b"0")
    assert rank.pid, f"{name} ended before its fault"
    os.kill(rank.pid, number)


def wait_for(job: Job, names: Sequence[str] | None = None, until: bytes = b"") -> None:
    """Read what the ranks print until they have ended, or until each has printed a text."""
    deadline = time.monotonic() + SECONDS
    waited = [job.ranks[name] for name in names or job.ranks]
    with selectors.DefaultSelector() as selector:
        for rank in waited:
            assert rank.process.stderr is not None
            selector.register(rank.process.stderr, selectors.EVENT_READ, rank)
        while selector.get_map():
            left = deadline - time.monotonic()
            assert left > 0, {rank.name: rank.words[-600:] for rank in waited}
            for key, _ in selector.select(left):
                rank = key.data
                content = os.read(key.fd, 1 << 16)
                rank.words += content
                if not content:
                    rank.process.wait()
                    rank.ended = time.monotonic()
                if not content or (until and until in rank.words):
                    selector.unregister(key.fileobj)


def line_of(fault: str, program: str = "faults.py") -> int:
    """The line of a program that is marked with the name of a fault."""
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# <- {fault}"))
