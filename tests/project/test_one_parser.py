"""The user's source is parsed in one place; whoever else parses Python has a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import outlive

SOURCE = Path(outlive.__file__).parent

ENGINE = "source/syntax.py"
REASONS = {
    "inside/plan/pipelines.py": "runs in the user's Python, where there is nothing but `inside`",
    "doctor/look/cuda.py": "reads a file of TensorFlow's, none of the user's",
}


PARSERS = {"ast.parse", "ast.PyCF_ONLY_AST"}


def parsers(tree: ast.AST) -> Iterator[ast.Attribute]:
    """``ast.parse``, and the flag that makes ``compile`` do the same."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in PARSERS:
            yield node


def test_the_users_source_is_parsed_in_one_place() -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(parsers(ast.parse(path.read_text())))
    }

    assert {ENGINE, *REASONS} == found


def test_nobody_takes_the_parser_by_another_name() -> None:
    takers = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "ast"
    ]

    assert [] == takers
