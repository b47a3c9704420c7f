"""What is written is read: kinds of entries, and links by which the program is told something, are named once."""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive
from outlive.inside.notes import kinds, links
from outlive.recorder.store.note_kinds import KINDS, UNREADABLE

SOURCE = Path(outlive.__file__).parent

#: Functions whose first argument is a kind that they write down.
WRITE = frozenset({"note", "_note", "_note_act", "_event", "tell"})
#: Functions that are told which kind to look for: by their first argument, or by the one after the readings.
READ = frozenset({"of_kind", "one", "all", "is_due", "_notes", "_checkpoints"})
#: Functions of these names that are about something else, by the module.
NO_KINDS = {
    "report/telemetry/events.py": "events as OpenTelemetry names them",
}

#: Where a dictionary's "kind" is not that of an entry, but of a thing within one.
OF_THINGS = {
    "inside/events/scene.py": "of a value",
    "inside/events/waits.py": "of what a thread waits for",
    "inside/memory/heap_walk.py": "of a container",
    "recorder/crash/crash_site.py": "of a fault",
    "recorder/hang/py_spy.py": "of what a thread waits for",
}

#: The shapes name every kind, and read none.
SHAPES = "recorder/store/note_kinds.py"
VOCABULARY = "inside/notes/kinds.py"


class Uses:
    """Where kinds are written and read, and texts that stand where a kind belongs."""

    def __init__(self) -> None:
        self.written: dict[str, set[str]] = {}
        self.read: dict[str, set[str]] = {}
        self.bare: list[str] = []

    def look_at(self, module: str, text: str) -> None:
        """Look at one module, of Python or of C."""
        if module.endswith((".c", ".h")):
            for kind in re.findall(r'\\"kind\\":\\"([^"\\]*)\\"', text):
                self.written.setdefault(kind, set()).add(module)
            return
        tree = ast.parse(text)
        writing = {id(node) for node in written_in(tree)}
        for node in ast.walk(tree):
            if (kind := named(node)) is not None:
                uses = self.written if id(node) in writing else self.read
                uses.setdefault(kind, set()).add(module)
        self.bare += [
            f"{module}:{node.lineno}: {ast.unparse(node)}"
            for node in (*written_in(tree, module), *compared_in(tree), *asked_for_in(tree))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]

    def flaws(self) -> list[str]:
        """Tell what the law forbids."""
        names = {str(kind) for kind in vocabulary().values()}
        return [
            *(f"{place}: a text, not a kind of kinds.py" for place in self.bare),
            *(f"{kind}: written, not in kinds.py" for kind in self.written.keys() - names),
            *(f"{kind}: nobody writes it" for kind in names - self.written.keys()),
            *(f"{kind}: nobody outside reads it" for kind in names if not self._readers(kind)),
        ]

    def _readers(self, kind: str) -> set[str]:
        """Those that are not loaded in the program."""
        return {it for it in self.read.get(kind, ()) if not it.startswith("inside/")} - {SHAPES}


def vocabulary() -> dict[str, kinds.Kind]:
    return {name: kind for name, kind in vars(kinds).items() if isinstance(kind, kinds.Kind)}


def named(node: ast.AST) -> str | None:
    """Give the kind that ``kinds.NAME`` stands for."""
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "kinds":
        found = vocabulary().get(node.attr)
        return None if found is None else str(found)
    return None


