"""Words prove nothing: an exception that the program's own code raises is never proof of what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from outlive.coroner.examine import decide
from outlive.model.events import ChildDeath, OomLine, Origin, Program, Sent, Thrown
from outlive.model.evidence import Children, Errors, Evidence, Memory, NativeCrash, Run, Signals
from outlive.model.findings import Confidence, EndedBy, Ending, EndingKind, Place
from outlive.model.surroundings_at_death import Circumstances, OpenFiles, Room
from tests.units.test_complaints import SAID, as_thrown

RAISED = Ending(EndingKind.EXCEPTION, exit_code=1, by=EndedBy.ITSELF)
MAIN = Program(pid=10, own_pids=frozenset({10}), family=frozenset({11}), python="3.11")
GENERAL = ("uncaught-exception",)

#: What no table of words holds: the causes that look for a number, a class, or a phrase.
SAID_OTHERWISE = [
    Thrown("MemoryError", "fake", bases=("Exception",)),
    Thrown("tensorflow.ResourceExhaustedError", "OOM when allocating tensor with shape[1,2] and type float"),
    Thrown("ResourceExhaustedError", "OOM when allocating tensor with shape[9] on /device:GPU:0"),
    Thrown("OSError", "[Errno 24] Too many open files", errno=24),
    Thrown("OSError", "[Errno 23] Too many open files in system", errno=23),
    Thrown("OSError", "[Errno 28] No space left on device: 'x'", errno=28, file="x"),
    Thrown("OSError", "[Errno 122] Disk quota exceeded", errno=122),
    Thrown("BlockingIOError", "[Errno 11] Resource temporarily unavailable", errno=11),
    Thrown("RuntimeError", "can't start new thread"),
    Thrown("ImportError", "numpy.core.multiarray failed to import"),
    Thrown("ValueError", "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject"),
    Thrown("TypeError", "Descriptors cannot be created directly."),
    Thrown("VersionError", "gencode 6.30.0 runtime 5.29.1"),
    Thrown("ImportError", "libcudart.so.12: cannot open shared object file: No such file or directory"),
    Thrown("ImportError", "/x/a.so: undefined symbol: TF_x"),
    Thrown("ImportError", "a.so: failed to map segment from shared object"),
    Thrown("RecursionError", "maximum recursion depth exceeded", depth=1000),
    Thrown("RuntimeError", "Attempted to use a closed Session."),
    Thrown("CancelledError", ""),
    Thrown("KeyboardInterrupt", ""),
    Thrown("BrokenProcessPool", "A process in the process pool was terminated abruptly"),
    Thrown("DecompressionBombError", "Image size (999999999 pixels) exceeds limit of 178956970 pixels"),
]  # fmt: skip


def forged(thrown: Thrown, code: str) -> Evidence:
    """A program whose own line raised this."""
    place = Place("train.py", 3, "main", code)
    return Evidence(
        Run(RAISED, MAIN), errors=Errors(thrown=(replace(thrown, frames=(place,), pid=10),))
    )


@pytest.mark.parametrize(
    "thrown",
    [*map(as_thrown, SAID), *SAID_OTHERWISE],
    ids=lambda thrown: f"{thrown.type.rpartition('.')[2]} {thrown.message[:50]}",
)
def test_what_the_program_raises_itself_is_never_proof(thrown: Thrown) -> None:
    for code in ("raise error", "if bad: raise error", ""):
        verdict = decide("run", forged(thrown, code))
        proven = [it.slug for it in verdict.findings if it.confidence is Confidence.PROVEN]
        assert proven == list(GENERAL)


def of(thrown: Thrown, **world: object) -> dict[str, Confidence]:
    verdict = decide("run", replace(forged(thrown, "open(path)"), **world))  # type: ignore[arg-type]
    return {finding.slug: finding.confidence for finding in verdict.findings}


class TestTheWorldIsAsked:
    TOO_MANY = Thrown("OSError", "[Errno 24] Too many open files: 'a'", errno=24, file="a")
    FULL = Thrown("OSError", "[Errno 28] No space left on device: '/d/a'", errno=28, file="/d/a")

    def test_open_files(self) -> None:
        """Python closes what a list that fails had opened; whoever raises it himself has closed nothing."""
        around = Circumstances(files=OpenFiles(4, 1024, 4096))
        verdict = decide("run", replace(forged(self.TOO_MANY, "raise error"), circumstances=around))
        said = {finding.slug: finding for finding in verdict.findings}["too-many-open-files"]
        assert said.confidence is Confidence.POSSIBLE
        assert "4 of the 1024" in said.says
        assert of(self.TOO_MANY, circumstances=around)["too-many-open-files"] is Confidence.PROVEN

    @pytest.mark.parametrize(("free", "sure"), [(62_000_000_000, Confidence.LIKELY), (0, Confidence.PROVEN)])  # fmt: skip
    def test_a_disk(self, free: int, sure: Confidence) -> None:
        room = Room("/d/a", "/d", "ext4", free, 100_000_000_000, how="named")
        found = of(self.FULL, circumstances=Circumstances(rooms=(room,)))
        assert found["disk-full"] is sure


class TestAWorkerDiesAndTheProgramGoesOn:
    OOM = (OomLine(11, False, "", "oom-kill: task=python,pid=11"),)
    WORKER = (ChildDeath(11, "SIGKILL", None, at=1.0),)

    def test_an_error_of_another_kind_is_the_cause(self) -> None:
        error = Thrown("KeyError", "'a'", (Place("train.py", 9, "main", "x['a']"),), Origin.MAIN, pid=10)  # fmt: skip
        evidence = Evidence(
            Run(RAISED, MAIN),
            errors=Errors(thrown=(error,)),
            memory=Memory(oom_lines=self.OOM),
            children=Children(deaths=self.WORKER),
        )
        verdict = decide("run", evidence)
        assert [it.slug for it in verdict.findings] == [
            "uncaught-exception",
            "worker-out-of-memory",
        ]
        assert verdict.findings[1].confidence is Confidence.POSSIBLE
        assert evidence.memory.exhausted() == ()

    @pytest.mark.parametrize("oom_lines", [OOM, None])
    def test_a_signal_to_itself_is_the_cause(self, oom_lines: tuple[OomLine, ...] | None) -> None:
        evidence = Evidence(
            Run(Ending(EndingKind.SIGNAL, "SIGKILL"), MAIN),
            memory=Memory(oom_lines=oom_lines),
            children=Children(deaths=self.WORKER),
            signals=Signals(
                sent=(Sent("SIGKILL", 10, 10, (Place("train.py", 9, "main", "os.kill(me, 9)"),)),)
            ),
        )
        cause = decide("run", evidence).cause
        assert cause is not None
        assert cause.slug == "killed-by-process"

    @pytest.mark.parametrize(
        "error",
        [
            Thrown("concurrent.futures.process.BrokenProcessPool", "terminated abruptly", bases=("BrokenExecutor",)),
            Thrown("RuntimeError", "worker 3 ended with exit code -9"),
            Thrown("EOFError", ""),
        ],
    )  # fmt: skip
    def test_an_error_about_the_worker_is_explained_by_it(self, error: Thrown) -> None:
        error = replace(error, pid=10, frames=(Place("a.py", 1, "f", "raise error"),))
        evidence = Evidence(
            Run(RAISED, MAIN),
            errors=Errors(thrown=(error,)),
            memory=Memory(oom_lines=self.OOM),
            children=Children(deaths=self.WORKER),
        )
        cause = decide("run", evidence).cause
        assert cause is not None
        assert cause.slug == "worker-out-of-memory"


FORGED = {
    "memory": "raise MemoryError('fake')",
    "files": "raise OSError(24, 'Too many open files', 'x')",
    "disk": "raise OSError(28, 'No space left on device', 'x.bin')",
    "numpy": "raise ImportError('numpy.core.multiarray failed to import')",
    "picture": "raise OSError('image file is truncated (3 bytes not processed)')",
    "record": "class DataLossError(Exception): pass\nraise DataLossError('corrupted record at 12')",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_real_program_that_lies_is_not_believed(name: str, tmp_path: Path) -> None:
    program = tmp_path / "liar.py"
    program.write_text(FORGED[name] + "\n")
    environment = {**os.environ, "OUTLIVE_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "outlive", "run", "--json", "--", sys.executable, str(program)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    verdict = json.loads(
        done.stderr[done.stderr.index('{"') if '{"' in done.stderr else done.stderr.index("{\n") :]
    )
    assert verdict["cause"]["slug"] == "uncaught-exception"
    assert all(also["confidence"] != "proven" for also in verdict["also"])


def test_our_own_frames_are_nobodys_package(tmp_path: Path) -> None:
    """Where no ring can be written the recorder's function stands on top of the stack that aborted."""
    from outlive.coroner.readings.source_lines import SourceLines, crash_in

    (tmp_path / "a.py").write_text("import os\nos.abort()\n")
    text = (
        "Fatal Python error: Aborted\n\nCurrent thread 0x01 (most recent call first):\n"
        '  File "/v/site-packages/outlive/record/inside/hooks.py", line 9 in abort\n'
        f'  File "{tmp_path}/a.py", line 2 in <module>\n'
    )
    crash = crash_in(text, SourceLines(str(tmp_path)), 10)
    assert crash is not None
    assert [frame.file for frame in crash.stacks[0].frames] == ["a.py"]
    evidence = Evidence(
        Run(Ending(EndingKind.SIGNAL, "SIGABRT"), MAIN), crash=NativeCrash(report=crash)
    )
    told = decide("run", evidence)
    assert all("outlive" not in finding.says for finding in told.findings)
    assert told.cause is not None
    assert told.cause.slug == "exited-without-cleanup"
