"""Judging has a deadline, and ends when somebody wants the program's status: real supervisors whose judge never comes back."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from outlive.coroner.examine import decide
from outlive.model.evidence import Evidence, Run
from outlive.model.findings import Confidence, Ending, EndingKind, Finding
from outlive.recorder import killable_child as module
from outlive.recorder.killable_child import Cut, Failed, TookTooLong, Work, apart
from outlive.units.unit import Unit

#: `outlive run`, with another judge and less patience.
SUPERVISOR = """
import sys, time
from outlive.recorder import killable_child as apart; from outlive.coroner import judge as judging
apart.SECONDS, apart.CPU_SECONDS = {seconds}
def judge(*arguments):
    open({mark!r}, "w").close()
    {judge}
judging.judge = judge
from outlive.__main__ import main
sys.argv = ["outlive", "run", *sys.argv[1:]]
main()
"""
NEVER = "time.sleep(600)"
BUSY = "import re; re.search('(a+)+b', 'a' * 64)"
DIES = "import sys; sys.exit(3)"

#: A generous deadline: it means that the supervisor hangs.
HUNG_SECONDS = 60.0


def supervisor(
    tmp_path: Path, judge: str, seconds: tuple[float, float], *options: str, code: str = DIES
) -> subprocess.Popen[str]:
    text = SUPERVISOR.format(seconds=seconds, judge=judge, mark=str(tmp_path / "judging"))
    return subprocess.Popen(
        [sys.executable, "-c", text, *options, "--", sys.executable, "-c", code],
        env={**os.environ, "OUTLIVE_HOME": str(tmp_path / "home")},
        stderr=subprocess.PIPE,
        text=True,
        process_group=0 if sys.version_info >= (3, 11) else None,  # type: ignore[call-arg,unused-ignore]
    )


def why(tmp_path: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "outlive", "why"],
        env={**os.environ, "OUTLIVE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.mark.parametrize(
    ("judge", "seconds", "limit"),
    [(NEVER, (1.0, 50.0), "1 s,"), (BUSY, (50.0, 1.0), "1 s of CPU,")],
    ids=["waits", "busy"],
)
def test_a_judge_that_never_ends_is_cut_off(
    tmp_path: Path, judge: str, seconds: tuple[float, float], limit: str
) -> None:
    with supervisor(tmp_path, judge, seconds) as process:
        _, told = process.communicate(timeout=HUNG_SECONDS)
    assert process.returncode == 3
    said = " ".join(told.split())
    assert "exited with status 3" in said
    assert f"it took more than {limit} while reading the record" in said
    assert "exited-by-program" in why(tmp_path)  # at leisure


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_judging(tmp_path: Path, number: signal.Signals) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with supervisor(tmp_path, NEVER, (500.0, 500.0), code=code) as process:
        until(lambda: (tmp_path / "judging").exists())
        process.send_signal(number)
        process.communicate(timeout=HUNG_SECONDS)
    assert process.returncode == -signal.SIGKILL  # as the program
    assert "killed-by-process" in why(tmp_path)


def test_the_hook_is_told_of_a_death_without_a_cause(tmp_path: Path) -> None:
    hook = f"cat > {tmp_path / 'told'}"
    with supervisor(tmp_path, NEVER, (1.0, 50.0), "--on-death", hook) as process:
        process.communicate(timeout=HUNG_SECONDS)
    told = (tmp_path / "told").read_text()
    assert '"exit_code": 3' in told
    assert '"cause": null' in told


def until(happened: Callable[[], bool]) -> None:
    ends = time.monotonic() + HUNG_SECONDS
    while not happened():
        assert time.monotonic() < ends, "hung"
        time.sleep(0.01)


#: In a process without threads, as a supervisor is: a signal would go to one that does not block it.
SIGNALLED = """
import os, signal, time
from outlive.recorder.killable_child import STOPS, Cut, apart
signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
parent = os.getpid()
os.kill(parent, signal.SIGTERM)
print(apart(lambda work: work.result("a signal from before does not end it")))
def work(told):
    os.kill(parent, signal.SIGTERM)
    time.sleep(600)
try:
    apart(work)
except Cut as cut:
    print(cut.stopped, signal.SIGTERM in signal.sigpending())
"""


def test_the_signal_that_ends_it_stays_for_whoever_waits_for_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED], capture_output=True, text=True, timeout=HUNG_SECONDS
    )
    assert done.stdout.splitlines() == ["a signal from before does not end it", "True True"]


class TestApart:
    def test_the_result_comes_back(self) -> None:
        big = "x" * 3_000_000
        assert apart(lambda work: work.result(big)) == big

    def test_what_comes_after_the_result_is_waited_for(self, tmp_path: Path) -> None:
        def work(told: Work) -> None:
            told.result(7)
            (tmp_path / "after").touch()

        assert apart(work) == 7
        assert (tmp_path / "after").exists()

    def test_what_it_raises_is_told(self) -> None:
        def work(told: Work) -> None:
            raise KeyError("nothing")

        with pytest.raises(Failed, match="KeyError: 'nothing'"):
            apart(work)

    def test_a_child_that_is_killed_is_told(self) -> None:
        def work(told: Work) -> None:
            told.step("thinking")
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.raises(Cut, match="while thinking"):
            apart(work)

    def test_without_another_process_it_is_done_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused() -> int:
            raise BlockingIOError(11, "Resource temporarily unavailable")

        monkeypatch.setattr(os, "fork", refused)

        def work(told: Work) -> None:
            told.step("thinking")
            with told.part("a part"):
                told.result("judged")

        assert apart(work) == "judged"

    def test_a_cause_that_takes_too_long_hides_no_other(self) -> None:
        def endless(evidence: Evidence) -> list[Finding]:
            while True:
                re.search("(a+)+b", "a" * 22)

        def quick(evidence: Evidence) -> list[Finding]:
            return [Finding("it is this", confidence=Confidence.PROVEN)]

        units = [Unit(name, f"D00{n}", "0", "Doc.", ask) for n, (name, ask) in enumerate([("a-slow", endless), ("quick", quick)])]  # fmt: skip
        evidence = Evidence(Run(Ending(EndingKind.EXIT, exit_code=1)))
        verdict = apart(
            lambda work: work.result(decide("run", evidence, units, within=work.part))  # type: ignore[arg-type]
        )
        assert [finding.slug for finding in verdict.findings] == ["quick"]
        assert "took more than 1 s of CPU" in verdict.failures[0].error

    def test_no_part_is_begun_when_too_much_was_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "CPU_SECONDS_FOR_PARTS", -1.0)

        def work(told: Work) -> None:
            with suppress(TookTooLong), told.part("a part"):
                told.result("asked")
            told.result("not asked")

        assert apart(work) == "not asked"
