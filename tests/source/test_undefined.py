"""Names that nothing binds: where the text may bind names unseen, nobody is accused."""

from __future__ import annotations

import json

import pytest

from outlive.source.parsed import Source


def undefined(text: str, path: str = "program.py") -> list[str]:
    return [it.node.id for it in Source(path, text).undefined]


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": text} for text in cells]
    return json.dumps({"cells": made})


@pytest.mark.parametrize(
    "text",
    [
        "from helpers import *\nprint(missing)",
        "exec(open('helpers.py').read())\nprint(missing)",
        "globals()['missing'] = 3\nprint(missing)",
        "import typing\nif typing.TYPE_CHECKING:\n    print(missing)",
        "type_of: missing = 3",
    ],
)
def test_what_may_be_bound_unseen_is_not_accused(text: str) -> None:
    assert [] == undefined(text)


def test_a_notebook_has_names_of_its_own_and_magics_may_bind_more() -> None:
    assert ["missing"] == undefined(
        notebook("%%time\ndisplay(In, _)\nx = 3", "print(x, missing)"), "a.ipynb"
    )
    assert [] == undefined(notebook("%time x = 3", "print(x)"), "a.ipynb")
    assert [] == undefined(notebook("%run helpers.py", "print(missing)"), "a.ipynb")
    assert [] == undefined(notebook("if then else", "print(missing)"), "a.ipynb")


def test_the_import_or_the_nearest_name_is_suggested() -> None:
    (known,) = Source("a.py", "print(np.zeros(3))").undefined
    (near,) = Source("a.py", "batch_size = 3\nprint(batch_sise)").undefined

    assert ("import numpy as np", "") == (known.statement, known.nearest)
    assert ("", "batch_size") == (near.statement, near.nearest)
