"""How often the watches cry wolf: healthy programs under `outlive run`, and what was said of each. Run as root where cgroups of version 1 can be written.

python bench/watches.py [--jobs 2] [WORD…]      only the programs with these words in their names
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from healthy_programs import HEAD, PROGRAMS

CGROUPS = Path("/sys/fs/cgroup")
DISK_BYTES = 60_000_000


def within(group: Path | None) -> list[str]:
    """A command that moves itself into a cgroup and then becomes what follows."""
    if group is None:
        return []
    return ["/bin/sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh"]


def made(controller: str, values: dict[str, str], name: str) -> Path | None:
    """The cgroup that a program is given."""
    if not controller:
        return None
    group = CGROUPS / controller / f"bench-watches-{os.getpid()}-{name}"
    group.mkdir()
    for file, value in values.items():
        (group / file).write_text(value)
    return group


def run(number: int, name: str, home: Path) -> tuple[str, int, list[str], float]:
    """One program: its name, status, what Outlive said, and the seconds that it took."""
    (controller, values), source = PROGRAMS[name]
    folder = home / f"p{number}"
    disk = folder / "disk"
    disk.mkdir(parents=True)
    script = folder / "program.py"
    script.write_text(HEAD + source)
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(disk)], check=False
        ).returncode
        == 0
    )
    group = made(controller, values, str(number))
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*within(group), sys.executable, "-m", "outlive", "run", str(script)],
            env={**os.environ, "DISK": str(disk), "OUTLIVE_HOME": str(home / "records")},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        if mounted:
            subprocess.run(["umount", str(disk)], check=False)
        if group is not None:
            time.sleep(0.5)
            group.rmdir()
    said = [line for line in done.stderr.splitlines() if line.startswith("outlive:")]
    return name, done.returncode, said, time.monotonic() - began


def main() -> int:
    """Run them all; the status says whether a watch spoke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if all(word in name for word in options.words)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda it: run(it[0], it[1], Path(folder)), enumerate(names))
        spoke = 0
        for name, status, said, seconds in results:
            spoke += bool(said)
            print(
                f"{name:<45} status {status}  {seconds:5.1f} s  {' / '.join(said) or 'silent'}",
                flush=True,
            )
    print(f"{len(names)} programs, {spoke} with a warning")
    return int(spoke > 0)


if __name__ == "__main__":
    sys.exit(main())
