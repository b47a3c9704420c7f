"""One tree of a text: made once for a verdict, guarded against texts that nobody writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from outlive.source.tree import MOST_DEPTH, new_tree, tree_of


def test_a_text_is_parsed_once() -> None:
    assert tree_of("a = 1\n") is tree_of("".join(["a = ", "1\n"]))


@pytest.mark.parametrize(
    "text",
    ["def (", "\0", "\udc80", "x = " + "(" * 400, "x = " + "-" * 5000 + "1", "x = 1" + "+1" * 500],
    ids=["no Python", "a null", "a surrogate", "brackets", "signs", "a sum"],
)
def test_of_a_text_that_nobody_can_follow_the_tree_is_empty(text: str) -> None:
    tree = tree_of(text)

    assert ((), (), None) == (tree.statements, tree.functions, tree.statement_at(1))


def test_what_people_write_is_not_too_deep() -> None:
    text = "".join(f"{' ' * 4 * level}if True:\n" for level in range(30)) + " " * 120 + "pass\n"

    assert 30 < new_tree(text).depth < MOST_DEPTH
    assert 31 == len(tree_of(text).statements)


def test_the_coroner_loads_no_rules_for_it() -> None:
    code = (
        "import sys; import outlive.coroner.gather.gather;"
        "print([name for name in sys.modules if name.startswith(('outlive.source.', 'outlive.units.rules', 'libcst'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert {
        f"outlive.source.{name}"
        for name in ("lines", "locks", "makers", "syntax", "tree", "unfreed")
    } == set(names_in(found.stdout))


def names_in(text: str) -> list[str]:
    return [word.strip("[]' \n") for word in text.split(",")]
