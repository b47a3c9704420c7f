"""Which limit the gauge shows."""

from __future__ import annotations

import pytest

from notebook_kernels import require_jupyter

require_jupyter("jupyter_server")

from outlive.jupyter.gauge import shown_limit  # noqa: E402  # a skip comes first

GROUP, MACHINE = (100, 1000), (4000, 16000)


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        ([GROUP, MACHINE], GROUP),
        ([GROUP, (12000, 16000)], (12000, 16000)),
        ([(990, 1000), (12000, 16000)], (990, 1000)),
        ([MACHINE], MACHINE),
        ([], (0, 0)),
    ],
    ids=["the smallest", "the one that is nearly reached", "both", "the machine's", "none"],
)
def test_the_limit_that_matters(limits: list[tuple[int, int]], shown: tuple[int, int]) -> None:
    assert shown == shown_limit(limits)
