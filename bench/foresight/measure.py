"""Precision and recall of `outlive lint` on public sets of buggy programs, and its findings in healthy code.

    python bench/foresight/measure.py [--stackoverflow DIR] [--shapeflow DIR] [--neuralint DIR] [--junobench DIR]
        [--healthy DIR …] [--lint "PYTHON -m outlive lint"] [--confidence likely] [--list]

None of the sets is part of this repository. Each DIR is a clone of one of them, bare or not:

    git clone https://github.com/ForeverZyh/TensorFlow-Program-Bugs   # --stackoverflow
    git clone https://github.com/anony-subm/ShapeFlow                 # --shapeflow
    git clone https://github.com/neuralint/neuralint                  # --neuralint
    git clone https://github.com/PELAB-LiU/crane_llm                  # --junobench, its TensorFlow part

The programs are only read, never run or imported. `truth/*.json` says of the odd-numbered ones, which the rules were developed on, whether the
cause is in the text at all, and where. Of the even-numbered ones nobody read the text: their truth is what the set's authors changed.

Where a set has no fixed version (what NeuraLint took from GitHub and StackOverflow), a finding counts at the line of the fault alone, and the
even-numbered ones are left out.

A fault of the kind `design` (dropout before pooling, fewer filters in a later layer, …) neither ends a run nor spoils what is learned: lint says
nothing of such taste, and it is left out where only causes in the text are counted.

A buggy program is *detected* when lint says something of it that it does not say of the fixed one. A fixed program of which lint says anything is a
*false alarm*, also where what is said is right. All sets but JunoBench are programs for TensorFlow 1 and Keras 1 or 2: what lint says of names that
TensorFlow 2 and Keras 3 do not have is true of the buggy and of the fixed ones alike, and is not counted there (OF_OLD_VERSIONS).
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
OF_OLD_VERSIONS = frozenset({"removed-in-tensorflow-2", "removed-in-keras-3"})

#: The healthy program of which NeuraLint's synthetic ones were made, each by one fault or more: it is the fixed version of them all.
ORIGINAL = "Synthetic Samples/TF_lenet.py"

#: Pieces of programs as people post them, without a line that imports anything: these lines are put before them.
IMPORTS = """\
import keras
from keras.models import Sequential
from keras.layers import Activation, BatchNormalization, Conv1D, Conv2D, Dense, Dropout, Flatten, LSTM, MaxPooling1D, MaxPooling2D
"""


@dataclass(frozen=True)
class Program:
    """One version of one program of a set."""

    set: str
    id: str
    number: int
    buggy: bool
    files: Mapping[str, str]  #: name to text
    moved: int = 0  #: lines that were put before the text


@dataclass(frozen=True)
class Said:
    """One finding."""

    slug: str
    code: str
    file: str
    line: int
    cell: int
    says: str


@dataclass
class Score:
    """What is counted of a set, or of half of it."""

    buggy: int = 0
    detected: int = 0
    in_text: int = 0
    detected_in_text: int = 0
    at_the_line: int = 0
    fixed: int = 0
    alarms: int = 0
    missed: list[str] = field(default_factory=list)
    flagged: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float | None:
        """Right among all programs of which something was said."""
        said = self.detected + self.alarms
        return self.detected / said if said and self.fixed else None


class Repository:
    """The files of a clone, read out of its history or its work tree."""

    def __init__(self, folder: Path) -> None:
        self._tree = (
            folder if not (folder / "objects").is_dir() and not (folder / ".git").exists() else None
        )
        self._git = folder / ".git" if (folder / ".git").exists() else folder

    def files(self, below: str) -> dict[str, str]:
        """The Python and text files below a folder, by their path in it."""
        if self._tree is not None:
            top = self._tree / below
            paths = sorted(path for path in top.rglob("*") if path.suffix in (".py", ".txt"))
            return {str(path.relative_to(top)): path.read_text(errors="replace") for path in paths}
        names = self._out("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", below).split("\0")
        wanted = [name for name in names if name.endswith((".py", ".txt"))]
        return {name[len(below) + 1 :]: self._out("show", f"HEAD:{name}") for name in wanted}

    def _out(self, *words: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={self._git}", *words], capture_output=True, check=False
        )
        return done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")


def stackoverflow(clone: Repository) -> Iterator[Program]:
    grouped: dict[tuple[str, bool], dict[str, str]] = {}
    for path, text in clone.files("StackOverflow").items():
        found = re.match(r"([A-Za-z]+-\d+)/\d+-(buggy|fix)/(.+\.py)$", path)
        if found:
            grouped.setdefault((found[1], found[2] == "buggy"), {})[found[3]] = text
    for (name, buggy), files in sorted(grouped.items()):
        yield Program("stackoverflow", name, int(name.rpartition("-")[2]), buggy, files)


def shapeflow(clone: Repository) -> Iterator[Program]:
    files = clone.files("Johirul_benchmarks")
    names = sorted({path.partition("/")[0] for path in files if path.endswith("/buggy.py")})
    for number, name in enumerate(names, 1):
        for version in ("buggy", "correct"):
            text = files[f"{name}/{version}.py"]
            yield Program("shapeflow", name, number, version == "buggy", {"program.py": text})


def neuralint(clone: Repository) -> Iterator[Program]:
    files = {path: text for path, text in clone.files("sample_buggy_scripts").items() if path.endswith(".py")}  # fmt: skip
    for folder in sorted({path.partition("/")[0] for path in files}):
        mine = sorted(path for path in files if path.startswith(f"{folder}/"))
        for number, path in enumerate(mine, 1):
            text = files[path]
            piece = not re.search(r"^\s*(?:import|from)\s", text, re.MULTILINE)
            before = IMPORTS if piece else ""
            yield Program("neuralint", path, number, path != ORIGINAL, {"program.py": before + text}, before.count("\n"))  # fmt: skip


def junobench(clone: Repository) -> Iterator[Program]:
    for path, text in sorted(clone.files("llms/llms_inputs/executed_code/tensorflow").items()):
        found = re.match(r"tensorflow_(\d+)_(reproduced|fixed)\.txt$", path)
        if found:
            buggy = found[2] == "reproduced"
            yield Program("junobench", found[1], int(found[1]), buggy, {"cells.ipynb": notebook(text)})  # fmt: skip


def notebook(text: str) -> str:
    """The notebook that a listing of cells is made of."""
    cells = re.split(r"^## Cell \d+:\n|^# Target Cell:\n|^# Executed Cells:\n", text, flags=re.MULTILINE)  # fmt: skip
    made = [
        {"cell_type": "code", "source": cell.strip("\n"), "metadata": {}, "outputs": [], "execution_count": None}
        for cell in cells
        if cell.strip()
    ]  # fmt: skip
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


SETS = {"stackoverflow": stackoverflow, "shapeflow": shapeflow, "neuralint": neuralint, "junobench": junobench}  # fmt: skip


def asked(lint: Sequence[str], confidence: str, paths: Iterable[Path]) -> dict[str, list[Said]]:
    """What lint says of some files or folders, by file."""
    done = subprocess.run(
        [*lint, "--format", "json", "--confidence", confidence, *map(str, paths)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        sys.exit(f"lint ended with status {done.returncode}:\n{done.stderr}")
    found: dict[str, list[Said]] = {}
    for it in json.loads(done.stdout)["findings"]:
        at = it["where"]
        said = Said(it["slug"], at["code"], at["file"], at["line"], at["cell"] or 0, it["says"])
        found.setdefault(at["file"], []).append(said)
    return found


def said_of(programs: Sequence[Program], lint: Sequence[str], confidence: str) -> list[list[Said]]:
    """The findings of each program."""
    with tempfile.TemporaryDirectory(prefix="foresight-") as name:
        folders = []
        for number, program in enumerate(programs):
            folder = Path(name) / f"program{number}"
            folder.mkdir()
            for file, text in program.files.items():
                (folder / Path(file).name).write_text(text)
            folders.append(folder)
        found = asked(lint, confidence, [Path(name)])
        mine = [[said for file, all in found.items() if Path(file).parent == folder for said in all] for folder in folders]  # fmt: skip
    return [[said for said in all if counts(program, said)] for program, all in zip(programs, mine, strict=True)]  # fmt: skip


def counts(program: Program, said: Said) -> bool:
    return program.set == "junobench" or said.slug not in OF_OLD_VERSIONS


def changed_lines(buggy: Program, fixed: Program | None) -> set[int]:
    """The lines of a buggy program that its fix takes out or changes."""
    if fixed is None or len(buggy.files) != 1 or buggy.set == "junobench":
        return set()
    one, other = (next(iter(it.files.values())).splitlines() for it in (buggy, fixed))
    changes = difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return {line + 1 for tag, start, end, _, _ in changes if tag != "equal" for line in range(start, max(end, start + 1))}  # fmt: skip


def truth_of(name: str) -> dict[str, dict[str, object]]:
    return {it["id"]: it for it in json.loads((HERE / "truth" / f"{name}.json").read_text())["programs"]}  # fmt: skip


def scored(programs: Sequence[Program], said: Sequence[list[Said]]) -> dict[str, Score]:
    """Odd and even apart."""
    scores = {"odd": Score(), "even": Score()}
    pairs: dict[str, dict[bool, tuple[Program, list[Said]]]] = {}
    for program, findings in zip(programs, said, strict=True):
        pairs.setdefault(program.id, {})[program.buggy] = (program, findings)
    for name, versions in pairs.items():
        set_name = next(iter(versions.values()))[0].set
        truth = truth_of(set_name).get(name)
        fixed, of_fixed = versions.get(False, (None, []))
        if fixed is not None:
            score = scores["odd" if fixed.number % 2 else "even"]
            score.fixed += 1
            score.alarms += bool(of_fixed)
            if of_fixed:
                score.flagged.append(f"{name}: {', '.join(sorted({it.slug for it in of_fixed}))}")
        if True not in versions:
            continue
        if fixed is None and name.startswith(f"{ORIGINAL.partition('/')[0]}/"):
            fixed, of_fixed = pairs[ORIGINAL][False]
        if fixed is not None or truth is not None:  # else nobody can say what is right
            count(scores, name, versions[True], fixed, of_fixed, truth)
    return scores


def count(
    scores: Mapping[str, Score],
    name: str,
    version: tuple[Program, list[Said]],
    fixed: Program | None,
    of_fixed: Sequence[Said],
    truth: Mapping[str, object] | None,
) -> None:
    buggy, of_buggy = version
    score = scores["odd" if buggy.number % 2 else "even"]
    also = {(it.slug, it.code) for it in of_fixed}
    own = [it for it in of_buggy if (it.slug, it.code) not in also]
    lines = changed_lines(buggy, fixed)
    if truth is not None and isinstance(truth["lines"], list):
        lines |= {line + buggy.moved for line in truth["lines"]}
    if fixed is None:
        own = [it for it in own if it.line in lines]
    score.buggy += 1
    score.detected += bool(own)
    score.at_the_line += any(it.line in lines for it in own)
    in_text = truth is not None and truth["in_text"] is True and truth["kind"] != "design"
    score.in_text += in_text
    score.detected_in_text += in_text and bool(own)
    if not own:
        kind = truth["kind"] if truth is not None else "not read"
        score.missed.append(
            f"{name} ({kind}{'' if in_text or truth is None else ', not in the text'})"
        )


def shown(name: str, half: str, score: Score) -> str:
    def share(part: int, whole: int) -> str:
        return f"{part}/{whole} ({100 * part / whole:.0f} %)" if whole else "-"

    precision = f"{100 * score.precision:.0f} %" if score.precision is not None else "-"
    in_text = share(score.detected_in_text, score.in_text) if half == "odd" else "not read"
    cells = (name, half, share(score.detected, score.buggy), in_text, str(score.at_the_line), share(score.alarms, score.fixed), precision)  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def lines_in(folder: Path) -> tuple[int, int]:
    """Files and lines of Python, those of notebooks included."""
    files = lines = 0
    for path in (*folder.rglob("*.py"), *folder.rglob("*.ipynb")):
        text = path.read_text(errors="replace")
        files += 1
        if path.suffix == ".py":
            lines += text.count("\n")
            continue
        try:
            cells = json.loads(text).get("cells", [])
        except ValueError:
            continue
        sources = ("".join(it.get("source", "")) for it in cells if it.get("cell_type") == "code")
        lines += sum(source.count("\n") + 1 for source in sources)
    return files, lines


def healthy(folders: Sequence[Path], lint: Sequence[str], confidence: str) -> None:
    print("\n| healthy code | files | lines | findings | for 10,000 lines |")
    print("| --- | --- | --- | --- | --- |")
    slugs: Counter[str] = Counter()
    for folder in folders:
        files, lines = lines_in(folder)
        found = asked([*lint, *(word for slug in sorted(OF_OLD_VERSIONS) for word in ("--ignore", slug))], confidence, [folder])  # fmt: skip
        told = [it for all in found.values() for it in all]
        slugs.update(it.slug for it in told)
        print(f"| {folder.name} | {files} | {lines} | {len(told)} | {10_000 * len(told) / max(1, lines):.2f} |")  # fmt: skip
    print("\n" + ", ".join(f"{slug} {times}" for slug, times in slugs.most_common()))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in SETS:
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--healthy", type=Path, nargs="*", default=[])
    parser.add_argument("--lint", default=f"{shlex.quote(sys.executable)} -m outlive lint")
    parser.add_argument("--confidence", choices=("likely", "possible"), default="likely")
    parser.add_argument("--list", action="store_true", help="Name what was missed or flagged.")
    given = parser.parse_args()
    lint = shlex.split(given.lint)
    print("| set | half | detected of buggy | cause in the text | at the line | flagged of fixed | precision |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- |")
    notes = []
    for name, programs_of in SETS.items():
        folder = getattr(given, name)
        if folder is None:
            continue
        programs = list(programs_of(Repository(folder)))
        if not programs:
            sys.exit(f"{folder} holds nothing of the set {name}.")
        for half, score in scored(programs, said_of(programs, lint, given.confidence)).items():
            print(shown(name, half, score))
            notes += [f"{name}, {half}, missed: {it}" for it in score.missed]
            notes += [f"{name}, {half}, flagged although fixed: {it}" for it in score.flagged]
    if given.list:
        print("", *notes, sep="\n")
    if given.healthy:
        healthy(given.healthy, lint, given.confidence)


if __name__ == "__main__":
    main()
