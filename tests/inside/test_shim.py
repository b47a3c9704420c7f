"""The C library inside the watched program: it records, and the program does not notice.

Most tests run a victim (tests/shim_programs) with and without the library and compare. The victims run
under this Python, or under $OUTLIVE_TEST_PYTHON.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import conftest
from outlive.inside.notes.shim import FATAL_SIGNALS, SENT_SIGNALS, WATCHED_SIGNALS, Shim
from outlive.recorder.crash.shim_file import FILE_BYTES, NativeReading, read_native

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(__file__).resolve().parent.parent / "shim_programs"
INSIDE = ROOT / "src" / "outlive" / "inside"
PYTHON = os.environ.get("OUTLIVE_TEST_PYTHON", sys.executable)
DEADLINE = 60.0
TENSORFLOW_DEADLINE = 240.0


hatch_build = conftest.hatch_build()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        hatch_build.find_compiler()
    except hatch_build.ShimNotBuilt as problem:
        pytest.skip(str(problem))
    target = tmp_path_factory.mktemp("shim") / "_shim.so"
    hatch_build.compile_shim(INSIDE / "native", target)
    return target


def compile_helper(source: str, target: Path, *flags: str) -> Path:
    command = [*hatch_build.find_compiler(), "-O1", "-fPIC", "-shared", *flags]
    subprocess.run(
        [*command, "-o", str(target), str(PROGRAMS / source)], check=True, timeout=DEADLINE
    )
    return target


@dataclass(frozen=True)
class Ended:
    status: int
    stdout: bytes
    stderr: bytes
    pid: int
    reading: NativeReading | None

    @property
    def seen(self) -> NativeReading:
        assert self.reading is not None
        return self.reading

    def same_as(self, other: Ended) -> bool:
        mine = (self.status, self.stdout, self.stderr)
        return mine == (other.status, other.stdout, other.stderr)


class Victim:
    """A running victim program; ``finish`` gives how it ended."""

    def __init__(self, program: str, *arguments: str, library: Path | None, data: Path) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OUTLIVE_TEST_")}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment.pop("PYTHONPATH", None)
        if "OUTLIVE_TEST_CORE" in os.environ:
            environment["OUTLIVE_TEST_CORE"] = "1"
        if library is not None:
            environment["OUTLIVE_TEST_LIBRARY"] = str(library)
            environment["OUTLIVE_TEST_MODULE"] = str(INSIDE / "notes" / "shim.py")
            environment["OUTLIVE_TEST_DATA"] = str(data)
        self._data = data if library is not None else None
        self.process = subprocess.Popen(
            [PYTHON, str(PROGRAMS / program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=data.parent,
            env=environment,
        )

    def wait_for(self, word: str) -> None:
        assert self.process.stdout is not None
        expected = word.encode() + b"\n"
        got = b""
        while got != expected:
            if not select.select([self.process.stdout], [], [], DEADLINE)[0]:
                raise TimeoutError(f"no {word!r} from the victim")
            byte = os.read(self.process.stdout.fileno(), 1)
            assert byte, (got, self.process.communicate(timeout=DEADLINE))
            got += byte

    def tell(self, text: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def finish(self, text: bytes | None = None) -> Ended:
        out, err = self.process.communicate(text, timeout=DEADLINE)
        reading = read_native(self._data.read_bytes()) if self._data is not None else None
        return Ended(self.process.returncode, out, err, self.process.pid, reading)


@contextlib.contextmanager
def victim(program: str, *arguments: str, library: Path | None, data: Path) -> Iterator[Victim]:
    running = Victim(program, *arguments, library=library, data=data)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
        running.process.communicate(timeout=DEADLINE)


def both_ways(program: str, *arguments: str, library: Path, tmp_path: Path) -> tuple[Ended, Ended]:
    """Run to the end with the library and without it."""
    ends = []
    for chosen in (library, None):
        with victim(program, *arguments, library=chosen, data=tmp_path / "data") as running:
            ends.append(running.finish())
    return ends[0], ends[1]


@contextlib.contextmanager
def sent(pid: int, number: int) -> Iterator[int]:
    """Send the signal from another process, which stays for the block; gives the sender's pid."""
    command = [sys.executable, str(PROGRAMS / "sender.py"), str(pid), str(number), "the-marker"]
    sender = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert sender.stdout is not None
        assert select.select([sender.stdout], [], [], DEADLINE)[0]
        assert sender.stdout.readline() == b"sent\n"
        yield sender.pid
    finally:
        sender.communicate(timeout=DEADLINE)


# Signals from another process.


