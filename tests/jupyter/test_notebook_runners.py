"""Programs that run notebooks, under `outlive run`: the cell, the program's own error and the verdict all say why."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conftest import Outlive
from notebook_kernels import COLOUR, require_jupyter

require_jupyter("nbclient", "nbconvert", "papermill")

pytestmark = [pytest.mark.death, pytest.mark.notebook, pytest.mark.timeout(400)]

#: Three Pythons are started one after the other, by tools that are not small.
SECONDS = 200

CELLS = (
    "import ctypes",
    "def read(address):\n    return ctypes.string_at(address)",
    "x = 0\nread(x)\nprint('never')",
)
FAILING = ("x = [1, 2]", "def third(values):\n    return values[2]", "third(x)")
HEALTHY = ("x = 6", "print(x * 7)")


def write(path: Path, cells: tuple[str, ...]) -> None:
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(book, path)


def outputs(path: Path) -> str:
    cells = json.loads(path.read_text())["cells"]
    told = [out for cell in cells for out in cell.get("outputs", ())]
    errors = [out for out in told if out["output_type"] == "error"]
    return COLOUR.sub("", "\n".join(line for error in errors for line in error["traceback"]))


NBCLIENT = """
import sys, nbformat, nbclient
book = nbformat.read("book.ipynb", as_version=4)
try:
    nbclient.execute(book)
finally:
    nbformat.write(book, "done.ipynb")
"""
RUNNERS = {
    "nbclient": [sys.executable, "-c", NBCLIENT],
    "papermill": [sys.executable, "-m", "papermill", "book.ipynb", "done.ipynb"],
    "nbconvert": [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb",
                  "book.ipynb"],
    "jupyter execute": [sys.executable, "-m", "jupyter", "execute", "book.ipynb", "--output=done"],
}  # fmt: skip


@pytest.mark.parametrize("runner", RUNNERS)
def test_the_death_of_a_kernel_is_told_by_everybody(outlive: Outlive, runner: str) -> None:
    write(outlive.folder / "book.ipynb", CELLS)

    done = outlive("run", "--", *RUNNERS[runner], seconds=SECONDS)

    assert 1 == done.status, done.stderr
    assert "KernelDied" in done.stderr, "the program's own error says it"
    verdict = json.loads(outlive("why", "--json").stdout)
    where = verdict["cause"]["where"]
    assert "user-native-crashed" == verdict["cause"]["slug"]
    assert ("In [2]", 2, "return ctypes.string_at(address)") == (
        where["file"],
        where["line"],
        where["code"],
    )
    assert ("exit", 1) == (
        verdict["ending"]["kind"].replace("exception", "exit"),
        verdict["ending"]["exit_code"],
    )
    if runner in ("nbclient", "papermill"):  # the others write no notebook when a cell failed
        assert "In [2]:2 in read" in outputs(outlive.folder / "done.ipynb")


def test_papermill_marks_the_cell_that_killed_the_kernel_as_failed(outlive: Outlive) -> None:
    write(outlive.folder / "book.ipynb", CELLS)

    done = outlive("run", "--", *RUNNERS["papermill"], seconds=SECONDS)

    cells = json.loads((outlive.folder / "done.ipynb").read_text())["cells"]
    fatal = next(cell for cell in cells if "never" in "".join(cell["source"]))
    assert "failed" == fatal["metadata"]["papermill"]["status"]
    assert "outlive why --json" in done.stderr, "a kernel within a run is not a run of its own"
    assert "outlive why kernel-" not in done.stderr + outputs(outlive.folder / "done.ipynb")


@pytest.mark.parametrize("runner", ["nbclient", "papermill"])
def test_an_exception_in_a_cell_is_told_with_its_line_in_the_cell(
    outlive: Outlive, runner: str
) -> None:
    write(outlive.folder / "book.ipynb", FAILING)

    done = outlive("run", "--", *RUNNERS[runner], seconds=SECONDS)

    verdict = json.loads(outlive("why", "--json").stdout)
    where = verdict["cause"]["where"]
    assert ("uncaught-exception", "In [2]", 2) == (
        verdict["cause"]["slug"],
        where["file"],
        where["line"],
    )
    assert "IndexError" in verdict["cause"]["says"]
    assert "return values[2]" in done.stderr


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_healthy_notebook_gets_no_verdict(outlive: Outlive, runner: str) -> None:
    write(outlive.folder / "book.ipynb", HEALTHY)

    done = outlive("run", "--", *RUNNERS[runner], seconds=SECONDS)

    assert 0 == done.status, done.stderr
    assert "outlive" not in done.stderr
    assert '"cause": null' in outlive("why", "--json").stdout
    assert 1 == len(outlive.runs), "the kernel is a part of the program's run"


def test_a_program_that_goes_on_after_its_kernel_died_is_not_accused(outlive: Outlive) -> None:
    write(outlive.folder / "book.ipynb", CELLS)
    program = NBCLIENT.replace("finally:", "except Exception:")

    done = outlive("run", "--", sys.executable, "-c", program, seconds=SECONDS)

    assert 0 == done.status, done.stderr
    assert '"cause": null' in outlive("why", "--json").stdout


def test_an_error_of_the_program_itself_is_not_blamed_on_a_kernel_that_died_before(
    outlive: Outlive,
) -> None:
    write(outlive.folder / "book.ipynb", CELLS)
    program = NBCLIENT.replace("finally:", "except Exception:") + "\n{}['missing']\n"

    outlive("run", "--", sys.executable, "-c", program, seconds=SECONDS)

    cause = json.loads(outlive("why", "--json").stdout)["cause"]
    assert "uncaught-exception" == cause["slug"]
    assert "KeyError" in cause["says"]


STALE = {
    "defined below": (("x = 1", "print(x + offset)", "offset = 2"), "In [2]", 1, "proven"),
    "defined nowhere": (("x = 1", "y = x\nprint(y * factor)"), "In [2]", 2, "likely"),
    "scaled twice": (("x = [[1], [2]]", "x = [row[0] for row in x]", "x = [row[0] for row in x]"), "In [3]", 1, "likely"),
    "mistyped": (("length = 1", "print(lenght)"), "", 0, ""),
    "an exception of another kind": (("x = 1", "x / 0", "offset = 1"), "", 0, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", STALE)
def test_stale_notebook_state_is_told_from_a_mistake(outlive: Outlive, name: str) -> None:
    cells, file, line, confidence = STALE[name]
    write(outlive.folder / "book.ipynb", cells)
    program = NBCLIENT.replace('"book.ipynb"', "sys.argv[1]")

    outlive("run", "--", sys.executable, "-c", program, "book.ipynb", seconds=SECONDS)

    cause = json.loads(outlive("why", "--json").stdout)["cause"]
    if not file:
        assert "stale-notebook-state" != cause["slug"]
        return
    assert ("stale-notebook-state", confidence) == (cause["slug"], cause["confidence"])
    assert (file, line) == (cause["where"]["file"], cause["where"]["line"])
