"""Source that nobody writes costs no more than source that somebody does."""

from __future__ import annotations

import ast

from outlive.source.syntax import MOST_TARGETS, targets_of


def test_of_an_assignment_to_thousands_of_names_the_first_are_looked_at() -> None:
    statement = ast.parse(" = ".join(f"x{n}" for n in range(5000)) + " = []").body[0]

    assert isinstance(statement, ast.Assign)
    assert ["x0", "x1"] == [getattr(it, "id", "") for it in targets_of(statement)[:2]]
    assert MOST_TARGETS == len(targets_of(statement))