@pytest.mark.parametrize("mode", ["default", "handler", "ignored"])
@pytest.mark.parametrize(
    ("number", "when"),
    [
        *((number, "before") for number in WATCHED_SIGNALS),
        *((number, "after") for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGINT)),
    ],
)
def test_sent_signal_ends_the_program_as_it_would_have(
    number: signal.Signals, mode: str, when: str, library: Path, tmp_path: Path
) -> None:
    ends, senders = [], []
    for chosen in (library, None):
        data = tmp_path / "data"
        arguments = (str(int(number)), mode, when)
        with victim("wait_for_signal.py", *arguments, library=chosen, data=data) as running:
            running.wait_for("ready")
            with sent(running.process.pid, number) as sender:
                senders.append(sender)
                with contextlib.suppress(BrokenPipeError):
                    running.tell(b"x")
                ends.append(running.finish())
    with_it, without_it = ends
    assert with_it.same_as(without_it)
    assert with_it.status == (-number if mode == "default" else 5)
    if mode == "ignored":
        assert with_it.seen.signals == ()
        return
    (one,) = with_it.seen.signals
    assert (one.signo, one.code, one.sender_pid) == (number, 0, senders[0])
    assert (one.pid, one.tid, one.sender_uid) == (with_it.pid, with_it.pid, os.getuid())
    assert one.thread.startswith("python")
    assert f"sender.py {with_it.pid} {int(number)} the-marker" in one.sender_command
    assert one.ancestors[0].pid == os.getpid()
    assert one.ancestors[0].name
    assert abs(one.realtime_ns - time.time_ns()) < DEADLINE * 1e9
    assert with_it.seen.counts == {number: 1}
    assert with_it.seen.pid == with_it.pid


