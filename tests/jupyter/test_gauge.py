"""Which limit the gauge shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_kernels import require_jupyter

require_jupyter("jupyter_server")

import outlive.jupyter.gauge as gauge_module  # noqa: E402  # a skip comes first
from outlive.inside.machine.host import Host  # noqa: E402
from outlive.jupyter.gauge import Gauge, shown_limit  # noqa: E402

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


def test_a_gauge_says_that_memory_will_be_full_and_stops_saying_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(gauge_module.time, "monotonic", lambda: now)
    told: dict[int, list[str]] = {}
    memory = Machine(tmp_path)
    gauge = Gauge(Host(str(tmp_path)), 7)
    for turn in range(600):
        now += 2.0
        memory.used(min(turn, 27) * 35_000_000)
        found = gauge.read()
        assert found is not None
        told[turn] = found["warnings"]

    assert told[10] == []
    assert told[27] and told[27][0].startswith("Memory will be full in ")
    assert told[599] == []


class Machine:
    """A machine of 1 GB on which a supervisor and a kernel run."""

    def __init__(self, root: Path) -> None:
        self._proc = root / "proc"
        for pid in ("7", "8"):
            (self._proc / pid / "task" / pid).mkdir(parents=True)
        (self._proc / "7/task/7/children").write_text("8 ")
        self.used(0)

    def used(self, size: int) -> None:
        pages = size // 4096
        words = ["S", "7", *["0"] * 17, "55", str(size), str(pages), *["0"] * 20]
        (self._proc / "8/stat").write_text(f"8 (python) {' '.join(words)}")
        left = (1_000_000_000 - size) // 1024
        (self._proc / "meminfo").write_text(f"MemTotal: 976563 kB\nMemAvailable: {left} kB\n")
