"""What the supervisor of a kernel costs at its start, and how soon after a death the cell has its verdict.

``python bench/kernels.py [COUNT]``: plain and watched kernels alternate, so that both meet the same load. Prints medians and ranges.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "helpers"))

LOOP = 200


def opened(home: Path, watched: bool) -> tuple[Any, float]:
    """A kernel that has answered, and the seconds that it took."""
    from jupyter_client import KernelManager
    from jupyter_client.provisioning import KernelProvisionerFactory

    from notebook_kernels import Notebook

    began = time.monotonic()
    if watched:
        found: Any = Notebook(home)
    else:
        KernelProvisionerFactory.instance().default_provisioner_name = "local-provisioner"
        found = Notebook.__new__(Notebook)
        found.home, found.manager = home, KernelManager(kernel_name="python3")
        found.manager.start_kernel(env=os.environ | {"IPYTHONDIR": str(home / "ipython")})
        found.client = found.manager.client()
        found.client.start_channels()
        found.client.wait_for_ready(timeout=60)
    return found, time.monotonic() - began


def cells(book: Any) -> float:
    """Seconds for one cell of a loop of small ones."""
    began = time.monotonic()
    for _ in range(LOOP):
        book.client.execute_interactive("x = 1", timeout=60, output_hook=lambda message: None)
    return (time.monotonic() - began) / LOOP


def died(book: Any) -> float | None:
    """Seconds from the death of the kernel to the error in the cell; None when it never came."""
    pid = book.kernel
    request = book.start("import ctypes\nctypes.string_at(0)")
    while Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        time.sleep(0.001)
    dead = time.monotonic()
    outcome = book.end_of(request, 30)
    return time.monotonic() - dead if outcome.errors and outcome.reply else None


def told(name: str, values: list[float], unit: str = "s") -> str:
    middle = statistics.median(values)
    return f"{name:<28} median {middle:.3f} {unit}, {min(values):.3f} to {max(values):.3f}, n={len(values)}"


def main(count: int) -> None:
    starts: dict[bool, list[float]] = {True: [], False: []}
    loops: dict[bool, list[float]] = {True: [], False: []}
    verdicts: list[float | None] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            for watched in (number % 2 == 0, number % 2 == 1):
                book, seconds = opened(Path(folder), watched)
                starts[watched].append(seconds)
                loops[watched].append(1000 * cells(book))
                if watched:
                    verdicts.append(died(book))
                book.close()
    delivered = [seconds for seconds in verdicts if seconds is not None]
    print(told("start, plain", starts[False]))
    print(told("start, watched", starts[True]))
    print(told("a cell, plain", loops[False], "ms"))
    print(told("a cell, watched", loops[True], "ms"))
    print(told("death to verdict in the cell", delivered) if delivered else "no verdict came")
    print(f"delivered {len(delivered)} of {len(verdicts)}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
