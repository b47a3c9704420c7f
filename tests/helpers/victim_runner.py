"""Put one victim into the circumstances that its header asks for, and run it there under any command.

A victim is a program with two functions: ``die()`` really dies, ``spare()`` does all but the lethal step. Its header says what is
expected and what it needs, one ``# name: value`` a line:

    # expect: memory-limit-reached PROVEN     the first finding and its confidence (or: nothing)
    # ending: SIGKILL                         a signal, or an exit status
    # memory: 300                             a cgroup of so many MB
    # ancestor: yes                           … which is the parent of the program's own group
    # container: yes                          in a pid namespace, where the kernel log cannot be used
    # address_space: 3000                     RLIMIT_AS, MB
    # cpu: 1 2                                RLIMIT_CPU, soft and hard
    # open_files: 64                          RLIMIT_NOFILE
    # cpus: 0.2                               a cgroup with a quota of so many CPUs
    # tasks: 40                               a cgroup of so many processes and threads
    # disk: size=8m                           a tmpfs with these options, in the folder "disk"
    # made_by: missing_library.sh             a script in tests/makers that prepares the folder of the victim
    # send: SIGTERM                           a second process sends this when the victim says that it is ready
    # sender: slurmstepd                      … a process of this name
    # variables: SLURM_JOB_ID=42              in its environment
    # in_memory: /dev/shm 4                   a file system in memory of so many MB, mounted there for the victim alone
    # sibling: eats                           another process in the same cgroup is killed for memory first
    # neighbour: 150                          when the victim is ready, another process in the cgroup with the limit grows by so many MB
    # needs: tensorflow                       skipped (with a reason) where it is missing
    # hang_after: 2                           it hangs: run with --hang-after 2; when that was told, the harness kills it by its pid
    # ended_by: SIGINT 130                    … or by this signal, to which it answers with that ending
    # argument: text                          given to the program
    # alone: why                              its twin cannot share a process with others
    # names: photo.jpg                        the file that the verdict must name
    # example: yes                            the manual shows this victim for its cause, not the shortest one

The line that an expert would name ends with ``# <- here``; several may. A victim says that it is ready by writing its pid to the
descriptor in VICTIM_READY.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from limited import (
    cpu_group,
    cpu_parent,
    enter,
    memory_group,
    parent_group,
    task_group,
    tasks_parent,
)

HERE = Path(__file__).parent.parent
RUNNER = HERE / "helpers/run_victim.py"
SECONDS = 90

#: A neighbour that grows in steps, to a size that is less than the victim's: the kernel kills the larger one.
NEIGHBOUR = """
import sys, time
kept = []
for _ in range(int(sys.argv[1]) // 2):
    kept.append(bytearray(2_000_000))
    time.sleep(0.005)
sys.stdin.read()
"""

#: The act of a program without ``die`` and ``spare``: it is run as it is.
WHOLE = "run"


@dataclass(frozen=True)
class Victim:
    path: Path
    header: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def expected(self) -> tuple[str, str]:
        slug, _, confidence = self.header["expect"].partition(" ")
        return slug, confidence.lower()

    @property
    def lines(self) -> set[int]:
        text = self.path.read_text().splitlines()
        return {number for number, line in enumerate(text, 1) if line.endswith("# <- here")}


def victims(folder: Path = HERE / "causes") -> list[Victim]:
    return [Victim(path, _header(path)) for path in sorted(folder.glob("*.py"))]


def _header(path: Path) -> dict[str, str]:
    header = {}
    for line in path.read_text().splitlines():
        if line.startswith("# ") and ": " in line:
            name, _, value = line[2:].partition(": ")
            header[name] = value.strip()
    return header


def missing(victim: Victim) -> list[str]:
    """What this machine lacks for it, as reasons."""
    needs = set(victim.header.get("needs", "").split())
    if "memory" in victim.header:
        needs.add("cgroup")
    reasons = []
    for name, package in (("tensorflow", "TensorFlow"), ("PIL", "Pillow")):
        if name in needs and importlib.util.find_spec(name) is None:
            reasons.append(f"{package} is not installed")
    if "x86" in needs and platform.machine() != "x86_64":
        reasons.append("its machine code is that of x86-64")
    if "cgroup" in needs and parent_group() is None:
        reasons.append("no memory cgroup can be made here (not root, or not mounted)")
    if "tasks" in victim.header and tasks_parent() is None:
        reasons.append("no cgroup for tasks can be made here (not root, or not mounted)")
    if "cpus" in victim.header and cpu_parent() is None:
        reasons.append("no cgroup for CPU time can be made here (not root, or not mounted)")
    if "made_by" in victim.header and shutil.which("cc") is None:
        reasons.append("there is no C compiler")
    if header_needs_root(victim) and os.geteuid() != 0:
        reasons.append("only root can make a pid namespace, mount, or become another user")
    return reasons


def header_needs_root(victim: Victim) -> bool:
    return bool({"container", "disk", "root", "in_memory"} & victim.header.keys())


@dataclass(frozen=True)
class Played:
    """A victim that has been started; it is ended with the context that started it."""

    victim: Victim
    process: subprocess.Popen[bytes]
    command: list[str]  #: the victim's own, without what it was wrapped in
    folder: Path
    environment: dict[str, str]
    memory: Path | None  #: the cgroup with the limit
    ready: int
    stack: contextlib.ExitStack

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr").read_text(errors="replace")

    def _wait_for(self, settled: Callable[[], object]) -> None:
        until = time.monotonic() + SECONDS
        while not settled():
            assert time.monotonic() < until, "what it is run under was never ready"
            time.sleep(0.01)

    def let_neighbour_grow(self, settled: Callable[[], object] = lambda: True) -> None:
        """Another process under the same limit grows as soon as the victim is ready, and stays until the victim is dead."""
        assert os.read(self.ready, 64), "the victim ended before it was ready"
        self._wait_for(settled)
        assert self.memory is not None, "a neighbour needs a limit"
        group = self.memory
        neighbour = subprocess.Popen(
            [sys.executable, "-S", "-c", NEIGHBOUR, self.victim.header["neighbour"]],
            preexec_fn=lambda: _enter([group], {}),
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.stack.callback(neighbour.communicate)
        self.stack.callback(neighbour.kill)

    def send_when_ready(self, settled: Callable[[], object] = lambda: True) -> None:
        """A second process sends the signal of the header, so that its sender can be told from us."""
        header = self.victim.header
        words = os.read(self.ready, 64).split()
        assert words, "the victim ended before it was ready"
        self._wait_for(settled)
        number = words[0].decode()
        if "container" in header:
            number = str(_number_outside(self.process.pid, int(number)))
        send = ["kill", f"-{header['send'].removeprefix('SIG')}", number]
        if "sender" not in header:
            subprocess.run(send, check=True, timeout=10)
            return
        named = self.folder / header["sender"]
        named.symlink_to("/bin/sh")
        daemon = subprocess.Popen(
            [named, "-c", shlex.join(send) + " && echo sent; read line"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.stack.callback(daemon.communicate, timeout=10)  # there until the victim is dead
        assert daemon.stdout is not None
        # Whoever waits for the victim closes its stdin, and it would end of that before the signal is sent.
        assert daemon.stdout.readline(), "the signal could not be sent"


@contextlib.contextmanager
def staged(
    victim: Victim,
    act: str,
    folder: Path,
    wrap: Sequence[str] = (),
    python: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Played]:
    """Start ``act`` of a victim, wrapped in a command or bare, with these options of Python."""
    header = victim.header
    with contextlib.ExitStack() as stack:
        group = limited = None
        if "memory" in header:
            group = limited = stack.enter_context(memory_group(int(header["memory"])))
            if header.get("ancestor"):
                group = stack.enter_context(memory_group(None, above=group))
        groups = [group] if group is not None else []
        if "tasks" in header:
            groups.append(stack.enter_context(task_group(int(header["tasks"]))))
        if "cpus" in header:
            groups.append(stack.enter_context(cpu_group(float(header["cpus"]))))
        work = folder / "work"
        work.mkdir()
        script = work / victim.path.name
        shutil.copy(victim.path, script)
        if "made_by" in header:
            _make(header["made_by"], work)
        ready_read, ready_write = os.pipe()
        stack.callback(os.close, ready_read)
        environment = os.environ | {
            "VICTIM_READY": str(ready_write),
            "PYTHONUNBUFFERED": "1",
            "TF_CPP_MIN_LOG_LEVEL": "1",
        }
        environment |= variables or {}
        environment |= dict(word.split("=", 1) for word in header.get("variables", "").split())
        if header.get("sibling") and group is not None:
            _kill_a_sibling(group)
        played = [str(script)] if act == WHOLE else [str(RUNNER), str(script), act]
        own = [sys.executable, *python, *played, *header.get("argument", "").split()]
        command = [*wrap, *own]
        if header.get("container"):
            command = ["unshare", "--pid", "--fork", "--mount-proc", *command]
        if "disk" in header:
            (work / "disk").mkdir()
            mount = f"mount -t tmpfs -o {header['disk']} tmpfs {work}/disk"
            command = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]
        if header.get("in_memory"):
            command = _with_a_file_system_in_memory(command, *header["in_memory"].split())
        with open(folder / "stderr", "wb") as stderr:
            process = subprocess.Popen(
                command,
                cwd=work,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[ready_write],
                preexec_fn=lambda: _enter(groups, header),
                start_new_session=True,
            )
        os.close(ready_write)
        stack.callback(_end, process)
        yield Played(victim, process, own, folder, environment, limited, ready_read, stack)


def _make(script: str, work: Path) -> None:
    """Prepare the folder of a victim: what it loads is built there, for the Python that runs it."""
    subprocess.run(
        ["sh", "-e", str(HERE / "makers" / script)],
        cwd=work,
        env=os.environ | {"PYTHON": sys.executable, "MAKERS": str(HERE / "makers")},
        check=True,
        timeout=SECONDS,
    )


def _enter(groups: list[Path], header: dict[str, str]) -> None:
    """In the child, before the command starts."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for group in groups:
        enter(group)
    if "open_files" in header:
        limit = int(header["open_files"])
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if "address_space" in header:
        limit = int(header["address_space"]) * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if "cpu" in header:
        soft, hard = (int(word) for word in header["cpu"].split())
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _with_a_file_system_in_memory(command: list[str], point: str, megabytes: str) -> list[str]:
    """In a mount namespace of its own, which ends with the command."""
    mount = f'mkdir -p {point} && mount -t tmpfs -o size={megabytes}m tmpfs {point} && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", mount, "sh", *command]


def _number_outside(ancestor: int, inner: int) -> int:
    """The number that a process of a pid namespace has for us."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            fields = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line
            )
            numbers = fields.get("NSpid", "").split()
            group = os.getsid(int(status.parent.name))
            if len(numbers) == 2 and numbers[1] == str(inner) and group == ancestor:
                return int(numbers[0])
    raise AssertionError("the victim cannot be found from outside")


def _kill_a_sibling(group: Path) -> None:
    """Somebody else in the same cgroup is killed by the kernel, before the victim starts."""
    eater = "import os\nx = []\nwhile True: x.append(bytearray(10_000_000))"
    done = subprocess.run(
        [sys.executable, "-c", eater],
        preexec_fn=lambda: _enter([group], {}),
        stderr=subprocess.DEVNULL,
        timeout=30,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole session that the test started, and nothing else."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)