def test_core_dump_flag_is_the_same(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLIVE_TEST_CORE", "1")
    flags = []
    for chosen in (library, None):
        with victim(
            "wait_for_signal.py",
            str(int(signal.SIGQUIT)),
            "default",
            "before",
            library=chosen,
            data=tmp_path / "data",
        ) as running:
            running.wait_for("ready")
            os.kill(running.process.pid, signal.SIGQUIT)
            info = os.waitid(os.P_PID, running.process.pid, os.WEXITED | os.WNOWAIT)
            assert info is not None
            flags.append((info.si_code, info.si_status))
            running.finish()
    assert flags[0] == flags[1]


@pytest.mark.parametrize("mode", ["sigwait", "signalfd", "wakeup", "asyncio", "interrupt"])
def test_other_ways_to_receive_signals(mode: str, library: Path, tmp_path: Path) -> None:
    for chosen in (library, None):
        with victim("waiters.py", mode, library=chosen, data=tmp_path / "data") as running:
            running.wait_for("ready")
            os.kill(running.process.pid, signal.SIGTERM)
            if mode == "interrupt":
                running.wait_for("told")
            ended = running.finish(f"{os.getpid()}\n".encode())
        assert (ended.status, ended.stdout, ended.stderr) == (0, b"got True True\n", b"")


def test_replaced_handlers_run_once(library: Path, tmp_path: Path) -> None:
    with_it, without_it = both_ways("replaced.py", library=library, tmp_path=tmp_path)
    assert with_it.same_as(without_it)
    assert (with_it.status, with_it.stdout) == (0, b"same 20\n")
    assert with_it.seen.counts[signal.SIGTERM] == 20


def test_native_handlers(library: Path, tmp_path: Path) -> None:
    says = compile_helper("says.c", tmp_path / "says.so")
    with_it, without_it = both_ways(
        "native_handlers.py", str(says), library=library, tmp_path=tmp_path
    )
    assert with_it.same_as(without_it)
    assert with_it.status == -signal.SIGTERM
    assert with_it.seen.counts == {signal.SIGUSR1: 1, signal.SIGTERM: 2}


@pytest.mark.parametrize("mode", ["caught", "uncaught"])
def test_control_c_on_a_terminal(mode: str, library: Path, tmp_path: Path) -> None:
    ends = []
    for chosen in (library, None):
        status, text = on_a_terminal(
            "ctrl_c.py", mode, library=chosen, data=tmp_path / "data", keys=b"\x03"
        )
        last = text.replace(b"^C", b"").splitlines()[-1]  # where it was interrupted may differ
        ends.append((status, last))
    assert ends[0] == ends[1]
    if mode == "caught":
        assert (os.WEXITSTATUS(ends[0][0]), ends[0][1]) == (9, b"interrupted")
    else:
        assert os.WTERMSIG(ends[0][0]) == signal.SIGINT
        assert b"KeyboardInterrupt" in ends[0][1]
    seen = read_native((tmp_path / "data").read_bytes())
    assert [one.signo for one in seen.signals][:1] == [signal.SIGINT]
    assert seen.signals[0].sender_pid == 0


def on_a_terminal(
    program: str,
    *arguments: str,
    library: Path | None,
    data: Path,
    keys: bytes = b"",
    deadline: float = DEADLINE,
) -> tuple[int, bytes]:
    """Run with a terminal as stdin, stdout and stderr; press ``keys`` when it says ready."""
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    environment.pop("PYTHONPATH", None)
    environment.pop("OUTLIVE_TEST_LIBRARY", None)
    if library is not None:
        environment["OUTLIVE_TEST_LIBRARY"] = str(library)
        environment["OUTLIVE_TEST_MODULE"] = str(INSIDE / "notes" / "shim.py")
        environment["OUTLIVE_TEST_DATA"] = str(data)
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.execve(PYTHON, [PYTHON, str(PROGRAMS / program), *arguments], environment)
        finally:
            os._exit(127)
    text, pressed, reaped = b"", not keys, False
    end = time.monotonic() + deadline
    try:
        while True:
            if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(text)
            try:
                some = os.read(terminal, 65536)
            except OSError:  # EIO: the program has ended
                break
            if not some:
                break
            text += some
            if not pressed and b"ready" in text:
                os.write(terminal, keys)
                pressed = True
        _, status = os.waitpid(pid, 0)
        reaped = True
        return status, text
    finally:
        os.close(terminal)
        if not reaped:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_frequent_signals_are_counted_not_kept(library: Path, tmp_path: Path) -> None:
    with victim("often.py", library=library, data=tmp_path / "data") as running:
        ended = running.finish()
    assert ended.status == 0
    handled = int(ended.stdout)
    assert ended.seen.counts[signal.SIGALRM] >= handled  # Python may merge two into one
    assert len(ended.seen.signals) == 3
    assert {one.signo for one in ended.seen.signals} == {signal.SIGALRM}


# Real faults.


@pytest.mark.parametrize("dumps", ["none", "before", "after"])
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("segv", signal.SIGSEGV),
        ("segv_in_thread", signal.SIGSEGV),
        ("bus", signal.SIGBUS),
        ("abort", signal.SIGABRT),
        ("assertion", signal.SIGABRT),
        ("bad_free", signal.SIGABRT),
    ],
)
def test_fault(
    kind: str, number: signal.Signals, dumps: str, library: Path, tmp_path: Path
) -> None:
    with_it, without_it = both_ways("crash.py", kind, dumps, library=library, tmp_path=tmp_path)
    assert with_it.status == without_it.status == -number
    for ended in (with_it, without_it):
        dumped = ended.stderr.count(b"Fatal Python error")
        assert dumped == (0 if dumps == "none" else 1), ended.stderr
    # The dumps name addresses of threads, which differ; what another thread was at is a matter of chance.
    lines = [
        len(ended.stderr.partition(b"\nThread 0x")[0].splitlines())
        for ended in (with_it, without_it)
    ]
    assert lines[0] == lines[1]
    one = with_it.seen.signals[0]
    assert one.signo == number
    if number == signal.SIGSEGV:
        assert (one.sender_pid, one.fault_address) == (0, 0)
        assert (one.tid == with_it.pid) == (kind == "segv")
    if number == signal.SIGABRT:
        assert one.sender_pid == with_it.pid
    if kind == "assertion":
        assert "cat == dog" in with_it.seen.abort_message
    if kind == "bad_free":
        assert "invalid pointer" in with_it.seen.abort_message
    if dumps != "none":
        assert b"Fatal Python error" in with_it.seen.stderr_tail


@pytest.mark.parametrize("number", FATAL_SIGNALS, ids=lambda number: signal.Signals(number).name)
def test_raised_fatal_signal_with_faulthandler(
    number: signal.Signals, library: Path, tmp_path: Path
) -> None:
    arguments = ("raised", "after", str(int(number)))
    with_it, without_it = both_ways("crash.py", *arguments, library=library, tmp_path=tmp_path)
    assert with_it.status == without_it.status == -number
    assert len(with_it.stderr.splitlines()) == len(without_it.stderr.splitlines())


# Text.


