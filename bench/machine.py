"""Where the figures come from, without saying whose machine it is."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path

from environments import Environment

#: If these differ, measurements of two runs do not belong in one table.
MUST_AGREE = ("CPU", "cores", "kernel", "Python", "TensorFlow", "Outlive")


def describe(repository: Path, reference: Environment) -> dict[str, str]:
    """Facts for the report."""
    versions = reference.versions
    return {
        "CPU": _cpu_model(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "TensorFlow": versions.get("tensorflow-cpu") or versions.get("tensorflow") or "none",
        "Outlive": _outlive_version(repository, versions.get("outlive", "unknown")),
        "date": datetime.date.today().isoformat(),
        "load before": load(),
    }


def load() -> str:
    """How busy the machine is: more than a little, and the figures are not to be trusted."""
    return f"{os.getloadavg()[0]:.1f}"


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.machine()


def _outlive_version(repository: Path, version: str) -> str:
    """The release, and the commit that its source was last changed in: others may commit tests meanwhile."""
    git = ["git", "-C", str(repository)]
    commit = _said([*git, "log", "-1", "--format=%h", "--", "src"])
    if not commit:
        return version
    changed = ", changed since" if _said([*git, "status", "--porcelain", "--", "src"]) else ""
    return f"{version} ({commit}{changed})"


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
