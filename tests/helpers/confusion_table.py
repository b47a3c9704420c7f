"""`make confusion`: every victim dies once and every cause is asked about it; a line a victim, as it goes, with what was found.

make confusion                                        all victims (an hour; stop it when you like)
make confusion ONLY='kernel_* lock_taken_twice'       some of them, by name
make confusion RESUME=confusion.jsonl                 keep what was found there, and go on from it the next time
make confusion RESUME=… MARKDOWN=docs/confusion.md    and write the whole table
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from recorded_deaths import Victim, play, victims
from victim_runner import missing

NOT_PLAYED = "not-played"
CAUSES = Path(__file__).parents[2] / "src" / "outlive" / "units" / "causes"

PAGE = """# All causes against all victims

Every program of [tests/causes](../tests/causes) was played once ({nothing} of them in ways that look like a death and are none), and each of the {causes} causes was asked about
each of these {played} runs. *Found* is the verdict; *also* is what else had something to say: the more general causes that the verdict explains, and what fits less well (marked "possible"). A cause that claims
a victim of another one would stand in a row where *found* is not *expected*.

**{wrong} of {played} were taken for something else; the line was one of those marked in {right_lines} of {lines} that have one.** This is Outlive's own set of tests, so these
figures say that nothing is broken, not how good it is on your program: for that see the blind programs in [bench/deaths](../bench/deaths/README.md).{left_out}
Causes without a victim here ({elsewhere}) need a machine, a terminal, a notebook or a GPU of their own, and are tested where these are.

This page is written by `make confusion MARKDOWN=docs/confusion.md`.
"""


@dataclass(frozen=True)
class Told:
    """What was found about one victim, the most specific first, and the line in the victim's own file."""

    victim: str
    found: list[str] = field(default_factory=list)
    line: int | None = None

    @property
    def first(self) -> str:
        return self.found[0].partition(" ")[0].rstrip(":") if self.found else "nothing"

    @property
    def played(self) -> bool:
        return self.first != NOT_PLAYED


def main() -> int:
    """0: all are right, 1: some are not, or could not be played."""
    arguments = _arguments()
    kept = _read(arguments.resume)
    chosen = [victim for victim in victims() if _is_asked(victim, arguments.only)]
    rows: list[tuple[Victim, Told]] = []
    for victim in chosen:
        told = kept.get(victim.name)
        if told is None:
            told = _told(victim)
            if arguments.resume:
                with open(arguments.resume, "a") as file:
                    file.write(json.dumps(asdict(told)) + "\n")
        rows.append((victim, told))
        right = told.first == victim.expected[0]
        print(
            f"{'ok ' if right else 'NOT'}  {victim.name:<38} {', '.join(told.found) or 'nothing'}",
            flush=True,
        )
    confused = Counter(_confused(rows))
    print(f"\n{confused.total()} of {len(rows)} wrong")
    for (expected, first), times in confused.most_common():
        print(f"{times:>3} × {expected} was taken for {first}")
    if arguments.markdown:
        arguments.markdown.write_text(_page(rows))
    return 1 if confused else 0


def _confused(rows: Sequence[tuple[Victim, Told]]) -> list[tuple[str, str]]:
    return [(v.expected[0], told.first) for v, told in rows if v.expected[0] != told.first]


def _told(victim: Victim) -> Told:
    """What was found; of a hang, what was told while it lasted."""
    if reasons := missing(victim):
        return Told(victim.name, [f"{NOT_PLAYED}: {'; '.join(reasons)}"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            death = play(victim, "die", Path(folder))
        except (AssertionError, pytest.fail.Exception) as error:
            return Told(victim.name, [f"{NOT_PLAYED}: {str(error).splitlines()[0]}"])
    verdict = death.hang or death.verdict
    found = [verdict["cause"], *verdict["also"]] if verdict["cause"] else []
    where = found[0]["where"] if found else None
    own = where is not None and Path(where["file"]).name == victim.path.name
    slugs = [f"{finding['slug']} ({finding['confidence']})" for finding in found]
    return Told(victim.name, slugs, where["line"] if own else None)


def _page(rows: Sequence[tuple[Victim, Told]]) -> str:
    played = [(victim, told) for victim, told in rows if told.played]
    marked = [(victim, told) for victim, told in played if victim.lines]
    absent = len(rows) - len(played)
    left_out = f" {absent} could not be played on this machine." if absent else ""
    expected = {victim.expected[0] for victim, _ in played} - {"nothing"}
    causes = {path.stem.replace("_", "-") for path in CAUSES.glob("[a-z]*.py")}
    lines = [
        PAGE.format(
            causes=len(causes),
            nothing=sum(victim.expected[0] == "nothing" for victim, _ in played),
            elsewhere=", ".join(sorted(causes - expected)),
            played=len(played),
            wrong=len(_confused(played)),
            right_lines=sum(told.line in victim.lines for victim, told in marked),
            lines=len(marked),
            left_out=left_out,
        ),
        f"\n## By cause ({len(expected)} have victims here)\n",
        "| cause | victims | found first | named beside another |",
        "|---|---:|---:|---:|",
        *(_of_cause(slug, played) for slug in sorted(expected)),
        "\n## By victim\n",
        "| victim | expected | found | also |",
        "|---|---|---|---|",
        *(_of_victim(victim, told) for victim, told in rows),
    ]
    return "\n".join(lines) + "\n"


def _of_cause(slug: str, rows: Sequence[tuple[Victim, Told]]) -> str:
    mine = [told for victim, told in rows if victim.expected[0] == slug]
    beside = [told for _, told in rows if any(f.startswith(f"{slug} (") for f in told.found[1:])]
    return f"| {slug} | {len(mine)} | {sum(t.first == slug for t in mine)} | {len(beside)} |"


def _of_victim(victim: Victim, told: Told) -> str:
    also = [
        slug if sure != "(possible)" else f"{slug} (possible)"
        for slug, _, sure in (finding.partition(" ") for finding in told.found[1:])
    ]
    expected = victim.expected[0]
    found = "the same" if told.first == expected else f"**{told.first}**"
    link = f"[{victim.name}](../tests/causes/{victim.path.name})"
    return f"| {link} | {expected} | {found} | {', '.join(also)} |"


def _is_asked(victim: Victim, globs: list[str]) -> bool:
    return not globs or any(fnmatch.fnmatch(victim.name, glob) for glob in globs)


def _read(path: Path | None) -> dict[str, Told]:
    if path is None or not path.exists():
        return {}
    told = [Told(**json.loads(line)) for line in path.read_text().splitlines()]
    return {one.victim: one for one in told if one.played}  # the others get another try


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="*", metavar="GLOB", help="victims by name")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep and go on")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there")
    return parser.parse_args()


if __name__ == "__main__":
    # A shell that puts us in the background has it ignored, and so would have every victim.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
