"""Laws for every unit, present and future."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive.recorder
import outlive.units.causes
from made_evidence import PID, UNITS, ask, evidence, group
from outlive.cli.command_line import cli
from outlive.coroner.gather import gather, memory, processes, waits
from outlive.errors import PluginError
from outlive.model import fact_names
from outlive.model.events import (
    ChildDeath,
    Crash,
    OomLine,
    Program,
    Quit,
    Received,
    Sent,
    Stack,
    Thrown,
)
from outlive.model.evidence import Evidence
from outlive.model.findings import Fact, Finding, Place
from outlive.model.memory import Growth
from outlive.recorder import flight
from outlive.units.unit import KINDS, Unit, cause, discover
from recorded_deaths import victims
from unit_pages import check_page

TESTS = Path(__file__).parent.parent
CAUSES = Path(inspect.getfile(outlive.units.causes)).parent

#: Slugs are public names: scripts compare them and records keep them. None of these may go; a release adds its new ones here.
PUBLISHED = frozenset(
    """
    memory-limit-reached machine-out-of-memory address-space-limit allocation-refused worker-out-of-memory
    gpu-memory-exhausted
    kept-in-container function-retraced graph-grows tape-kept-open native-leak fragmented-heap
    prefetch-too-deep shuffle-buffer-too-large cache-in-memory parallel-map-too-wide widened-dtype oversized-image
    decompression-bomb
    terminated-by-process killed-by-process terminal-hung-up interrupted alarm-not-cancelled cpu-time-limit preempted
    native-op-crashed user-native-crashed tf-check-failed heap-corrupted division-in-op stack-overflow
    thread-stack-too-small illegal-instruction shared-memory-full mapped-file-truncated crashed-at-exit
    corrupt-image corrupt-record corrupt-weights missing-file record-schema-mismatch
    shape-mismatch dtype-mismatch not-finite
    numpy-abi-mismatch protobuf-mismatch shared-library-missing disk-full too-many-open-files too-many-threads
    session-closed operation-cancelled background-error-lost forked-after-threads deadlocked waiting-forever
    exited-by-program exited-without-cleanup recursion-too-deep stale-notebook-state uncaught-exception
    """.split()  # noqa: SIM905  # a table is easier to read
)

ALLOWED_IMPORTS = {
    "__future__", "difflib", "re", "shlex", "collections", "collections.abc", "outlive.model.fact_names", "outlive.model.findings", "outlive.model.evidence", "outlive.units.unit",
    # nouns and words, as pure as the view
    "outlive.model.events", "outlive.model.crash", "outlive.model.sender_names", "outlive.units.complaints", "outlive.model.data", "outlive.model.memory", "outlive.model.memory_looks",
    "outlive.units.complaint_facts", "outlive.units.exception_advice", "outlive.units.keeping_advice", "outlive.units.shape_advice", "outlive.units.memory_advice", "outlive.units.notebook_names", "outlive.model.surroundings_at_death", "outlive.model.patterns", "outlive.model.waits",
    "outlive.model.ranks.membership", "outlive.model.ranks.peer_words",
}  # fmt: skip

every_unit = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())


def file_of(unit: Unit[Evidence]) -> Path:
    return CAUSES / f"{unit.slug.replace('-', '_')}.py"


def test_there_is_one_unit_in_each_file_and_it_is_named_like_the_file() -> None:
    files = {path.stem.replace("_", "-") for path in CAUSES.glob("*.py")} - {"--init--"}

    assert files == UNITS.keys()
    assert len(UNITS) >= 16


def test_codes_are_unique() -> None:
    codes = [unit.code for unit in UNITS.values()]

    assert len(codes) == len(set(codes))


def test_no_slug_that_was_published_is_gone() -> None:
    assert PUBLISHED <= UNITS.keys()


@every_unit
def test_the_page_is_one_sentence_and_then_its_headings(unit: Unit[Evidence]) -> None:
    check_page(unit, cause)


def text_of(node: ast.expr) -> str:
    """A text, or the name of a fact that stands for one."""
    if isinstance(node, ast.Name):
        return str(getattr(fact_names, node.id, ""))
    return str(getattr(node, "value", ""))


@functools.cache
def names_made_by_probes() -> set[str]:
    """Facts and gaps that the readings can become, out of the source of the modules that make them."""
    found = set()
    for module in (gather, memory, processes, waits, flight):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
                if isinstance(target.value, ast.Name) and target.value.id == "gaps":
                    found.add(getattr(target.slice, "value", ""))
            if isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in ("add", "setdefault"):
                    found.add(text_of(node.args[0]))
    return found


@every_unit
def test_what_a_unit_needs_can_be_had(unit: Unit[Evidence]) -> None:
    assert set(unit.needs) <= names_made_by_probes()


def test_the_names_that_probes_make_are_found() -> None:
    assert {
        "oom counters",
        "kernel log",
        "stacks",
        "stderr",
        "peak memory",
    } <= names_made_by_probes()


@every_unit
def test_facts_that_a_unit_asks_for_by_name_can_be_had(unit: Unit[Evidence]) -> None:
    tables = {"address space limit", "cpu time limit"}
    made = names_made_by_probes() | tables | {f"{name}, hard" for name in tables}
    asked = set()
    for node in ast.walk(ast.parse(file_of(unit).read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("fact", "because"):
            asked |= {text_of(word) for word in node.args if isinstance(word, ast.Name)} - {""}

    assert asked <= made


@every_unit
def test_a_unit_lies_behind_units_that_exist_and_not_behind_itself(unit: Unit[Evidence]) -> None:
    assert set(unit.behind) <= UNITS.keys() - {unit.slug}


def test_no_unit_lies_behind_one_that_lies_behind_it() -> None:
    def reached(slug: str, way: tuple[str, ...] = ()) -> Iterator[str]:
        assert slug not in way, f"a circle: {way}"
        for general in UNITS[slug].behind:
            yield general
            yield from reached(general, (*way, slug))

    for slug in UNITS:
        assert slug not in set(reached(slug))


@every_unit
def test_a_unit_knows_only_its_argument(unit: Unit[Evidence]) -> None:
    tree = ast.parse(file_of(unit).read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}


def names_of_tests() -> str:
    files = [path for path in TESTS.rglob("test_*.py") if path.name != Path(__file__).name]
    functions = [
        node.name
        for path in files
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
    ]
    return "\n".join([path.stem for path in files] + functions)


@every_unit
def test_a_unit_has_a_victim_or_a_test_of_its_name(unit: Unit[Evidence]) -> None:
    killed = {victim.expected[0] for victim in victims() if "expect" in victim.header}

    assert unit.slug in killed or unit.slug.replace("-", "_") in names_of_tests()


def test_every_victim_expects_a_unit_or_nothing() -> None:
    for victim in victims():
        assert victim.expected[0] in UNITS.keys() | {"nothing"}, victim.name


@every_unit
def test_a_unit_explains_itself_on_the_command_line(
    unit: Unit[Evidence], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (unit.slug, unit.code):
        cli.main(args=["explain", name], prog_name="outlive", standalone_mode=False)

        page = capsys.readouterr().out
        assert unit.slug in page and unit.code in page
        assert all(heading in page for heading in cause.headings)
        assert max(map(len, page.splitlines())) <= 100


SECRET = "hunter2-secret"
HERE = Place("train.py", 5, "main", "step()")
IN_TENSORFLOW = Place(f"/home/{SECRET}/site-packages/tensorflow/python/x.py", 5, "call", own=False)


def sender(signal: str) -> Received:
    return Received(signal, 77, f"/bin/bash run --key {SECRET}", ancestors=("sshd",))


def telling() -> Iterator[Evidence]:
    """Evidence in which everything that can be private holds one word."""
    program = Program(
        pid=PID, own_pids=frozenset({PID}), family=frozenset({PID + 1}), python="3.11.7",
        command=("python", SECRET), folder=f"/home/{SECRET}",
    )  # fmt: skip
    line = f"oom-kill:constraint=CONSTRAINT_NONE task=python,pid={PID} {SECRET}"
    stack = Stack("0x1", (IN_TENSORFLOW, HERE))
    for how in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGALRM", "SIGXCPU", "SIGSEGV", "SIGABRT", "SIGUSR1", 1, 3):  # fmt: skip
        for pid in (PID, PID + 1):
            for whole in (False, True):
                yield evidence(
                    how,
                    program=program,
                    oom_lines=(OomLine(pid, whole, "/job", line),),
                    groups=(group(limit=10, used=10, kills=(0, 1)),),
                    received=() if how in ("SIGSEGV", "SIGABRT") else (sender(str(how)),),
                    log="F0000 00:00:17.1 9 shape.cc:356] Check failed: size >= 0",
                    sent=(Sent("SIGUSR1", PID, PID, (HERE,)),),
                    deaths=(ChildDeath(PID + 1, "SIGKILL", None, "worker"),),
                    thrown=(Thrown("MemoryError", "", (HERE,), pid=PID),) if how == 1 else (),
                    quits=(Quit("os._exit", 3, (HERE,), PID),) if how == 3 else (),
                    report=Crash("Segmentation fault", (stack,)),
                    lines={PID: Growth(HERE, 1.0, 10**8, 3.0)},
                    stacks=(stack,),
                    facts={"memory limit": 10, "peak memory": 9, "run time": 3.5},
                )


def private_words(facts: tuple[Fact, ...]) -> set[str]:
    """Every longer word of a private value; a number or a name alone says nothing of anybody."""
    values = [str(fact.value) for fact in facts if fact.private]
    return {word for value in values for word in re.split(r"[\s=,]+", value) if len(word) > 7}


def test_no_private_value_is_repeated_in_the_sentence_or_the_remedies() -> None:
    seen: set[str] = set()
    with_private: set[str] = set()
    for view in telling():
        for unit in UNITS.values():
            for finding in ask(unit.slug, view):
                seen.add(unit.slug)
                told = [finding.says, *(remedy.text for remedy in finding.remedies)]
                told += [word for remedy in finding.remedies for word in remedy.commands]
                for text in told:
                    assert SECRET not in text, unit.slug
                    for word in private_words(finding.because):
                        assert word not in text, unit.slug
                public = [fact for fact in finding.because if not fact.private]
                assert SECRET not in str(public), unit.slug
                with_private |= {unit.slug for fact in finding.because if fact.private}

    assert {
        "memory-limit-reached",
        "machine-out-of-memory",
        "terminated-by-process",
    } <= with_private
    assert len(seen) >= 10


def test_what_units_say_is_one_sentence_with_an_end() -> None:
    for view in telling():
        for unit in UNITS.values():
            for finding in ask(unit.slug, view):
                assert "\n" not in finding.says
                assert finding.says == finding.says.strip()
                if (
                    unit.slug != "uncaught-exception"
                ):  # there the message of the exception is the sentence
                    assert finding.says.endswith(".")
                for remedy in finding.remedies:
                    assert remedy.text.endswith(".")
                    assert remedy.text[0].isupper()


def test_a_unit_can_be_asked_twice_and_answers_the_same() -> None:
    for view in list(telling())[:8]:
        for unit in UNITS.values():
            assert ask(unit.slug, view) == ask(unit.slug, view)


PAGE = "One sentence.\n\n## What happened\nx\n\n## How we know\nx\n\n## What to do\nx\n"


def made(doc: str = PAGE, code: str = "D123", name: str = "bad_thing") -> Unit[Evidence]:
    def ask_(view: Evidence) -> Iterator[Finding]:
        yield from ()

    ask_.__doc__, ask_.__name__ = doc, name
    return cause(code, since="0.1")(ask_)


def test_a_well_made_unit_is_made() -> None:
    unit = made()

    assert ("bad-thing", "D123", "One sentence.") == (unit.slug, unit.code, unit.headline)


@pytest.mark.parametrize("code", ["", "D12", "D1234", "X123", "d123", "D12a"])
def test_a_code_of_another_form_is_refused(code: str) -> None:
    with pytest.raises(PluginError):
        made(code=code)


@pytest.mark.parametrize(
    "doc",
    [
        "",
        "One sentence.",
        PAGE.replace("## How we know", "## Evidence"),
        PAGE.replace("One sentence.", "No end"),
        PAGE.replace("## What to do\nx\n", ""),
    ],
    ids=["nothing", "no headings", "another heading", "no sentence", "a heading too few"],
)
def test_a_page_of_another_form_is_refused(doc: str) -> None:
    with pytest.raises(PluginError):
        made(doc)


def folder_of_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *files: tuple[str, str]
) -> None:
    """A package of causes beside the real one."""
    package = types.ModuleType("outlive.units.causes")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(__import__("sys").modules, "outlive.units.causes", package)
    for name, text in files:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(
            __import__("sys").modules, f"outlive.units.causes.{name}", raising=False
        )


UNIT = f'''
from outlive.units.unit import cause
@cause("{{code}}", since="0.1")
def {{name}}(evidence):
    """{PAGE}"""
    yield from ()
'''


def unit_file(name: str, code: str, unit: str = "") -> tuple[str, str]:
    return name, UNIT.format(code=code, name=unit or name)


def test_a_new_unit_is_found_by_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of_units(tmp_path, monkeypatch, unit_file("new_one", "D777"), unit_file("other", "D778"))

    assert ["new-one", "other"] == [unit.slug for unit in discover(cause)]


@pytest.mark.parametrize(
    "files",
    [
        [unit_file("one", "D777", unit="another")],
        [unit_file("one", "D777"), unit_file("two", "D777")],
        [("empty", "")],
        [("two_in_one", UNIT.format(code="D777", name="two_in_one") + UNIT.format(code="D778", name="b"))],
    ],
    ids=["another name", "the same code", "no unit", "two units"],
)  # fmt: skip
def test_a_badly_made_folder_is_an_error_at_once(
    files: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of_units(tmp_path, monkeypatch, *files)

    with pytest.raises(PluginError):
        discover(cause)


def test_kinds_do_not_share_a_prefix_or_a_folder() -> None:
    assert (
        len(KINDS) == len({kind.prefix for kind in KINDS}) == len({kind.package for kind in KINDS})
    )
