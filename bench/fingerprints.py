"""Measures false merges and false splits of fingerprints on deaths that really happen: the victims of the tests that need nothing special.

    python bench/fingerprints.py

Each victim dies three times: as it is, with lines put in above, and with other numbers, spaces and comments at the end of its lines. Three
fingerprints of one victim are a split; one fingerprint of two victims is a merge, unless both blame the same cause at lines of the same words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for _folder in ("demo", "tests/helpers"):
    sys.path.insert(0, str(ROOT / _folder))

from outlive.model.fingerprint import fingerprint  # noqa: E402
from victim_runner import RUNNER, Victim, victims  # noqa: E402

#: What a victim may ask for and still be run by itself.
PLAIN = {"expect", "ending", "example", "names", "alone", "needs"}


def moved(text: str) -> str:
    head, mark, rest = text.partition("\nimport ")
    return f"{head}\n\n# a line\n# and another\n{mark}{rest}"


def remarked(text: str) -> str:
    return "\n".join(line.replace("  # <- here", "   # there") for line in text.split("\n"))


def die(text: str, name: str) -> dict | None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(text)
        environment = {**os.environ, "OUTLIVE_HOME": str(Path(folder, "home"))}
        environment.pop("VICTIM_READY", None)
        command = [sys.executable, "-m", "outlive", "run", "-q", str(RUNNER), name, "die"]
        try:
            subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        found = list(Path(folder, "home", "runs").glob("*/verdict.json"))
        return json.loads(found[0].read_text()) if found else None


def plays(victim: Victim) -> bool:
    return (
        set(victim.header) <= PLAIN
        and "expect" in victim.header
        and not victim.header["expect"].startswith("nothing")
        and "needs" not in victim.header
    )


def main() -> None:
    seen: dict[str, set[str]] = defaultdict(set)
    splits, played = [], 0
    ways: tuple[Callable[[str], str], ...] = (str, moved, remarked)
    for victim in filter(plays, victims()):
        text = victim.path.read_text()
        told = [die(way(text), victim.path.name) for way in ways]
        if any(it is None or it["cause"] is None for it in told):
            continue
        played += 1
        prints = {fingerprint(it, victim.path.name) for it in told if it}
        if len(prints) > 1:
            splits.append(victim.name)
        for one in prints:
            seen[one].add(victim.name)
    merges = [sorted(names) for names in seen.values() if len(names) > 1]
    print(
        f"{played} victims, three deaths each: {len(splits)} split {splits}, {len(merges)} merged {merges}"
    )


if __name__ == "__main__":
    main()
