"""A number has a unit, and a fact that is asked for is written: names of facts, and who uses them."""

from __future__ import annotations

import ast
import copy
import functools
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive
from conftest import ROOT
from outlive.coroner.stored_verdict import stored_verdict
from outlive.model import fact_names
from outlive.model.fact_names import PEAK_MEMORY, FactName, Measure, elements_of, in_bytes
from outlive.model.findings import Ending, EndingKind, Fact, Finding, Verdict
from outlive.model.verdict_json import from_json, to_data, to_json
from outlive.recorder.store.run_folders import VERDICT_NAME
from outlive.report.text import said

SOURCE = Path(outlive.__file__).parent
VOCABULARY = "model/fact_names.py"
IMPORTED_FROM = "outlive.model.fact_names"

#: Functions that make a name, and where that may be: at the top of the vocabulary, or of a unit's own file.
MAKE = frozenset({"FactName", "in_bytes", "in_seconds", "counted", "in_words"})
OWN = ("units/causes/", "units/checks/", "units/rules/", "units/watches/")

#: Functions whose first argument is the name of a fact that they write; ``Notes`` and ``gather`` have one called ``add``.
WRITE = frozenset({"Fact", "add"})
#: Modules with tables of names that they write.
TABLES = ("coroner/gather/gather.py", "doctor/look/")
#: Functions that are told which facts to look for.
ASK = frozenset(
    {"fact", "because", "number", "text", "_number", "fine", "warning", "will_fail", "unsure", "unknown"}
)  # fmt: skip


