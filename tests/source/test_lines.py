"""Questions about the text of a program: what makes something on a line, and what only waits beside it."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlive.source import lines, makers
from outlive.source.tree import tree_of

TEXT = textwrap.dedent("""\
    import time

    class Reader:
        @property
        @staticmethod
        def run(self, count):
            kept = []
            for number in range(count):
                part = self.source.read(number)
                kept.append(part)
                time.sleep(0.1)
                print(number)
            while True:
                time.sleep(1)
            return (lambda: lib.decode(kept)[0].open())()

    def main():
        Reader().run(3)
    """)


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(TEXT.splitlines(), 1) if words in line)


def test_what_was_made_before_a_wait_is_what_the_wait_is_named_for() -> None:
    found = makers.makers_around(tree_of(TEXT), line_of("sleep(0.1)"))

    assert [line_of("kept.append"), line_of("self.source.read")] == found


def test_a_line_that_makes_something_stands_for_itself() -> None:
    assert [] == makers.makers_around(tree_of(TEXT), line_of("kept.append"))


def test_a_wait_alone_in_its_loop_is_named_for_what_is_around_the_loop() -> None:
    assert line_of("return (lambda") in makers.makers_around(tree_of(TEXT), line_of("sleep(1)"))


@pytest.mark.parametrize(
    ("words", "waits"),
    [("sleep(0.1)", True), ("print(", False), ("kept.append", False), ("import time", False)],
)
def test_only_a_bare_wait_only_waits(words: str, waits: bool) -> None:
    assert waits == makers.only_waits(tree_of(TEXT), line_of(words))


@pytest.mark.parametrize(
    ("words", "looped"),
    [("kept.append", True), ("sleep(1)", True), ("kept = []", False), ("Reader().run", False)],
)
def test_a_line_is_in_a_loop_of_its_own_function(words: str, looped: bool) -> None:
    assert looped == lines.is_in_loop(tree_of(TEXT), line_of(words))


def test_of_a_file_that_cannot_be_read_nothing_is_known() -> None:
    assert lines.is_in_loop(tree_of(""), 3) is None
    assert [] == makers.makers_around(tree_of("def ("), 1)


def test_calls_are_known_by_the_name_that_they_begin_with() -> None:
    assert {"lib"} <= set(lines.called_on(tree_of(TEXT), line_of("lib.decode")))
    assert ["self"] == lines.called_on(tree_of(TEXT), line_of("self.source.read"))


def test_a_line_belongs_to_its_innermost_function() -> None:
    assert ("run", "main", "<module>") == (
        tree_of(TEXT).function_name_at(line_of("kept = []")),
        tree_of(TEXT).function_name_at(line_of("Reader().run")),
        tree_of(TEXT).function_name_at(1),
    )


def test_a_function_begins_at_its_decorators_and_is_named_at_its_def() -> None:
    assert line_of("def run") == lines.line_of_def(tree_of(TEXT), line_of("@property"))


def test_objects_are_made_where_their_class_is_called() -> None:
    assert [(line_of("Reader().run"), "main")] == lines.constructed(tree_of(TEXT), "Reader")


@given(st.text(max_size=200), st.integers(-2, 20))
def test_no_text_and_no_line_is_too_strange(text: str, line: int) -> None:
    makers.makers_around(tree_of(text), line)
    makers.line_behind(tree_of(text), line)
    lines.called_on(tree_of(text), line)
    lines.is_in_loop(tree_of(text), line)
    tree_of(text).function_name_at(line)
    lines.names_on(tree_of(text), line)
    lines.constructed(tree_of(text), "x")


@pytest.mark.parametrize(
    ("line", "following"),
    [(3, 8), (5, 8), (8, 11), (10, 11), (11, None), (14, None)],
    ids=["in a loop", "in a loop in it", "no loop", "in a branch", "the last", "another function"],
)
def test_what_comes_next_lies_behind_the_loop(line: int, following: int | None) -> None:
    text = """def run(numbers):
    for number in numbers:
        sleep(1)
        for other in numbers:
            sleep(1)
    sleep(1)
    # nothing
    made = make(3)
    if made:
        sleep(1)
    more = made * 2

def wait():
    sleep(1)
"""

    assert following == makers.line_behind(tree_of(text), line)
