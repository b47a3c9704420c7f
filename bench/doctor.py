"""How long `outlive doctor` takes, with and without its trial imports: alternated, wall and processor seconds."""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

KINDS = {
    "whole": [],
    "--no-import": ["--no-import"],
    "one check": ["--no-import", "emulated-cpu"],
    "import tensorflow": None,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in KINDS}
    for _ in range(options.repeat):
        for name, words in KINDS.items():
            found[name].append(measured(command(options.python, words)))
    print(
        f"{options.repeat} times each, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors"
    )
    print(f"{'':<20} {'wall s':>8} {'least':>8} {'cpu s':>8}")
    for name, pairs in found.items():
        wall, cpu = zip(*pairs, strict=True)
        print(
            f"{name:<20} {statistics.median(wall):8.2f} {min(wall):8.2f} {statistics.median(cpu):8.2f}"
        )


def command(python: str, words: list[str] | None) -> list[str]:
    if words is None:
        return [python, "-c", "import tensorflow"]
    return [sys.executable, "-m", "outlive", "doctor", "--python", python, *words]


def measured(words: list[str]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
