"""`pytest --outlive`: a test run that dies names its test and its cause; one that merely fails is left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SECONDS, Done, Outlive
from outlive.model.findings import Ending, EndingKind, Finding, Verdict
from outlive.pytest_plugin.course import course_of
from outlive.pytest_plugin.journal import VARIABLE, Journal, read
from outlive.pytest_plugin.junit import report_of

DYING = """\
import os, signal
import pytest


def test_fine():
    pass


def test_bad():
    assert 1 == 2


@pytest.mark.skip(reason="not today")
def test_skipped():
    pass


class TestDying:
    @pytest.mark.parametrize("word", ["a::b/<c>"])
    def test_killed(self, word):
        os.kill(os.getpid(), signal.SIGSEGV)


def test_never():
    pass
"""
PLUGIN = ["-p", "outlive.pytest_plugin.plugin"]
#: Other plugins take their time, and ours is named.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
KILLED = "test_dying.py::TestDying::test_killed[a::b/<c>]"


def run_pytest(outlive: Outlive, *words: str, **variables: str) -> Done:
    """A pytest of its own, whatever pytest runs us."""
    kept = {name: value for name, value in outlive.environment.items() if not name.startswith("PYTEST")}  # fmt: skip
    kept.pop(VARIABLE, None)
    temporary = outlive.folder / "tmp"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", *words],
        cwd=outlive.folder,
        env=kept | {"TMPDIR": str(temporary)} | ALONE | variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert [] == list(temporary.glob("outlive-tests-*")), "a journal was left behind"
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.death
def test_a_run_that_dies_names_the_test_and_the_cause_wherever_it_is_looked_for(
    outlive: Outlive,
) -> None:
    outlive.script("test_dying.py", DYING)
    summary = outlive.folder / "summary.md"

    done = run_pytest(
        outlive,
        "--outlive",
        "--junitxml=reports/junit.xml",
        "test_dying.py",
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_WORKSPACE=str(outlive.folder),
        OUTLIVE_ON_DEATH="cat > told.json",
    )

    assert -signal.SIGSEGV == done.status, done
    assert f"outlive: the test run died in {KILLED} (call); 1 passed, 1 failed, 1 skipped." in done.stderr  # fmt: skip
    assert "[proven: terminated-by-process]" in done.stderr
    assert "::error file=test_dying.py,title=outlive%3A terminated-by-process" in done.stderr
    assert "terminated-by-process" in summary.read_text()
    told = json.loads((outlive.folder / "told.json").read_text())
    assert 21 == told["cause"]["where"]["line"]
    (suite,) = ElementTree.parse(outlive.folder / "reports" / "junit.xml").getroot()
    assert {"tests": "4", "errors": "1", "failures": "1", "skipped": "1"}.items() <= suite.attrib.items()  # fmt: skip
    killed = suite[-1]
    assert ("test_dying.TestDying", "test_killed[a::b/<c>]") == (killed.get("classname"), killed.get("name"))  # fmt: skip
    assert "died during call: The program sent SIGSEGV to itself." == killed[0].get("message")


@pytest.mark.death
def test_a_worker_that_dies_is_told_with_its_own_cause(outlive: Outlive) -> None:
    outlive.script("test_dying.py", DYING)

    done = run_pytest(outlive, "--outlive", "-p", "xdist", "-n", "1", "test_dying.py")

    assert 1 == done.status
    assert f"outlive: a worker died in {KILLED} (call); 2 passed, 1 failed, 1 skipped." in done.stderr  # fmt: skip
    assert "ended by SIGSEGV" in done.stderr
    assert "The program sent SIGSEGV to itself.  [proven: terminated-by-process]" in done.stderr


#: It has no shape: it is known as a secret because a variable with a telling name holds it.
PASSWORD = "correct-horse-battery"


@pytest.mark.death
@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")])
def test_a_secret_that_is_known_by_its_value_alone_is_nowhere(
    outlive: Outlive, workers: tuple[str, ...]
) -> None:
    (outlive.folder / PASSWORD).mkdir()
    outlive.script(
        f"{PASSWORD}/test_it.py", "import ctypes\n\ndef test_it():\n    ctypes.string_at(0)\n"
    )
    summary = outlive.folder / "summary.md"

    done = run_pytest(
        outlive, "--outlive", "--junitxml=junit.xml", *workers, PASSWORD, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_WORKSPACE=str(outlive.folder), OUTLIVE_ON_DEATH="cat > told.json", DB_PASSWORD=PASSWORD,
    )  # fmt: skip

    told = done.stderr[done.stderr.index("outlive:") :]
    assert "test_it.py::test_it" in told and "user-native-crashed" in told
    texts = [told, summary.read_text(), (outlive.folder / "told.json").read_text()]
    texts += [] if workers else [(outlive.folder / "junit.xml").read_text()]
    assert [] == [text for text in texts if PASSWORD in text]


@pytest.mark.death
def test_a_module_that_dies_while_it_is_imported_is_named(outlive: Outlive) -> None:
    outlive.script("test_import.py", "import os\nos._exit(7)\n")

    done = run_pytest(outlive, "--outlive")

    assert 7 == done.status
    assert "outlive: the test run died while test_import.py was imported; no test had ended." in done.stderr  # fmt: skip
    assert "exited-without-cleanup" in done.stderr


@pytest.mark.death
def test_a_run_that_ends_too_early_with_status_0_is_told(outlive: Outlive) -> None:
    outlive.script("test_zero.py", "import os\n\ndef test_zero():\n    os._exit(0)\n")

    done = run_pytest(outlive, "--outlive", "--junitxml=junit.xml")

    assert 0 == done.status, "it is the program's"
    assert "outlive: the test run died in test_zero.py::test_zero (call); no test had ended. It ended with status 0, as if it had passed." in done.stderr  # fmt: skip
    assert b"died during call" in (outlive.folder / "junit.xml").read_bytes()


def test_tests_that_fail_are_no_death(outlive: Outlive) -> None:
    outlive.script("test_bad.py", "def test_bad():\n    assert 1 == 2\n")

    done = run_pytest(outlive, "--outlive", "--junitxml=junit.xml", GITHUB_ACTIONS="true")

    assert (1, "") == (done.status, done.stderr)
    assert "1 failed" in done.stdout
    assert b"hostname=" in (outlive.folder / "junit.xml").read_bytes(), "pytest's own report"


def test_a_pytest_that_a_program_started_is_not_replaced(outlive: Outlive) -> None:
    outlive.script("test_fine.py", "def test_fine():\n    pass\n")
    words = [*PLUGIN, "--outlive", "-q", "test_fine.py"]
    script = outlive.script("own.py", f"import pytest\nprint('status', pytest.main({words!r}))\n")

    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=outlive.folder,
        env={name: value for name, value in outlive.environment.items() if name != VARIABLE}
        | ALONE,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert "this run is not recorded" in done.stderr
    assert "status 0" in done.stdout.replace("ExitCode.OK", "0")
    assert [] == outlive.runs


def test_without_the_option_next_to_nothing_is_loaded() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import outlive.pytest_plugin.plugin;"
        "print(*[name for name in set(sys.modules) - before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    names = {
        "outlive",
        "outlive.pytest_plugin",
        "outlive.pytest_plugin.journal",
        "outlive.pytest_plugin.plugin",
    }
    assert names == set(done.stdout.split())


def test_the_plugin_is_known_to_pytest_by_its_entry_point() -> None:
    text = (Path(__file__).parent.parent.parent / "pyproject.toml").read_text()

    assert '[project.entry-points.pytest11]\noutlive = "outlive.pytest_plugin.plugin"' in text


def step(what: str, node: str = "", pid: int = 1, **more: object) -> dict:
    return {"what": what, "node": node, "pid": pid, **more}


SEGFAULT = Verdict("run", Ending(EndingKind.SIGNAL, "SIGSEGV", detail="ended by SIGSEGV"))


def exited(status: int) -> Verdict:
    return Verdict("run", Ending(EndingKind.EXIT, exit_code=status))


BEGUN = [step("session", worker=False)]
ENDED = [step("phase", "t", when="call"), step("finish", "t")]


@pytest.mark.parametrize(
    ("steps", "verdict", "died", "words"),
    [
        ([], exited(4), False, "the test run died"),
        ([], exited(9), True, "the test run died"),
        (BEGUN, SEGFAULT, True, "the test run died"),
        ([*BEGUN, step("collect", "a.py")], exited(1), True, "the test run died while a.py was imported"),
        ([*BEGUN, *ENDED, step("end", status=1)], exited(1), False, "the test run died after the last test"),
        ([*BEGUN, *ENDED, step("end", status=0)], exited(3), False, "the test run died after the last test"),
        ([*BEGUN, *ENDED, step("end", status=0)], SEGFAULT, True, "the test run died after the last test"),
        ([*BEGUN, *ENDED, step("end", status=0)], exited(77), True, "the test run died after the last test"),
        ([*BEGUN, *ENDED], SEGFAULT, True, "the test run died between two tests"),
        ([*BEGUN, step("phase", "t", when="teardown")], exited(1), True, "the test run died in t (teardown)"),
        ([*BEGUN, step("session", pid=2, worker=True), step("phase", "t", 2, when="call"), step("end", status=1)], exited(1), True, "a worker died in t (call)"),
        ([*BEGUN, step("session", pid=2, worker=True), step("phase", "t", 2, when="call")], SEGFAULT, True, "the test run died; workers were running t (call)"),
    ],
)  # fmt: skip
def test_what_is_a_death_and_where(
    steps: list[dict], verdict: Verdict, died: bool, words: str
) -> None:
    course = course_of(steps)

    assert (died, words) == (course.died(verdict), course.words())


def test_a_journal_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(str(path)).write("phase", node="a\nb\ud800", when="call")
    path.write_bytes(path.read_bytes() * 2 + b'{"what": "fini')

    assert ["phase", "phase"] == [step["what"] for step in read(str(path))]
    assert [] == read(str(tmp_path / "none"))
    Journal(str(tmp_path / "no" / "folder")).write("phase")  # says nothing, does nothing


def test_a_test_that_closes_every_descriptor_finds_no_line_of_ours_in_its_file(
    tmp_path: Path,
) -> None:
    journal = Journal(str(tmp_path / "journal"))
    journal.write("phase", node="a", when="setup")
    with open(tmp_path / "own", "wb") as own:
        open_now = os.listdir("/proc/self/fd")
        journal.write("phase", node="a", when="call")
        assert open_now == os.listdir("/proc/self/fd")
        own.write(b"own")

    assert b"own" == (tmp_path / "own").read_bytes()
    assert 2 == len(read(str(tmp_path / "journal")))


@settings(max_examples=40)
@given(st.text(min_size=1), st.text())
def test_a_report_is_xml_whatever_is_in_it(node: str, text: str) -> None:
    steps = [
        step("report", node, when="call", outcome="failed", seconds=1.5, text=text),
        step("finish", node),
        step("phase", node, when="call"),
    ]
    verdict = Verdict("run", SEGFAULT.ending, (Finding(text, slug="native-op-crashed"),))

    data = report_of(course_of(steps), verdict, text)

    (suite,) = ElementTree.fromstring(data)
    assert ("2", "1", "1") == (suite.get("tests"), suite.get("errors"), suite.get("failures"))


def test_a_death_before_the_first_test_is_a_report_too() -> None:
    (suite,) = ElementTree.fromstring(report_of(course_of([*BEGUN, step("collect", "a/b.py")]), SEGFAULT, ""))  # fmt: skip

    assert "a.b" == suite[0].get("name")
    assert "unknown" == suite[0][0].get("type")