class Uses:
    """Who writes a fact, who asks for one, and names that are not where they belong."""

    def __init__(self) -> None:
        self.written: set[str] = set()
        self.asked: dict[str, str] = {}
        self.used: set[str] = set()
        self.misplaced: list[str] = []
        self.own: dict[str, str] = {}  #: texts that a unit's file has named for itself

    def look_at(self, module: str, text: str) -> None:
        """Look at one module."""
        tree = ast.parse(text)
        known = names_in(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in known:
                self.used.add(known[node.id])
                if module.startswith(TABLES):
                    self.written.add(known[node.id])
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            self._look_at_call(module, call, known)
        self._look_at_own(module, tree)

    def _look_at_call(self, module: str, call: ast.Call, known: dict[str, str]) -> None:
        called = called_in(call)
        if called in WRITE:
            self.written.update(known[it] for it in named(call.args[:1]) if it in known)
        if called in ASK:
            place = f"{module}:{call.lineno}"
            self.asked.update((known[it], place) for it in named(call.args) if it in known)
        for node in call.args[:1] if called == "Fact" else ():
            if isinstance(node, ast.Constant) and node.value in vocabulary().values():
                self.misplaced.append(f"{module}:{node.lineno}: a bare text for {node.value!r}")

    def _look_at_own(self, module: str, tree: ast.Module) -> None:
        at_the_top = [node.value for node in tree.body if isinstance(node, ast.Assign)]
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if called_in(call) not in MAKE:
                continue
            place = f"{module}:{call.lineno}"
            text = ast.literal_eval(call.args[0]) if isinstance(call.args[0], ast.Constant) else ""
            if call not in at_the_top or not module.startswith(OWN):
                self.misplaced.append(f"{place}: a name that is not at the top of a unit's file")
            elif text in {*vocabulary().values(), *self.own}:
                self.misplaced.append(f"{place}: {text!r} has a name already")
            else:
                self.own[text] = place

    def flaws(self) -> list[str]:
        """Tell what the law forbids."""
        return [
            *self.misplaced,
            *(f"{at}: nobody writes {it!r}" for it, at in self.asked.items() if it not in self.written),
            *(f"{it!r}: nobody uses it" for it in vocabulary().values() if it not in self.used),
        ]  # fmt: skip


@functools.cache
def vocabulary() -> dict[str, str]:
    return {name: str(it) for name, it in vars(fact_names).items() if isinstance(it, FactName)}


def names_in(tree: ast.Module) -> dict[str, str]:
    """The names of the vocabulary that a module has imported, and what they stand for."""
    return {
        (alias.asname or alias.name): vocabulary()[alias.name]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == IMPORTED_FROM
        for alias in node.names
        if alias.name in vocabulary()
    }


def called_in(call: ast.Call) -> str:
    """The last word of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def named(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        parts = (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,)
        yield from (part.id for part in parts if isinstance(part, ast.Name))


@functools.cache
def uses_in_source() -> Uses:
    found = Uses()
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        if module != VOCABULARY and not module.startswith("inside/"):
            found.look_at(module, path.read_text(encoding="utf-8"))
    return found


def uses(planted: str = "", module: str = "units/causes/made_up.py") -> Uses:
    """Everything in the source, and a planted module."""
    found = copy.deepcopy(uses_in_source())
    found.look_at(module, planted)
    return found


def test_what_is_asked_for_is_written_under_the_one_name_it_has() -> None:
    assert [] == uses().flaws()


def test_every_fact_is_named_once_and_the_names_say_what_the_texts_say() -> None:
    assert len(vocabulary()) == len(set(vocabulary().values()))
    for name, text in vocabulary().items():
        words = "".join(it if it.isalnum() else " " for it in text.replace("'s", "s")).split()
        assert name == "_".join(words).upper()


@pytest.mark.parametrize(
    ("planted", "flaw"),
    [
        ('Fact("peak memory", 5, "x")', "a bare text for 'peak memory'"),
        ('SIZE = in_bytes("peak memory")', "'peak memory' has a name already"),
        ('def f():\n    return Fact(in_bytes("x"), 5, "y")', "not at the top of a unit's file"),
    ],
)
def test_a_name_that_is_not_where_it_belongs_is_found(planted: str, flaw: str) -> None:
    assert any(flaw in it for it in uses(planted).flaws())


def test_a_name_outside_of_the_units_belongs_to_the_vocabulary() -> None:
    planted = 'ROOM = in_bytes("room in the quota")'

    assert [] == uses(planted).flaws()
    assert any("not at the top" in it for it in uses(planted, "report/made_up.py").flaws())


def test_a_fact_that_nobody_writes_is_found_where_it_is_asked_for() -> None:
    asking = uses()
    asking.written.discard("cpu time")

    assert [it.partition(": ")[2] for it in asking.flaws()] == ["nobody writes 'cpu time'"]


WRITES_FACTS = """
from outlive.model.evidence import Evidence
from outlive.model.fact_names import PEAK_MEMORY, in_bytes
from outlive.model.findings import Fact

ROOM = in_bytes("room in the quota")

def fine(evidence: Evidence) -> object:
    return Fact(PEAK_MEMORY, 5, "x"), Fact(ROOM, 5, "x"), Fact("held by", "a text", "x"), evidence.run.fact(PEAK_MEMORY)
"""
A_NUMBER = 'Fact("room left over", 5, "x")'
ASKS_BY_TEXT = 'def f(evidence: Evidence) -> object:\n    return evidence.run.fact("peak memory")'


def test_the_type_checker_finds_a_number_without_a_unit_and_a_fact_asked_for_by_a_text(
    tmp_path: Path,
) -> None:
    (tmp_path / "made_up.py").write_text(f"{WRITES_FACTS}\n{A_NUMBER}\n\n{ASKS_BY_TEXT}\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", tmp_path / "cache",
         tmp_path / "made_up.py"],
        cwd=ROOT / "src", capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if " error: " in line]
    text = (tmp_path / "made_up.py").read_text().splitlines()

    assert [text[int(line) - 1].strip() for line in lines] == [
        A_NUMBER,
        'return evidence.run.fact("peak memory")',
    ], done.stdout


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("peak memory", 1_400_000_000, "1.4 GB"),
        ("address space", 2_000_000, "2.0 MB"),
        ("memory held", 512, "512 bytes"),
        ("run time", 6.58, "6.6 s"),
        ("times the cell was run", 3, "3"),
        ("tasks limit", 19_000, "19000"),
        ("memory maps allowed", 65_530, "65530"),
        ("offset that was read", 4096, "4096"),
        ("open files limit", "unlimited", "unlimited"),
        ("persistent", True, "True"),
    ],
)
def test_a_value_is_said_in_the_unit_of_its_name(name: str, value: object, words: str) -> None:
    assert words == said(Fact(name, value, "x"))  # type: ignore[call-overload]


def test_a_fact_keeps_its_unit_and_shows_it_to_nobody_who_reads_the_json() -> None:
    fact = Fact(PEAK_MEMORY, 5000, "getrusage")
    ending = Ending(EndingKind.EXIT, exit_code=1)
    told = Verdict("r", ending, (Finding("says", (fact,), slug="kept-in-container"),))
    again = from_json(to_json(told))

    assert type(fact.name) is str
    assert to_data(told)["cause"]["because"] == [
        {"name": "peak memory", "value": 5000, "source": "getrusage"}
    ]
    assert again.findings[0].because[0].unit is Measure.BYTES
    assert pickle.loads(pickle.dumps(fact)).unit is Measure.BYTES
    assert pickle.loads(pickle.dumps(PEAK_MEMORY)).unit is Measure.BYTES


def test_a_number_that_only_its_cause_has_named_is_read_back_with_its_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from outlive.units.causes import kept_in_container

    monkeypatch.setattr(kept_in_container, "OWN", in_bytes("a name of its own"), raising=False)
    facts = (Fact(kept_in_container.OWN, 5000, "x"), Fact(elements_of("album"), 0, "x"))  # type: ignore[attr-defined]
    finding = Finding("says", facts, slug="kept-in-container")
    told = Verdict("r", Ending(EndingKind.EXIT, exit_code=1), (finding,))
    (tmp_path / VERDICT_NAME).write_text(to_json(told))
    again = stored_verdict(str(tmp_path))

    assert again is not None
    assert [said(fact) for fact in again.findings[0].because] == ["5.0 kB", "0"]


def test_a_new_cause_names_its_own_numbers_and_breaks_no_law() -> None:
    text = (ROOT / "tests" / "made_up_cause" / "file_size_limit.py").read_text(encoding="utf-8")

    assert "in_bytes(" in text
    assert [] == uses(text, "units/causes/file_size_limit.py").flaws()