def test_stderr_is_kept_and_not_changed(library: Path, tmp_path: Path) -> None:
    flavours = {
        "lazy.so": ("-Wl,-z,lazy", "-Wl,-z,norelro"),
        "relro.so": ("-Wl,-z,relro", "-Wl,-z,now"),
        "partial.so": ("-Wl,-z,relro", "-Wl,-z,lazy"),
        "noplt.so": ("-fno-plt",),
        "checked.so": ("-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"),
        "lazier.so": ("-Wl,-z,lazy",),
    }
    made = [
        str(compile_helper("says.c", tmp_path / name, *flags)) for name, flags in flavours.items()
    ]
    with_it, without_it = both_ways("writes.py", *made, library=library, tmp_path=tmp_path)
    assert with_it.same_as(without_it), (with_it.stderr[-500:], without_it.stderr[-500:])
    assert with_it.status == 0
    assert with_it.seen.stderr_tail == (b"x" * (64 * 1024 - 13) + b"\n" + b"after close\n")


def test_every_way_to_write_is_kept(library: Path, tmp_path: Path) -> None:
    """As above without the flood at the end: the text is whole but for one long line."""
    made = str(compile_helper("says.c", tmp_path / "says.so"))
    with victim("few_writes.py", made, library=library, data=tmp_path / "data") as running:
        ended = running.finish()
    assert (ended.status, ended.stdout) == (0, b"NOT THIS\nNOT EVEN THIS\n")
    long_line = b" " * 1999 + b"5\n"
    assert long_line in ended.stderr
    shortened = b" " * 1019 + b"...\n"
    assert ended.seen.stderr_tail == ended.stderr.replace(long_line, shortened)


