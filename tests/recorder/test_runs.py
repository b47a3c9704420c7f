"""Recorded runs as a collection: found again, compared, removed, handed on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from rich.console import Console

from conftest import SECONDS, Done, Outlive
from outlive.__main__ import main
from outlive.cli.measures import moment
from outlive.errors import NothingRecorded, RecordUnreadable
from outlive.inside.machine.host import Host
from outlive.inside.notes import links
from outlive.model.events import Program, Sample
from outlive.model.evidence import Evidence, Run
from outlive.model.findings import Fact, Place, Verdict
from outlive.model.surroundings_at_death import Circumstances, Setting
from outlive.recorder.git_revision import revision_of
from outlive.recorder.packages_beside import distributions
from outlive.recorder.store import run_folders as runs
from outlive.recorder.store.archive import ABOUT_NAME, SCHEMA, run_folder
from outlive.recorder.store.pruning import Kept, to_go
from outlive.report.comparison import Told, compare, differ, to_data, view
from tests.report.test_report import VERDICT

HASH = "0123456789abcdef0123456789abcdef01234567"
OTHER_HASH = HASH[::-1]


def told(*, rss: int = 100, packages: dict[str, str] | None = None, limit: int | None = 1_000_000_000, **changed: Any) -> Told:  # fmt: skip
    setting = Setting("Linux 6.1", HASH, {"TF_X": "1"}, packages or {"numpy": "1.26.4"})
    evidence = Evidence(Run(VERDICT.ending, Program(("python", "train.py"), "/work", 7, "3.11.7"), {"run time": Fact("run time", 10.0, "clock"), "peak memory": Fact("peak memory", rss * 1_000_000, "rusage")} | ({"memory limit": Fact("memory limit", limit, "memory.max")} if limit else {}), samples=tuple(Sample(at, 1, 1, rss * 10_000 * at, open_files=5) for at in range(1, 50))), circumstances=Circumstances(setting=replace(setting, **changed)))  # fmt: skip
    return Told(replace(VERDICT, run="a-run"), evidence, "2026-11-16 08:00:00")


def shown(first: Told, second: Told, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(view(first, second))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_two_runs_that_are_alike_do_not_differ() -> None:
    assert not differ(compare(told(), told()))
    assert not differ(compare(told(), told(rss=300))), "a figure is never the same twice"


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (told(packages={"numpy": "2.1.0"}), ("numpy", "1.26.4", "2.1.0")),
        (told(packages={"numpy": "1.26.4", "keras": "3"}), ("keras", "–", "3")),
        (told(variables={"TF_X": "2"}), ("TF_X", "1", "2")),
        (told(limit=2_000_000_000), ("memory limit", "1.0 GB", "2.0 GB")),
        (told(limit=None), ("memory limit", "1.0 GB", "–")),
        (told(revision=OTHER_HASH), ("revision", HASH[:20], OTHER_HASH[:20])),
        (replace(told(), verdict=Verdict("b-run", VERDICT.ending)), ("cause", "kept-in-container", "–")),
    ],
)  # fmt: skip
def test_what_differs_is_told(second: Told, words: tuple[str, ...]) -> None:
    assert differ(compare(told(), second))
    line = next(line for line in shown(told(), second).splitlines() if words[0] in line)
    assert all(word in line for word in words[1:])


def test_curves_are_drawn_at_one_scale_and_figures_compared() -> None:
    text = shown(told(rss=100), told(rss=400))

    assert "× 4.0" in text
    curves = next(line for line in text.splitlines() if line.startswith("curve")).split()
    assert curves[1].endswith("▂") and curves[2].endswith("█")
    assert "The same: began, command, folder, revision, Python, system, TF_X." in text


def test_a_program_gets_numbers() -> None:
    data = to_data(told(rss=100), told(rss=400))
    (peak,) = [it for it in data["differences"] if it["name"] == "peak memory"]

    assert (100_000_000, 400_000_000, True) == (peak["first"], peak["second"], peak["changed"])
    assert json.loads(json.dumps(data)) == data


def test_unknown_packages_are_not_differences() -> None:
    without = told()
    bare = replace(without, evidence=replace(without.evidence, circumstances=Circumstances()))

    assert not [it for it in compare(without, bare) if it.group == "packages"]
    assert "installed packages are not known" in shown(without, bare, width=200)


def test_hostile_texts_are_shown_and_narrow_terminals_suffice() -> None:
    hostile = told(variables={"TF_\x1b[2J": "\x1b[31m"})

    text = shown(told(), hostile, width=80)

    assert "\x1b" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


NOW = 1_000_000.0


def kept(*ages: float, going_on: int = -1) -> list[Kept]:
    """Runs of so many days, the newest first, a hundred bytes each."""
    return [
        Kept(f"run{index}", "", NOW - 86_400 * age, 100, index == going_on)
        for index, age in enumerate(ages)
    ]


def names(chosen: list[Kept]) -> list[str]:
    return [run.name for run in chosen]


def test_what_is_old_beyond_a_number_or_a_size_may_go() -> None:
    runs = kept(0, 1, 5, 30)
    nothing: dict[str, Any] = {"before": None, "most": None, "most_bytes": None}

    assert [] == to_go(runs, **nothing)
    assert ["run2", "run3"] == names(to_go(runs, **nothing | {"before": NOW - 2 * 86_400}))
    assert ["run3"] == names(to_go(runs, **nothing | {"most": 3}))
    assert ["run2", "run3"] == names(to_go(runs, **nothing | {"most_bytes": 250}))
    assert ["run0", "run1", "run2", "run3"] == names(to_go(runs, **nothing | {"most": 0}))
    assert ["run3"] == names(to_go(runs, before=NOW - 10 * 86_400, most=4, most_bytes=1000))


def test_a_run_that_goes_on_never_goes() -> None:
    runs = kept(0, 1, 5, 30, going_on=3)

    assert ["run0", "run1", "run2"] == names(to_go(runs, before=NOW, most=0, most_bytes=0))


def test_moments_are_read() -> None:
    assert time.time() - 7200 == pytest.approx(moment("2h"), abs=60)
    assert moment("2026-11-16") < moment("2026-11-16T08:30")
    for text in ("soon", "2 moons"):
        with pytest.raises(click.BadParameter):
            moment(text)


def write(root: Path, **files: str) -> Host:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(str(root))


GIT = "project__.git__"


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({f"{GIT}HEAD": HASH}, id="detached"),
        pytest.param({f"{GIT}HEAD": "ref: refs/heads/main\n", f"{GIT}refs__heads__main": HASH + "\n"}, id="branch"),
        pytest.param({f"{GIT}HEAD": "ref: refs/heads/main", f"{GIT}packed-refs": f"# pack-refs\n{OTHER_HASH} refs/heads/x\n{HASH} refs/heads/main\n"}, id="packed"),
        pytest.param(
            {
                "project__.git": "gitdir: ../real/.git/worktrees/w\n",
                "real__.git__worktrees__w__HEAD": "ref: refs/heads/w",
                "real__.git__worktrees__w__commondir": "../..\n",
                "real__.git__refs__heads__w": HASH,
            },
            id="worktree",
        ),
    ],
)  # fmt: skip
def test_the_revision_is_read_without_git(tmp_path: Path, files: dict[str, str]) -> None:
    host = write(tmp_path, **files)

    assert HASH == revision_of(host, "/project/src/deep")
    assert "" == revision_of(host, "/elsewhere")


def test_a_branch_without_a_commit_has_no_revision(tmp_path: Path) -> None:
    host = write(tmp_path, **{f"{GIT}HEAD": "ref: refs/heads/main"})

    assert "" == revision_of(host, "/project")


def test_packages_are_read_from_the_names_of_folders(tmp_path: Path) -> None:
    for name in ("numpy-2.1.0.dist-info", "Ml_Dtypes-0.5.dist-info", "numpy", "old-1.egg-info"):
        (tmp_path / name).mkdir()

    found = {name: version for name, version, _ in distributions([str(tmp_path), "/no/such"])}

    assert {"numpy": "2.1.0", "ml-dtypes": "0.5", "old": "1"} == found


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Outlive:
    """One that failed, in a folder with git, and one that went well, elsewhere."""
    parent = tmp_path_factory.mktemp("two runs")
    outlive = Outlive(parent / "home", parent / "work")
    script = outlive.script(
        "project/train.py", "def load(name):\n    raise ValueError(name)\n\n\nload('cats')\n"
    )
    write(parent / "work", **{f"{GIT}HEAD": HASH})
    assert outlive("run", "--quiet", "train.py", cwd=script.parent).status == 1
    outlive.script("other/fine.py", "print('fine')")
    assert outlive("run", "--quiet", "fine.py", cwd=parent / "work" / "other").status == 0
    return outlive


class Here:
    """The command line in this process: a new one would spend its time on loading."""

    def __init__(self, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capture = capture

    def __call__(self, outlive: Outlive, *words: str, cwd: Path | None = None) -> Done:
        self._patch.setenv("OUTLIVE_HOME", str(outlive.home))
        self._patch.chdir(cwd or outlive.folder)
        self._capture.readouterr()
        try:
            status = main(list(words))
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Done(status, *self._capture.readouterr())

    def listed(self, outlive: Outlive, *words: str, cwd: Path | None = None) -> list[str]:
        done = self(outlive, "runs", "--json", *words, cwd=cwd)
        assert 0 == done.status, done.stderr
        return [json.loads(line)["run"] for line in done.stdout.splitlines()]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(monkeypatch, capsys)


def test_runs_are_found_by_cause_folder_and_time(two_runs: Outlive, here: Here) -> None:
    failed, fine = (run.name for run in two_runs.runs)
    project = two_runs.folder / "project"

    assert [fine, failed] == here.listed(two_runs)
    assert [failed] == here.listed(two_runs, "--cause", "uncaught-exception")
    assert [failed] == here.listed(two_runs, "--cause", "any")
    assert [fine] == here.listed(two_runs, "--cause", "none")
    assert [failed] == here.listed(two_runs, "--here", cwd=project)
    assert [failed] == here.listed(two_runs, "--folder", str(project))
    assert [fine, failed] == here.listed(two_runs, "--folder", ".", "--since", "1h")
    assert [] == here.listed(two_runs, "--since", "2999-01-01")
    assert [fine] == here.listed(two_runs, "-n", "1")
    assert "No recorded run matches" in here(two_runs, "runs", "--cause", "disk-full").stderr


def test_two_real_runs_are_compared(two_runs: Outlive, here: Here) -> None:
    failed, fine = (run.name for run in two_runs.runs)

    done = here(two_runs, "compare", failed)
    data = json.loads(here(two_runs, "compare", failed, fine, "--json").stdout)

    assert 1 == done.status, done.stderr
    assert "uncaught-exception" in done.stdout and "packages are the same" in done.stdout
    by_name = {it["name"]: it for it in data["differences"]}
    assert (HASH, None) == (by_name["revision"]["first"], by_name["revision"]["second"])
    assert by_name["pytest"]["first"] == by_name["pytest"]["second"] == pytest.__version__
    assert here(two_runs, "compare", fine, fine).status == 0
    assert here(two_runs, "compare", "nonsense").status == 2


def test_the_newest_run_is_called_last_wherever_a_run_is_named(
    two_runs: Outlive, here: Here
) -> None:
    newest = two_runs.runs[-1].name

    why = here(two_runs, "why", "last", "--json")
    compared = here(two_runs, "compare", "last", newest, "--json")

    assert newest == json.loads(why.stdout)["run"]
    assert 0 == compared.status, "with itself"


def test_an_exported_run_is_read_elsewhere_with_its_source(
    two_runs: Outlive, here: Here, tmp_path: Path
) -> None:
    failed, _ = (run.name for run in two_runs.runs)
    archive = tmp_path / "run.zip"
    assert here(two_runs, "runs", "export", failed, str(archive)).status == 0
    elsewhere = Outlive(tmp_path / "home", tmp_path)
    script = two_runs.folder / "project" / "train.py"
    script.rename(script.with_suffix(".gone"))

    try:
        shown = [here(elsewhere, "why", "run.zip", *words) for words in ((), ("--again",))]
        page = here(elsewhere, "why", "run.zip", "--html", "-").stdout
        compared = here(elsewhere, "compare", "run.zip", "run.zip")
    finally:
        script.with_suffix(".gone").rename(script)

    for told in shown:
        assert 1 == told.status, told.stderr
        assert "train.py:2 in load" in told.stdout
        assert "def load(name):" in told.stdout, "the neighbours came with it"
    assert "def load(name):" in page
    assert 0 == compared.status, compared.stderr
    assert 0o600 == archive.stat().st_mode & 0o777
    assert not list(Path(tmp_path).glob("home/*")), "nothing is left behind"


def test_what_is_exported_for_strangers_holds_nothing_private(
    two_runs: Outlive, here: Here, tmp_path: Path
) -> None:
    failed, _ = (run.name for run in two_runs.runs)
    archive = tmp_path / "run.zip"
    assert here(two_runs, "runs", "export", failed, str(archive), "--share").status == 0

    with zipfile.ZipFile(archive) as box:
        assert {ABOUT_NAME, "verdict.json", "verdict.html"} == set(box.namelist())
        everything = b"".join(box.read(name) for name in box.namelist()).decode()
    assert str(two_runs.folder) not in everything
    assert HASH not in everything
    elsewhere = Outlive(tmp_path / "home", tmp_path)
    assert "train.py:2 in load" in here(elsewhere, "why", "run.zip").stdout
    assert here(elsewhere, "why", "run.zip", "--html", "-").stdout.startswith("<!doctype html>")


def test_an_archive_of_a_stranger_writes_nowhere_else(tmp_path: Path) -> None:
    archive = tmp_path / "evil.zip"
    about = json.dumps({"schema": SCHEMA, "run": "../../out"})
    with zipfile.ZipFile(archive, "w") as box:
        box.writestr(ABOUT_NAME, about)
        for name in (
            "record/../../out",
            "/tmp/out",
            "record/rings/../../../out",
            "record/.hidden",
            "record/fine",
        ):
            box.writestr(name, "x")

    with run_folder(str(archive)) as folder:
        written = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))
        assert ["fine"] == written
        assert "out" == os.path.basename(folder)
    assert not os.path.exists(folder)


@pytest.mark.parametrize(
    "about", ["{}", "[]", "no json", json.dumps({"schema": "outlive.run/2", "run": "x"})]
)
def test_what_is_no_exported_run_is_refused(tmp_path: Path, about: str) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as box:
        box.writestr(ABOUT_NAME, about)

    with pytest.raises(RecordUnreadable), run_folder(str(archive)):
        pass
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(NothingRecorded), run_folder(str(tmp_path / "text")):
        pass


def test_pruning_is_said_first_done_with_yes_and_spares_the_living(
    outlive: Outlive, here: Here
) -> None:
    for _ in range(2):
        outlive("run", "--quiet", "-c", "pass")
    script = outlive.script(
        "waits.py", "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", str(script)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=outlive.folder, env=outlive.environment,
    ) as child:  # fmt: skip
        assert child.stdin is not None and child.stdout is not None
        assert "ready\n" == child.stdout.readline()
        living = outlive.runs[-1].name

        wrong = here(outlive, "runs", "prune")
        nothing = here(outlive, "runs", "prune", "--older-than", "9d")
        said = here(outlive, "runs", "prune", "--keep", "0")
        before = len(outlive.runs)
        done = here(outlive, "runs", "prune", "--keep", "0", "--older-than", "0s", "--yes")
        refused = here(outlive, "runs", "export", living, "x.zip")

        assert 2 == wrong.status
        assert (0, "Nothing to delete; 3 remain.\n") == (nothing.status, nothing.stderr)
        assert (3, 2) == (before, said.stdout.count("would delete"))
        assert "Delete with --yes" in said.stderr
        assert 2 == done.stdout.count("deleted")
        assert [living] == [run.name for run in outlive.runs]
        assert 2 == refused.status and "still running" in refused.stderr
        child.stdin.close()
        assert 0 == child.wait(SECONDS)


def test_another_line_of_the_same_cause_is_a_difference() -> None:
    first = told()
    moved = replace(
        first,
        verdict=replace(
            first.verdict, findings=(replace(VERDICT.findings[0], where=Place("b.py", 3)),)
        ),
    )

    assert differ(compare(first, moved))
    assert "b.py:3" in shown(first, moved)


def test_what_was_asked_of_a_run_goes_for_a_kernel_with_a_folder_of_its_own(tmp_path: Path) -> None:
    runs.tell_inside(str(tmp_path), links.SKIP, "/runs/first/quarantine.jsonl")
    runs.tell_inside(str(tmp_path), links.BOUND)
    runs.tell_inside(str(tmp_path), links.LIMIT, "500 100")

    _, rings = runs.part_of_run(str(tmp_path), "kernel-12")

    found = {one.name: str(one.readlink()) for one in Path(rings).iterdir()}
    assert {links.SKIP: "/runs/first/quarantine.jsonl", links.BOUND: "on"} == found
