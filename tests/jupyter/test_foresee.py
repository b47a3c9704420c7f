"""A word before a cell that will fail, in a real kernel: above its output, and the cell runs all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_kernels import notebook, require_jupyter

require_jupyter()

from outlive.jupyter.provisioner import OutliveProvisioner  # noqa: E402  # a skip comes first

pytestmark = pytest.mark.notebook


def test_with_the_switch_each_cell_is_looked_at_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OutliveProvisioner, "foresee", True)
    with notebook(tmp_path) as opened:
        first = opened.run("import numpy as np\nfeatures, weights = np.ones((8, 3)), np.ones((5, 2))\nprint('ready')")  # fmt: skip
        assert "ready\n" == first.text

        failed = opened.run("print('begun')\nfeatures @ weights")
        assert failed.text.startswith("outlive: line 2 will fail: the shapes [8, 3] and [5, 2] do not fit together")  # fmt: skip
        assert failed.text.endswith("begun\n")
        assert "ValueError" == failed.errors[0]["ename"]

        missing = opened.run("print(feature)")
        assert "outlive: line 1 will fail: `feature` is not defined. Did you mean `features`?\n" == missing.text  # fmt: skip
        assert "NameError" == missing.errors[0]["ename"]

        healthy = opened.run("print((features.T @ features).shape)\n_ = 3")
        assert ("(3, 3)\n", []) == (healthy.text, healthy.errors)

        opened.run("%load_ext outlive\n%outlive foresee off")
        assert "" == opened.run("nothing_of_this").text


def test_without_the_switch_nothing_of_it_is_loaded_until_it_is_asked_for(tmp_path: Path) -> None:
    with notebook(tmp_path) as opened:
        assert "" == opened.run("nothing_of_this").text
        loaded = "import sys\nprint([name for name in sys.modules if name.startswith('outlive')])"
        assert "[]\n" == opened.run(loaded).text

        opened.run("%load_ext outlive\n%outlive foresee on")
        assert "`nothing_of_this` is not defined" in opened.run("nothing_of_this").text
