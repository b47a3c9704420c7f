"""What Outlive looks at after an error it does not hold where another thread may run: what the program deletes is gone at once."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from outlive.inside.events import scene as module
from outlive.inside.events.scene import Scene


class Heavy:
    """Something that a cell has made, and deletes."""


def test_nothing_of_the_program_is_held_while_other_threads_may_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``os.getcwd`` lets other threads run. In a notebook ``del kept`` freed nothing then, until a thread of ours was done."""
    names: dict[str, Any] = {"kept": Heavy()}
    heavy = weakref.ref(names["kept"])
    freed: list[bool] = []

    def lets_others_run() -> str:
        names.pop("kept", None)
        freed.append(heavy() is None)
        return "/"

    monkeypatch.setattr(module, "folder", lets_others_run)
    pipelines: Any = SimpleNamespace(graphs=list, any_built=False)
    scene = Scene(lambda file: True, pipelines)
    try:
        exec(compile("kept\nraise ValueError('by the cell')", "cell.py", "exec"), names)
    except ValueError as error:
        scene.around(error, {"message": "by the cell"}, own_thread=False)

    assert [True] == freed
