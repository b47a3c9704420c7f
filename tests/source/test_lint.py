"""`outlive lint`: files, settings, statuses, formats, mends."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Outlive
from outlive.__main__ import main
from outlive.errors import UsageError
from outlive.inside.machine.host import Host
from outlive.model.findings import Confidence, Edit
from outlive.source.lint.check import every_rule, judge, look_at
from outlive.source.lint.command import this_machine
from outlive.source.lint.files import files_below
from outlive.source.lint.fix import apply_edits, difference
from outlive.source.lint.parallel import look_at_all
from outlive.source.lint.settings import Settings, chosen, configured
from tests.source.test_source import notebook

BAD = """\
import os
import tensorflow as tf

BATCH = 64
photos = tf.data.Dataset.range(10).batch(BATCH).prefetch(BATCH)
os._exit(0)
"""
GOOD = "import tensorflow as tf\nphotos = tf.data.Dataset.range(10).batch(64).prefetch(2)\n"
POSSIBLE = "import pickle\nimport keras\npickle.load(keras)\n"
ALL = Settings(tuple(unit.slug for unit in every_rule()))


@pytest.fixture
def folder(outlive: Outlive) -> Path:
    """Where the command line is called, with a bad program, a good one, and one that is none of ours."""
    (outlive.folder / "bad.py").write_text(BAD)
    (outlive.folder / "good.py").write_text(GOOD)
    (outlive.folder / "other.py").write_text("import os\nos._exit(0)\n")
    return outlive.folder


def test_findings_are_told_with_their_lines_and_the_status_is_1(
    outlive: Outlive, folder: Path
) -> None:
    done = outlive("lint", ".")

    assert 1 == done.status
    assert (
        "bad.py:5:49  `prefetch` keeps up to 64 finished batches.  [likely: deep-prefetch]"
        in done.stdout
    )
    assert "   5 │ photos = tf.data.Dataset.range(10).batch(BATCH).prefetch(BATCH)" in done.stdout
    assert (
        "bad.py:6:4" in done.stdout
        and "good.py" not in done.stdout
        and "other.py" not in done.stdout
    )
    assert "2 findings (3 files checked, 2 use TensorFlow); 1 fixable with --fix." in done.stderr


def test_nothing_found_is_status_0_and_stdout_stays_empty(outlive: Outlive, folder: Path) -> None:
    done = outlive("lint", "good.py", "other.py")

    assert (0, "") == (done.status, done.stdout)
    assert "No findings (2 files checked, 1 uses TensorFlow)." in done.stderr


def test_without_a_path_the_folder_is_looked_at(outlive: Outlive, folder: Path) -> None:
    assert outlive("lint").stdout == outlive("lint", ".").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.py"], "There is no file or folder 'nowhere.py'."),
        (["--select", "bad-luck", "."], "There is no rule 'bad-luck'."),
        (["--config", "none.toml", "."], "There is no file 'none.toml'."),
        (["--format", "xml", "."], "xml"),
        (["--confidence", "proven", "."], "proven"),
    ],
)
def test_wrong_usage_is_status_2(
    outlive: Outlive, folder: Path, words: list[str], says: str
) -> None:
    done = outlive("lint", *words)

    assert (2, "") == (done.status, done.stdout)
    assert says in done.stderr


def test_what_cannot_be_read_is_told_and_is_not_taken_for_clean(
    outlive: Outlive, folder: Path
) -> None:
    (folder / "torn.py").write_text("import tensorflow as tf\ntf.data.prefetch(\n")
    (folder / "binary.py").write_bytes(b"import tensorflow\n\xff\xfe prefetch")
    (folder / "empty.ipynb").write_text('{"tensorflow prefetch": 1}')

    done = outlive("lint", "torn.py", "binary.py", "empty.ipynb", "good.py")

    assert 1 == done.status
    assert "torn.py: could not be read: line 2" in done.stderr
    assert "binary.py: could not be read: its declared encoding" in done.stderr
    assert "empty.ipynb: could not be read" in done.stderr
    assert "3 files could not be read" in done.stderr


def test_less_sure_findings_are_counted_and_shown_when_asked_for(
    outlive: Outlive, folder: Path
) -> None:
    (folder / "bad.py").write_text(POSSIBLE)

    done = outlive("lint", "bad.py")
    all_of_them = outlive("lint", "--confidence", "possible", "bad.py")

    assert (0, "") == (done.status, done.stdout)
    assert "1 low-confidence finding hidden: --confidence possible" in done.stderr
    assert 1 == all_of_them.status and "unsafe-deserialisation" in all_of_them.stdout


def test_json_holds_everything(outlive: Outlive, folder: Path) -> None:
    done = outlive("lint", "--format", "json", ".")
    data = json.loads(done.stdout)

    assert 1 == done.status
    assert ("outlive.lint/1", 3, 2) == (data["schema"], data["files"], data["with_tensorflow"])
    first = data["findings"][0]
    assert ("deep-prefetch", "R101", "likely") == (
        first["slug"],
        first["code"],
        first["confidence"],
    )
    place = {"file": "bad.py", "cell": None, "line": 5, "column": 49, "function": ""}
    assert place == {name: first["where"][name] for name in place}
    assert ["prefetch-too-deep"] == first["prevents"]
    assert first["remedies"][0]["safe"] and first["remedies"][0]["mends"]


def test_sarif_has_the_parts_that_code_scanning_asks_for(outlive: Outlive, folder: Path) -> None:
    data = json.loads(outlive("lint", "--format", "sarif", ".").stdout)
    run = data["runs"][0]

    assert "2.1.0" == data["version"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert ["deep-prefetch", "exit-without-cleanup"] == rules
    first, second = run["results"]
    assert "deep-prefetch" == rules[first["ruleIndex"]] == first["ruleId"]
    region = first["locations"][0]["physicalLocation"]
    assert "bad.py" == region["artifactLocation"]["uri"]
    assert (5, 49) == (region["region"]["startLine"], region["region"]["startColumn"])
    change = first["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert (58, 63) == (
        change["deletedRegion"]["startColumn"],
        change["deletedRegion"]["endColumn"],
    )
    assert "tf.data.AUTOTUNE" == change["insertedContent"]["text"]
    assert "fixes" not in second


def test_github_gets_one_command_a_finding_with_its_words_escaped(
    outlive: Outlive, folder: Path
) -> None:
    odd = folder / "a,b: 100%.py"
    odd.write_text(BAD)

    lines = outlive("lint", "--format", "github", odd.name).stdout.splitlines()

    assert lines[0].startswith(
        "::warning file=a%2Cb%3A 100%25.py,title=outlive lint%3A deep-prefetch,line=5,col=49::"
    )
    assert 2 == len(lines)


def test_a_diff_changes_nothing_and_a_fix_does_what_the_diff_said(
    outlive: Outlive, folder: Path
) -> None:
    os.chmod(folder / "bad.py", 0o750)

    told = outlive("lint", "--diff", "--select", "deep-prefetch", ".")
    before = (folder / "bad.py").read_text()
    done = outlive("lint", "--fix", "--select", "deep-prefetch", ".")

    assert BAD == before
    assert (1, 0) == (told.status, done.status)
    assert "-photos = tf.data.Dataset.range(10).batch(BATCH).prefetch(BATCH)\n" in told.stdout
    assert told.stdout == done.stdout
    assert "1 would be fixed" in told.stderr and "1 fixed" in done.stderr
    assert (
        BAD.replace("prefetch(BATCH)", "prefetch(tf.data.AUTOTUNE)")
        == (folder / "bad.py").read_text()
    )
    assert 0o750 == stat.S_IMODE((folder / "bad.py").stat().st_mode)
    assert ["bad.py", "good.py", "other.py"] == sorted(os.listdir(folder))


def test_what_a_fix_shows_can_be_given_to_patch(outlive: Outlive, folder: Path) -> None:
    shown = outlive("lint", "--diff", "bad.py").stdout

    subprocess.run(["git", "apply", "-p1", "-"], cwd=folder, input=shown, text=True, check=True)

    assert "prefetch(tf.data.AUTOTUNE)" in (folder / "bad.py").read_text()


def test_a_fix_that_may_change_results_is_made_only_when_asked_for(
    outlive: Outlive, folder: Path
) -> None:
    text = "import keras\n(x, y), _ = keras.datasets.mnist.load_data()\nx = x / 255.0\n"
    (folder / "bad.py").write_text(text)

    careful = outlive("lint", "--fix", "bad.py")
    unchanged = (folder / "bad.py").read_text()
    bold = outlive("lint", "--unsafe-fixes", "bad.py")

    assert (1, 0) == (careful.status, bold.status)
    assert text == unchanged
    assert 'x = x.astype("float32") / 255.0\n' in (folder / "bad.py").read_text()


def test_a_fix_of_a_linked_file_changes_what_the_link_means(outlive: Outlive, folder: Path) -> None:
    (folder / "link.py").symlink_to("bad.py")

    outlive("lint", "--fix", "link.py")

    assert (folder / "link.py").is_symlink()
    assert "AUTOTUNE" in (folder / "bad.py").read_text()


def test_a_fix_keeps_encoding_line_ends_and_everything_else(outlive: Outlive, folder: Path) -> None:
    text = "# -*- coding: latin-1 -*-\r\nimport tensorflow as tf\r\né = 'é'; tf.data.Dataset.range(3).batch(2).prefetch(99)  # é"
    (folder / "bad.py").write_bytes(text.encode("latin-1"))

    outlive("lint", "--fix", "bad.py")

    expected = text.replace("prefetch(99)", "prefetch(tf.data.AUTOTUNE)")
    assert expected == (folder / "bad.py").read_bytes().decode("latin-1")


def test_a_notebook_is_told_by_its_cells_and_mended_in_them(outlive: Outlive, folder: Path) -> None:
    text = notebook(
        "%pip install x\nimport tensorflow as tf",
        "  ds = tf.data.Dataset.range(3)\n  ds.batch(2).prefetch(99)",
    )
    (folder / "book.ipynb").write_text(text)

    told = outlive("lint", "book.ipynb")
    outlive("lint", "--fix", "book.ipynb")

    assert "book.ipynb:cell 3:2:15" in told.stdout
    assert text.replace("99", "tf.data.AUTOTUNE") == (folder / "book.ipynb").read_text()


def test_the_settings_of_the_project_hold_and_the_command_line_comes_on_top(
    outlive: Outlive, folder: Path
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.outlive.lint]\nignore = ["R101"]\nexclude = ["old"]\nconfidence = "possible"\n'
    )
    (folder / "old").mkdir()
    (folder / "old" / "bad.py").write_text(BAD)
    (folder / "possible.py").write_text(POSSIBLE)

    slugs = [
        it["slug"] for it in json.loads(outlive("lint", "--format", "json").stdout)["findings"]
    ]
    more = json.loads(outlive("lint", "--format", "json", "--ignore", "R502").stdout)["findings"]
    named = json.loads(outlive("lint", "--format", "json", "old/bad.py").stdout)["findings"]

    assert ["exit-without-cleanup", "unsafe-deserialisation"] == slugs
    assert ["unsafe-deserialisation"] == [it["slug"] for it in more]
    assert ["exit-without-cleanup"] == [it["slug"] for it in named]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.outlive.lint]\nselct = []\n", "no setting 'selct'"),
        ("[tool.outlive.lint]\nselect = ['nothing']\n", "There is no rule 'nothing'."),
        ("[tool.outlive.lint]\nselect = 3\n", "not a list"),
        ("[tool.outlive.lint]\nconfidence = 'sure'\n", "There is no confidence 'sure'."),
        ("[tool.outlive]\nlint = 3\n", "not a table"),
        ("[tool\n", "cannot be read"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text)

    with pytest.raises(UsageError, match=says):
        configured(file, every_rule())


def test_rules_are_chosen_by_slug_or_code() -> None:
    settings = chosen(
        ALL, every_rule(), select=["R101", "exit-without-cleanup"], ignore=["deep-prefetch"]
    )

    assert ("exit-without-cleanup",) == settings.rules


def test_folders_of_tools_and_environments_are_left_out_unless_named(tmp_path: Path) -> None:
    for name in ("src/a.py", "src/b.ipynb", "src/c.txt", ".git/d.py", "venv/e.py", "env/f.py", "src/.ipynb_checkpoints/b.ipynb"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "env/pyvenv.cfg").touch()
    (tmp_path / "again").symlink_to("src/a.py")

    found = [str(Path(it).relative_to(tmp_path)) for it in files_below([str(tmp_path)])]
    named = [*files_below([str(tmp_path / "venv"), str(tmp_path / ".git/d.py")])]

    assert ["src/a.py", "src/b.ipynb"] == found
    assert ["e.py", "d.py"] == [Path(it).name for it in named]


def test_a_pipe_with_the_name_of_a_script_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(".")

    assert [] == [*files_below([str(tmp_path)])]


def test_a_file_that_cannot_be_written_is_told_with_status_3(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.chdir(folder)
    monkeypatch.setattr(os, "replace", full)

    assert 3 == main(["lint", "--fix", "bad.py"])
    assert "bad.py could not be written: No space left on device." in capsys.readouterr().err
    assert BAD == (folder / "bad.py").read_text()
    assert ["bad.py", "good.py", "other.py"] == sorted(os.listdir(folder))


def test_a_program_that_is_nested_deeply_is_read_or_told(tmp_path: Path) -> None:
    chain = (
        "import tensorflow as tf\ntf.data.Dataset.range(3)"
        + ".map(abs)" * 900
        + ".batch(3).prefetch(99)\n"
    )
    sums = "import tensorflow as tf\nimport sys\nsys.setrecursionlimit(1" + " + 1" * 3000 + ")\n"

    told = judge("chain.py", chain, ALL), judge("sums.py", sums, ALL)

    assert ["deep-prefetch"] == [it.slug for it in told[0].findings]
    assert () == told[0].failures == told[1].failures


def test_many_files_on_many_processes_give_what_one_gives(tmp_path: Path) -> None:
    files = []
    for number in range(150):
        file = tmp_path / f"{number}.py"
        file.write_text(BAD if number % 7 == 0 else GOOD)
        files.append(str(file))
    seen: list[int] = []

    one = list(look_at_all(files, ALL, 1))
    many = list(look_at_all(files, ALL, 2, lambda: seen.append(1)))

    assert one == many
    assert 150 == len(seen) and 44 == sum(len(it.findings) for it in many)


def test_a_rule_that_breaks_is_told_and_the_status_is_3(outlive: Outlive, folder: Path) -> None:
    code = """
        import sys
        from dataclasses import replace
        from outlive.source.lint import check as judging
        def broken(source):
            raise ZeroDivisionError("on purpose")
            yield
        rules = judging.every_rule()
        rules = tuple(replace(it, ask=broken) if it.slug == "deep-prefetch" else it for it in rules)
        judging.every_rule = lambda: rules
        from outlive.__main__ import main
        sys.exit(main(["lint", "bad.py"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 3 == done.returncode
    assert "deep-prefetch failed: ZeroDivisionError: on purpose" in done.stderr
    assert "exit-without-cleanup" in done.stdout


def test_lint_needs_neither_tensorflow_nor_numpy_and_runs_nothing(
    outlive: Outlive, folder: Path
) -> None:
    (folder / "bad.py").write_text(BAD + "open('was-run', 'w')\n")

    outlive("lint", "bad.py")

    assert not (folder / "was-run").exists()


def test_the_machine_is_read_from_its_control_groups(tmp_path: Path) -> None:
    for name, text in {
        "proc/self/cgroup": "0::/job\n",
        "proc/self/mountinfo": "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "proc/meminfo": "MemTotal: 64000000 kB\nMemAvailable: 50000000 kB\n",
        "sys/fs/cgroup/job/memory.max": "4000000000\n",
        "sys/fs/cgroup/memory.max": "max\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    machine = this_machine(Host(str(tmp_path)))

    assert (4_000_000_000, 50_000_000 * 1024) == (machine.limit_bytes, machine.free_bytes)
    assert 4_000_000_000 == machine.memory_bytes
    assert 8_000_000_000 == this_machine(Host(str(tmp_path)), 8_000_000_000).memory_bytes


def test_an_array_is_held_against_the_memory_of_another_machine(
    outlive: Outlive, folder: Path
) -> None:
    text = "import numpy as np, tensorflow\nimages = np.zeros((5000, 600, 600), dtype=np.float32)\n"
    (folder / "large.py").write_text(text)

    assert 0 == outlive("lint", "--memory", "8GB", "large.py").status
    small = outlive("lint", "--memory", "4GB", "large.py")
    assert 1 == small.status and "takes 7.2 GB; there are 4.0 GB" in small.stdout


def test_control_characters_of_a_file_are_shown_and_not_obeyed(
    outlive: Outlive, folder: Path
) -> None:
    (folder / "bad.py").write_text("import tensorflow, os\nos._exit(0)  # \x1b[31mred\n")

    shown = outlive("lint", "bad.py").stdout

    assert "\x1b" not in shown and "\\x1b[31mred" in shown


@given(st.text(alphabet="aé→\n\r\t ", max_size=40), st.data())
def test_edits_change_what_they_name_and_nothing_else(text: str, data: st.DataObject) -> None:
    lines = text.encode().replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode().split("\n")
    line = data.draw(st.integers(1, max(1, len(lines))))
    if line > len(text.splitlines()) or any(mark in text for mark in "\r"):
        return
    here = lines[line - 1]
    first = data.draw(st.integers(0, len(here)))
    last = data.draw(st.integers(first, len(here)))
    edit = Edit(line, len(here[:first].encode()), line, len(here[:last].encode()), "NEW")

    after = apply_edits(text, [edit])

    lines[line - 1] = here[:first] + "NEW" + here[last:]
    assert "\n".join(lines) == after


def test_a_diff_says_when_the_last_line_has_no_end() -> None:
    assert "\\ No newline at end of file" in difference("a.py", "x = 1", "x = 2")


def test_two_mends_of_the_same_text_are_made_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(
        "import tensorflow as tf\nds = tf.data.Dataset.range(3).batch(2)"
        ".map(abs, num_parallel_calls=99).prefetch(99).ignore_errors()\n"
    )

    told = look_at(str(file), Settings(ALL.rules, mend=Confidence.PROVEN))

    assert (3, ()) == (told.mended, told.findings)
    assert (
        "import tensorflow as tf\nds = tf.data.Dataset.range(3).batch(2)"
        ".map(abs, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE).ignore_errors(log_warning=True)\n"
    ) == told.mended_text


@pytest.mark.parametrize(
    "text",
    ["tensorflow " * 3, "import keras\n" + "(" * 300, "import keras\nx = " + "-" * 5000 + "1"],
)
def test_a_text_that_the_parser_refuses_is_no_failure_of_ours(text: str) -> None:
    told = judge("a.py", text + "\n# prefetch\n", ALL)

    assert told.unread or not told.findings
    assert () == told.failures
