"""How many elements a container may hold, as its source says."""

from __future__ import annotations

import ast

import pytest

from outlive.coroner.gather.bounds import bound_in
from outlive.source.tree import tree_of


def named(node: ast.AST) -> bool:
    return ast.unparse(node) in ("kept", "self.kept")


@pytest.mark.parametrize(
    ("code", "bound"),
    [
        ("kept = deque(maxlen=limit)", "limit"),
        ("kept = deque([], 90)", "90"),
        ("self.kept = queue.Queue(size)", "size"),
        ("self.kept = deque(maxlen=None)", ""),
        ("kept = deque(maxlen=5)", ""),
        ("if len(self.kept) >= self.most:\n    self.kept[at] = new\nelse:\n    self.kept.append(new)", "self.most"),
        ("while most < len(kept):\n    kept.popleft()", "most"),
        ("if len(kept) > most:\n    del kept[0]", "most"),
        ("if len(kept) >= batch:\n    train(kept)", ""),
        ("if len(kept) < batch:\n    kept.pop()", ""),
        ("if len(other) > most:\n    kept.pop()", ""),
        ("kept = []", ""),
    ],
)  # fmt: skip
def test_the_bound_of_a_container(code: str, bound: str) -> None:
    assert bound == bound_in(tree_of(code), named, length=20)


def test_the_bound_of_a_cache_is_in_its_decorator() -> None:
    code = "@lru_cache(maxsize=100_000)\ndef load(name):\n    return name\n"

    assert "100000" == bound_in(tree_of(code), lambda node: False, length=20, cache_line=1)
