"""`make confusion`: every victim dies once and every cause is asked about it; a line a victim, as it goes, with what was found.

make confusion                                        all victims (an hour; stop it when you like)
make confusion ONLY='kernel_* lock_taken_twice'       some of them, by name
make confusion RESUME=confusion.jsonl                 keep what was found there, and go on from it the next time
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from deaths import Victim, play, victims
from stage import missing


def main() -> int:
    """0: all are right, 1: some are not, or could not be played."""
    arguments = _arguments()
    kept = _read(arguments.resume)
    chosen = [victim for victim in victims() if _is_asked(victim, arguments.only)]
    confused: Counter[tuple[str, str]] = Counter()
    played = 0
    for victim in chosen:
        told = kept.get(victim.name)
        if told is None:
            told = _told(victim)
            if arguments.resume:
                _keep(arguments.resume, victim, told)
        first = told[0].partition(" ")[0] if told else "nothing"
        right = first == victim.expected[0]
        if not right:
            confused[victim.expected[0], first] += 1
        played += 1
        print(
            f"{'ok ' if right else 'NOT'}  {victim.name:<38} {', '.join(told) or 'nothing'}",
            flush=True,
        )
    print(f"\n{confused.total()} of {played} wrong")
    for (expected, first), times in confused.most_common():
        print(f"{times:>3} × {expected} was taken for {first}")
    return 1 if confused else 0


def _told(victim: Victim) -> list[str]:
    """What was found, the most specific first; of a hang, what was told while it lasted."""
    if reasons := missing(victim):
        return [f"not-played: {'; '.join(reasons)}"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            death = play(victim, "die", Path(folder))
        except (AssertionError, pytest.fail.Exception) as error:
            return [f"not-played: {str(error).splitlines()[0]}"]
    verdict = death.hang or death.verdict
    found = [verdict["cause"], *verdict["also"]] if verdict["cause"] else []
    return [f"{finding['slug']} ({finding['confidence']})" for finding in found]


def _is_asked(victim: Victim, globs: list[str]) -> bool:
    return not globs or any(fnmatch.fnmatch(victim.name, glob) for glob in globs)


def _read(path: Path | None) -> dict[str, list[str]]:
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["victim"]: line["told"] for line in lines}


def _keep(path: Path, victim: Victim, told: list[str]) -> None:
    with open(path, "a") as kept:
        kept.write(json.dumps({"victim": victim.name, "told": told}) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="*", metavar="GLOB", help="victims by name")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep and go on")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