def calls(tree: ast.AST, names: frozenset[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            yield node


def last_name(node: ast.AST) -> str:
    """The name at the end of a dotted one. To unparse every call of the source takes seconds."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def written_in(tree: ast.AST, module: str = "") -> Iterator[ast.expr]:
    """What stands where an entry gets its kind: in the call that writes one, or in the entry as a whole."""
    for call in calls(tree, WRITE) if module not in NO_KINDS else ():
        yield from call.args[:1]
    for node in ast.walk(tree) if module not in OF_THINGS else ():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "kind":
                    yield value


def compared_in(tree: ast.AST) -> Iterator[ast.expr]:
    """What the kind of an entry is compared with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and is_kind_of_entry(node.left):
            for side in node.comparators:
                yield from side.elts if isinstance(side, ast.Tuple | ast.Set | ast.List) else [side]


def is_kind_of_entry(node: ast.expr) -> bool:
    return isinstance(node, ast.Call | ast.Subscript) and ast.unparse(node).endswith(
        (".get('kind')", "['kind']")
    )


def asked_for_in(tree: ast.AST) -> Iterator[ast.expr]:
    for call in calls(tree, READ):
        yield from call.args[:2]


@functools.cache
def uses_in_source() -> Uses:
    found = Uses()
    for path in sorted(it for it in SOURCE.rglob("*") if it.suffix in (".py", ".c", ".h")):
        module = path.relative_to(SOURCE).as_posix()
        if module != VOCABULARY:
            found.look_at(module, path.read_text(encoding="utf-8"))
    return found


def uses(planted: str = "", module: str = "cli/made_up.py") -> Uses:
    """Everything in the source, and a planted module."""
    found = copy.deepcopy(uses_in_source())
    found.look_at(module, planted)
    return found


def test_what_is_written_is_read_and_has_its_name_from_the_vocabulary() -> None:
    assert [] == uses().flaws()


def test_every_kind_is_named_once_and_has_a_shape() -> None:
    assert len(vocabulary()) == len(set(vocabulary().values()))
    assert {*vocabulary().values(), UNREADABLE} == set(KINDS)


def test_the_names_say_what_the_texts_say() -> None:
    assert {kind.upper().replace("-", "_") for kind in vocabulary().values()} == set(vocabulary())


@pytest.mark.parametrize(
    "planted",
    [
        'def f(journal):\n    journal.note("invented", at=1)',
        'def f(journal):\n    journal.note("census", at=1)',
        'ENTRY = {"kind": "invented", "at": 1}',
        'def f(note):\n    return note.get("kind") == "census"',
        'def f(note):\n    return note["kind"] in ("run", "hang")',
        'def f(process):\n    return process.of_kind("census")',
    ],
)
def test_a_kind_that_is_a_bare_text_is_found(planted: str) -> None:
    assert any("cli/made_up.py" in flaw for flaw in uses(planted).flaws())


def test_a_kind_that_only_c_knows_is_found() -> None:
    planted = r'add_text(&to, "{\"kind\":\"invented\",\"time\":");'

    assert uses(planted, "inside/native/made_up.c").flaws() == [
        "invented: written, not in kinds.py"
    ]


@pytest.mark.parametrize("kind", sorted(vocabulary().values()))
def test_a_kind_without_a_reader_or_a_writer_is_found(kind: str) -> None:
    unread, unwritten = uses(), uses()
    unread.read[kind] = {"inside/agent.py", SHAPES}
    del unwritten.written[kind]

    assert f"{kind}: nobody outside reads it" in unread.flaws()
    assert f"{kind}: nobody writes it" in unwritten.flaws()


#: What is given the path of a link, or the name of one.
PATHS = frozenset({"join", "write_link", "tell_inside", "link_in", "islink", "readlink", "symlink"})
LINKS = "inside/notes/links.py"
#: It must be readable by Pythons that cannot load the vocabulary, and costs nothing where no recorder is wanted.
SITECUSTOMIZE = "inside/start/path/sitecustomize.py"


def all_links() -> dict[str, str]:
    return {name: str(it) for name, it in vars(links).items() if isinstance(it, links.Link)}


class LinkUses:
    """Which side of the record names which link, and texts that stand where one belongs."""

    def __init__(self) -> None:
        self.outside: set[str] = set()
        self.inside: set[str] = set()
        self.bare: list[str] = []

    def look_at(self, module: str, text: str) -> None:
        """Look at one module of Python."""
        tree = ast.parse(text)
        named_here = self.inside if module.startswith("inside/") else self.outside
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and last_name(node.value) == "links":
                named_here.update(text for text in [all_links().get(node.attr)] if text)
        self.bare += [
            f"{module}:{node.lineno}: {ast.unparse(node)}"
            for node, names in stand_for_links(tree)
            if isinstance(node, ast.Constant) and node.value in names
        ]

    def flaws(self) -> list[str]:
        """Tell what the law forbids."""
        names = set(all_links().values())
        return [
            *(f"{place}: a text, not a link of links.py" for place in self.bare),
            *(f"{name}: nobody outside writes it" for name in names - self.outside),
            *(f"{name}: nobody inside reads it" for name in names - self.inside),
        ]


def stand_for_links(tree: ast.AST) -> Iterator[tuple[ast.expr, set[str]]]:
    """What stands where a link or the variable belongs, and the texts that it may not be."""
    names = set(all_links().values())
    for call in calls(tree, PATHS):
        yield from ((argument, names) for argument in call.args[:2])
    for call in calls(tree, frozenset({"get", "pop"})):
        yield from ((argument, {links.FOLDER_VARIABLE}) for argument in call.args[:1])
    for value in constants_in(tree):
        yield value, names | {links.FOLDER_VARIABLE}


def constants_in(tree: ast.AST) -> Iterator[ast.expr]:
    """What is named a second time: ``BRAKE_NAME = "brake"``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and last_name(node.targets[0]).endswith(
            ("_NAME", "_LINK", "VARIABLE", "QUESTION")
        ):
            yield node.value


@functools.cache
def link_uses_in_source() -> LinkUses:
    found = LinkUses()
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        if module not in (LINKS, SITECUSTOMIZE):
            found.look_at(module, path.read_text(encoding="utf-8"))
    return found


def link_uses(planted: str = "") -> LinkUses:
    """Everything in the source, and a planted module."""
    found = copy.deepcopy(link_uses_in_source())
    found.look_at("cli/made_up.py", planted)
    return found


def test_a_link_is_written_outside_and_read_inside_under_its_one_name() -> None:
    assert [] == link_uses().flaws()
    assert {name.lower() for name in all_links()} == set(all_links().values())


def test_the_first_file_that_is_loaded_repeats_the_names_as_they_are() -> None:
    text = (SOURCE / SITECUSTOMIZE).read_text(encoding="utf-8")
    tree = ast.parse(text)
    repeated = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_AT_ONCE"
    )
    variables = {it for it in re.findall(r'"([^"\n]*)"', text) if it.startswith("OUTLIVE_")}

    assert repeated == links.AT_ONCE
    assert variables == {links.FOLDER_VARIABLE}


@pytest.mark.parametrize(
    "planted",
    [
        'BRAKE_NAME = "brake"',
        'def f(rings):\n    write_link(os.path.join(rings, "limit"), "1 2")',
        'def f(folder):\n    return os.path.islink(os.path.join(folder, "deep"))',
        'def f():\n    return os.environ.get("OUTLIVE_RECORD_FOLDER")',
    ],
)
def test_a_link_that_is_a_bare_text_is_found(planted: str) -> None:
    assert any("cli/made_up.py" in flaw for flaw in link_uses(planted).flaws())


def test_a_link_that_only_one_side_names_is_found() -> None:
    unread, unwritten = link_uses(), link_uses()
    unread.inside.discard(links.TRIM)
    unwritten.outside.discard(links.TRIM)

    assert unread.flaws() == ["trim: nobody inside reads it"]
    assert unwritten.flaws() == ["trim: nobody outside writes it"]