def test_interposed_write_is_still_called(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = compile_helper("says.c", tmp_path / "says.so")
    monkeypatch.setenv("LD_PRELOAD", str(compile_helper("interposer.c", tmp_path / "inter.so")))
    with_it, without_it = both_ways("few_writes.py", str(made), library=library, tmp_path=tmp_path)
    assert with_it.same_as(without_it)
    assert with_it.stderr.count(b"<os write\n") == with_it.stderr.count(b"<c write\n") == 1


def test_what_cannot_be_read_stays_an_error(library: Path, tmp_path: Path) -> None:
    with_it, without_it = both_ways("null_write.py", library=library, tmp_path=tmp_path)
    assert with_it.same_as(without_it)
    assert (with_it.status, with_it.stdout) == (0, b"-1 14\n" * 4)


def test_everything_at_once(library: Path, tmp_path: Path) -> None:
    made = compile_helper("says.c", tmp_path / "says.so", "-Wl,-z,now")
    with victim("stress.py", str(made), library=library, data=tmp_path / "data") as running:
        ended = running.finish()
    assert (ended.status, ended.stdout) == (0, b"done\n"), ended.stderr


def test_sixteen_threads(library: Path, tmp_path: Path) -> None:
    with victim("threads.py", library=library, data=tmp_path / "data") as running:
        ended = running.finish()
    assert ended.status == 0
    expected = sorted(b"thread %02d line %03d" % (n, i) for n in range(16) for i in range(100))
    assert sorted(ended.stderr.splitlines()) == expected
    assert sorted(ended.seen.stderr_tail.splitlines()) == expected


def test_program_that_closes_every_descriptor(library: Path, tmp_path: Path) -> None:
    contents: list[bytes] = []
    for chosen in (library, None):
        precious = tmp_path / f"precious{len(contents)}"
        data = tmp_path / "data"
        with victim("closes.py", str(precious), library=chosen, data=data) as running:
            ended = running.finish()
        assert ended.status == -signal.SIGUSR1
        contents.append(precious.read_bytes())
    assert contents[0] == contents[1]
    seen = read_native((tmp_path / "data").read_bytes())
    assert [one.signo for one in seen.signals] == [signal.SIGUSR1]


def test_forked_children(library: Path, tmp_path: Path) -> None:
    with_it, without_it = both_ways("forks.py", library=library, tmp_path=tmp_path)
    assert with_it.status == without_it.status == 0, with_it.stderr
    assert with_it.stderr == without_it.stderr
    assert with_it.seen.stderr_tail == b"parent before\nparent after\n"
    assert with_it.seen.signals == ()
    child = read_native((tmp_path / "data.child").read_bytes())
    assert child.stderr_tail == b"child\n"
    assert child.pid == int(with_it.stdout)
    assert [one.signo for one in child.signals] == [signal.SIGTERM]


def test_library_that_is_being_loaded(library: Path, tmp_path: Path) -> None:
    slow = compile_helper("slow.c", tmp_path / "slow.so", "-Wl,-z,relro", "-Wl,-z,now")
    with victim("loading.py", str(slow), library=library, data=tmp_path / "data") as running:
        running.wait_for("inside")
        running.tell(b"x")
        ended = running.finish()
    assert (ended.status, ended.stderr) == (0, b"slow\n")
    assert ended.seen.stderr_tail == b"slow\n"


def test_tensorflow_check_failure_on_a_terminal(library: Path, tmp_path: Path) -> None:
    if subprocess.run(
        [
            PYTHON,
            "-c",
            "import importlib.util as u; raise SystemExit(not u.find_spec('tensorflow'))",
        ],
        timeout=DEADLINE,
        check=False,
    ).returncode:
        pytest.skip("no TensorFlow")
    status, text = on_a_terminal(
        "tf_check.py", library=library, data=tmp_path / "data", deadline=TENSORFLOW_DEADLINE
    )
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT
    assert b"Check failed" in text
    seen = read_native((tmp_path / "data").read_bytes())
    assert b"Check failed" in seen.stderr_tail
    assert seen.signals[-1].signo == signal.SIGABRT


# Loading.


def test_no_library_no_shim(tmp_path: Path) -> None:
    assert Shim.load(str(tmp_path / "none.so"), str(tmp_path / "data")) is None
    (tmp_path / "bad.so").write_bytes(b"not a library")
    assert Shim.load(str(tmp_path / "bad.so"), str(tmp_path / "data")) is None
    assert not (tmp_path / "data").exists()


def test_data_file_of_somebody_else_is_left_alone(library: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"precious")
    assert Shim.load(str(library), str(tmp_path / "data")) is None
    assert (tmp_path / "data").read_bytes() == b"precious"


def test_compile_failure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "_shim.so"
    for compiler in ("false", "/nonexistent/cc"):
        monkeypatch.setenv("CC", compiler)
        with pytest.raises(hatch_build.ShimNotBuilt):
            hatch_build.compile_shim(INSIDE / "native", target)
    assert list(tmp_path.iterdir()) == []


def test_only_newer_sources_are_compiled(library: Path, tmp_path: Path) -> None:
    sources, target = tmp_path / "native", tmp_path / "_shim.so"
    shutil.copytree(INSIDE / "native", sources)
    shutil.copy(library, target)
    for source in sources.iterdir():
        os.utime(source, (1000, 1000))
    assert hatch_build.is_current(sources, target)
    os.utime(target, (1000, 1000))
    assert not hatch_build.is_current(sources, target)
    os.utime(target, (2000, 2000))
    os.utime(sources / "shim.h", (3000, 3000))
    assert not hatch_build.is_current(sources, target)
    os.utime(sources / "shim.h", (1000, 1000))
    target.write_bytes(b"\x7fELF of another machine, long enough")
    assert not hatch_build.is_current(sources, target)


# The reader.


@pytest.fixture(scope="session")
def real_file(library: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    data = tmp_path_factory.mktemp("reader") / "data"
    with victim("crash.py", "bad_free", "after", library=library, data=data) as running:
        running.finish()
    return data.read_bytes()


def test_reader_refuses_other_files(real_file: bytes) -> None:
    assert len(real_file) == FILE_BYTES
    for bad in (b"", b"OUTLSHI", b"\0" * FILE_BYTES, b"OUTLSHIM", b"OUTLSHIM\x01\0\0\0"):
        with pytest.raises(ValueError, match="native recorder"):
            read_native(bad)


def test_reader_survives_any_flipped_byte(real_file: bytes) -> None:
    chance = random.Random(7)
    used = [n for n in range(12, FILE_BYTES) if real_file[n]]
    places = (
        list(range(12, 400)) + chance.sample(used, 300) + chance.sample(range(12, FILE_BYTES), 300)
    )
    for place in places:
        for value in (0, 0xFF, real_file[place] ^ 0x80):
            torn = bytearray(real_file)
            torn[place] = value
            assert isinstance(read_native(bytes(torn)), NativeReading)


def test_reader_survives_truncation(real_file: bytes) -> None:
    chance = random.Random(7)
    for length in [*range(12, 400), *chance.sample(range(12, FILE_BYTES), 600)]:
        reading = read_native(real_file[:length])
        assert len(reading.stderr_tail) <= 64 * 1024


def test_reader_survives_noise() -> None:
    chance = random.Random(7)
    for _ in range(20):
        noise = b"OUTLSHIM\x02\0\0\0" + chance.randbytes(FILE_BYTES - 12)
        assert isinstance(read_native(noise), NativeReading)


def test_watched_signals_leave_out_the_ordinary_ones() -> None:
    ordinary = {signal.SIGCHLD, signal.SIGPROF, signal.SIGWINCH, signal.SIGCONT}
    assert not ordinary & set(SENT_SIGNALS + FATAL_SIGNALS)
