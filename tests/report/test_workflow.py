"""In a workflow of GitHub's findings become marks and a summary; elsewhere nothing is added, and no name of a file is obeyed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from conftest import FAILING, Outlive
from made_datasets import jpeg
from outlive.model.findings import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Remedy,
    Verdict,
)
from outlive.report.hooks.annotate_github import MOST_MARKS, Workflow
from outlive.report.hooks.github import (
    Level,
    Note,
    code,
    command_of,
    markdown,
    notes_of,
    summary_of,
    table_of,
)

HOSTILE = "a,b:c%0A::stop-commands::x\r\n::error::`|<script>alert(1)</script>*_[x](javascript:y)"
DEEP = "import tensorflow as tf\nd = tf.data.Dataset.range(9).batch(32)\nd = d.prefetch(64)\n"
GITHUB = {"GITHUB_ACTIONS": "true"}


def verdict(file: str = "src/train.py", says: str = "The list kept all.") -> Verdict:
    cause = Finding(
        says,
        (Fact("memory limit", 700_000_000, "/sys/fs/cgroup/memory"), Fact(HOSTILE, HOSTILE, HOSTILE)),
        Confidence.PROVEN,
        (Remedy("Keep less.", ("ulimit -v",)),),
        Place(file, 17, "main", HOSTILE),
        slug="kept-in-container",
    )  # fmt: skip
    ending = Ending(EndingKind.SIGNAL, "SIGKILL", None, EndedBy.KERNEL_OOM, "ended by SIGKILL")
    return Verdict("run", ending, (cause, Finding(HOSTILE, slug="other")), {HOSTILE: HOSTILE})


@settings(max_examples=40)
@given(st.text(), st.text())
def test_a_command_is_one_line_whatever_it_says(says: str, file: str) -> None:
    line = command_of(Note(Level.ERROR, file, says, file, 3))

    assert not re.search(r"[\r\n]", line)
    head, _, told = line[2:].partition("::")
    assert head.startswith("error ")
    assert {"title"} | ({"file", "line"} if file else set()) == {
        word.partition("=")[0] for word in head.removeprefix("error ").split(",")
    }
    back = told.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    assert says[:4000] == back


def test_a_death_is_marked_at_its_line_in_the_checkout() -> None:
    (note,) = notes_of(verdict(), "/checkout/job", "/checkout")

    assert (Level.ERROR, "job/src/train.py", 17) == (note.level, note.file, note.line)
    assert "The list kept all. Keep less." == note.says
    assert (
        "outlive: kept-in-container (the program was killed: out of memory (SIGKILL))" == note.title
    )


@pytest.mark.parametrize(
    ("file", "folder"), [("/elsewhere/x.py", "/checkout"), ("In [3]", "/checkout"), ("x.py", "/other"), ("../../x.py", "/checkout/a")]
)  # fmt: skip
def test_what_lies_elsewhere_is_named_in_the_words(file: str, folder: str) -> None:
    (note,) = notes_of(verdict(file), folder, "/checkout")

    assert ("", 0) == (note.file, note.line)
    assert note.says.startswith(f"{file}:17: The list")


def test_a_death_that_nobody_can_explain_is_marked_too() -> None:
    (note,) = notes_of(Verdict("run", Ending(EndingKind.SIGNAL, "SIGKILL")), "/", "/")

    assert "Cause unknown" in note.says


def shown(text: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(text)


def test_hostile_words_are_shown_in_a_summary_and_do_nothing() -> None:
    for text in (summary_of(verdict(says=HOSTILE), f"python {HOSTILE}"), table_of("outlive lint", [Note(Level.ERROR, HOSTILE, HOSTILE, HOSTILE, 3)])):  # fmt: skip
        page = shown(text)
        assert "<script" not in page and "href=" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@settings(max_examples=40)
@given(st.text(alphabet="`a|\n <", min_size=1))
def test_code_ends_where_it_should(text: str) -> None:
    page = shown(f"x {code(text)} y")

    assert 1 == page.count("<code>") == page.count("</code>")
    assert page.startswith("<p>x <code>") and page.rstrip().endswith("</code> y</p>")


@settings(max_examples=40)
@given(st.text(alphabet="*_`[]()<>|#&!~ ab", min_size=1))
def test_words_stay_words(text: str) -> None:
    page = shown(f"x{markdown(text)}x")

    assert not re.search(r"<(?!/?p>)", page)


def test_at_most_ten_marks_of_a_kind_are_made(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [Note(Level.ERROR, "t", str(number)) for number in range(30)]
    Workflow({}, sys.stderr).mark([*notes, Note(Level.WARNING, "t", "one")])

    assert MOST_MARKS + 1 == len(capsys.readouterr().err.splitlines())


def marks(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("::")]


def test_lint_marks_and_summarises_in_a_workflow_only(outlive: Outlive, tmp_path: Path) -> None:
    outlive.script("job/train, 1.py", DEEP)
    summary = tmp_path / "summary.md"
    inside = {
        **GITHUB,
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": str(outlive.folder),
    }

    done = outlive("lint", ".", variables=inside, cwd=outlive.folder / "job")

    assert 1 == done.status
    (mark,) = marks(done.stderr)
    assert mark.startswith("::")
    assert "file=job/train%2C 1.py,title=outlive lint%3A deep-prefetch,line=3," in mark
    assert "### outlive lint: 1 found" in summary.read_text()


def test_marks_that_were_asked_for_are_not_made_twice(outlive: Outlive) -> None:
    outlive.script("train.py", DEEP)

    done = outlive("lint", "--format", "github", ".", variables=GITHUB)

    assert [] == marks(done.stderr)
    assert 1 == len(marks(done.stdout))


def test_scan_marks_the_file(outlive: Outlive) -> None:
    pytest.importorskip("PIL")
    (outlive.folder / "cut%.jpg").write_bytes(jpeg()[:200])

    done = outlive("scan", "--no-cache", ".", variables=GITHUB)

    assert 1 == done.status
    (mark,) = marks(done.stderr)
    assert mark.startswith("::error file=./cut%25.jpg,title=outlive scan%3A ")


def test_the_doctor_marks_what_is_wrong(outlive: Outlive) -> None:
    inside = GITHUB | {"GITHUB_STEP_SUMMARY": str(outlive.folder / "no" / "folder")}
    limited = outlive.script("limited.sh", 'ulimit -n 64\nexec "$@"\n')
    done = subprocess.run(
        ["sh", limited, sys.executable, "-m", "outlive", "doctor", "open-files-limit-low"],
        env=outlive.environment | inside,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 1 == done.returncode, done
    assert "::warning title=outlive doctor%3A open-files-limit-low::" in done.stderr
    assert "no summary could be written: No such file or directory." in done.stderr


@pytest.mark.death
def test_a_real_death_is_marked_and_summarised(outlive: Outlive, tmp_path: Path) -> None:
    outlive.script("train.py", FAILING)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    inside = {
        **GITHUB,
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": str(outlive.folder),
    }

    done = outlive("run", "train.py", variables=inside)
    quiet = outlive("run", "--quiet", "train.py", variables=inside)
    well = outlive("run", "-c", "pass", variables=inside)

    assert 1 == done.status
    (mark,) = marks(done.stderr)
    assert mark.startswith("::error file=train.py,title=outlive%3A uncaught-exception")
    text = summary.read_text()
    assert text.startswith("before\n### Outlive: the program failed after ")
    assert "ValueError: cannot load cats" in text
    assert [] == marks(quiet.stderr) == marks(well.stderr)
