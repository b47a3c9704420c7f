#!/usr/bin/env python3
"""Run tools through programs that really die, and count how often each names the right cause and the right line."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import json
import os
import resource
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from groups import GROUP_OF  # noqa: E402
from marks import Row, tables  # noqa: E402
from perform import WHOLE, NotPlayed, Victim, check_ending, perform  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: E402
from tool import TOOLS, Answer, Tool, WrongUsage, load  # noqa: E402

from table import as_markdown, as_text  # noqa: E402
from victim_runner import missing, victims  # noqa: E402

SCHEMA = "outlive.deaths/1"
SETS = {"victims": HERE.parents[1] / "tests" / "causes", "blind": HERE / "blind"}
ASKED = ("shell", "traceback", "faulthandler", "marimo", "ray", "outlive")

#: One of most groups, twelve that need no TensorFlow and four that do. Chosen once, before the first run.
QUICK = [
    "list_of_arrays",
    "one_array_is_filled",
    "picture_that_fills_the_memory",
    "killed_from_outside",
    "cpu_time_hard_limit",
    "ctypes_wrong_length",
    "freed_twice",
    "annotations_cut_off",
    "files_kept_by_a_reader",
    "two_locks_in_two_orders",
    "future_never_asked",
    "exits_with_status",
    "kernel_segfaults",
    "shuffles_pictures",
    "picture_with_transparency",
    "record_with_a_flipped_bit",
]

EPILOG = """\
A tool is a file in bench/deaths/tools (or a path of your own); README.md there says how to write one.

examples
  score.py --quick                          all tools, a fixed sample of 16 victims (some minutes)
  score.py --json all.json                  all tools, all victims (hours; --resume all.json goes on)
  score.py --tool outlive --only 'kernel*'  one tool, a few victims
  score.py --wrap "mytool run --"           a tool that writes its answer to $DEATHS_ANSWER
  score.py --set blind                      programs written by somebody who had not seen Outlive's rules
"""


def main(words: Sequence[str] | None = None) -> int:
    """0: done, 2: wrong usage, 130: interrupted (what there is was kept and is shown)."""
    arguments = _arguments(words)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    path = arguments.json or arguments.resume
    rows = _read(arguments.resume) if arguments.resume and arguments.resume.exists() else []
    interrupted = False
    try:
        for row in _run(arguments, {row.key for row in rows}):
            rows.append(row)
            if path:
                _save(path, rows)
    except KeyboardInterrupt:
        interrupted = True
    made = tables(rows)
    print("\n".join(map(as_text, made)))
    for row in rows:
        if row.not_played:
            print(f"not counted: {row.victim} {row.act} under {row.tool}: {row.not_played}")
        if row.failure:
            print(f"the tool failed: {row.tool} about {row.victim} {row.act}: {row.failure}")
    if arguments.markdown:
        arguments.markdown.write_text("\n".join(map(as_markdown, made)))
    return 130 if interrupted else 0


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """So that the victim of the moment, its cgroup and its folder are cleared away."""
    raise KeyboardInterrupt


def _run(arguments: argparse.Namespace, done: set[tuple[str, ...]]) -> Iterator[Row]:
    wrap = shlex.split(arguments.wrap) if arguments.wrap else None
    if wrap and shutil.which(wrap[0]) is None:
        raise WrongUsage(f"there is no command {wrap[0]}")
    tools = {Path(name).stem: load(name) for name in _names(arguments.tool, wrap)}
    console = Console(stderr=True)
    chosen = _chosen(arguments)
    of_set = Path(arguments.set).name
    plays = [
        (victim, act, together)
        for act in ("die", "spare", WHOLE)
        for victim in chosen
        if act in _acts(victim)
        for together in ways(tools, wrap is not None)
    ]
    columns = [TextColumn("{task.description:<44.44}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(plays))
        for victim, act, together in plays:
            progress.update(bar, description=f"{victim.name} {act}: {', '.join(together)}")
            left = [n for n in together if (n, of_set, victim.name, act) not in done]
            if left:
                asked = {name: tools[name] for name in left}
                for row in ask(victim, act, asked, of_set, wrap):
                    progress.console.print(_line(row), highlight=False, soft_wrap=True)
                    yield row
            progress.advance(bar)


def ways(tools: dict[str, Tool], wrapped: bool = False) -> list[list[str]]:
    """Tools that are put around a program in the same way are asked about the same death."""
    alike: dict[object, list[str]] = {}
    for name, tool in tools.items():
        kind = type(tool)
        bare = kind.wrap is Tool.wrap and kind.environment is Tool.environment
        key = (tool.python, tool.ends_a_hang_with, None if bare and not wrapped else name)
        alike.setdefault(key, []).append(name)
    return list(alike.values())


def ask(
    victim: Victim, act: str, tools: dict[str, Tool], of_set: str, wrap: Sequence[str] | None
) -> Iterator[Row]:
    """Play it once; every tool says what it makes of it."""
    expected = victim.expected[0]

    def row(name: str, **answered: object) -> Row:
        lines = sorted(victim.lines)
        return Row(name, of_set, victim.name, act, expected, lines, **answered)  # type: ignore[arg-type]

    reasons = missing(victim)
    with tempfile.TemporaryDirectory(prefix="deaths-") as folder:
        try:
            if reasons:
                raise NotPlayed("; ".join(reasons))
            ended = perform(victim, act, next(iter(tools.values())), Path(folder), wrap)
            check_ending(victim, act, ended)
        except NotPlayed as reason:
            for name in tools:
                yield row(name, not_played=str(reason))
            return
        for name, tool in tools.items():
            answer, failure = Answer(), None
            try:
                answer = tool.answer(ended)
            except Exception as error:  # it has not answered, and the next one has its turn
                failure = f"{type(error).__name__}: {error}"
            yield row(name, cause=answer.cause, line=answer.line, failure=failure)


def _names(asked: list[str] | None, wrap: list[str] | None) -> list[str]:
    if asked:
        return asked
    if wrap is None:
        return list(ASKED)
    named = Path(wrap[0]).name
    return [named if (TOOLS / f"{named}.py").exists() else "answers"]


def _acts(victim: Victim) -> tuple[str, ...]:
    """A victim has a twin that lives; another program is run as it is."""
    defined = victim.path.read_text()
    twins = "\ndef die(" in defined and "\ndef spare(" in defined
    return ("die", "spare") if twins else (WHOLE,)


def _chosen(arguments: argparse.Namespace) -> list[Victim]:
    folder = SETS.get(arguments.set, Path(arguments.set))
    found = [v for v in victims(folder) if v.header.get("expect", "").split()]
    if not found:
        raise WrongUsage(f"no program with a line '# expect: CAUSE' in {folder}")
    strange = [v.name for v in found if v.expected[0] not in GROUP_OF]
    if strange and folder != SETS["victims"]:  # there a test says that their causes exist
        raise WrongUsage(f"of no group (see groups.py): {', '.join(strange)}")
    if arguments.quick:
        found = [victim for victim in found if victim.name in QUICK]
    globs = arguments.only or ["*"]
    chosen = [v for v in found if any(fnmatch.fnmatch(v.name, glob) for glob in globs)]
    if not chosen:
        raise WrongUsage(f"no program is called {' or '.join(globs)}")
    return chosen


def _line(row: Row) -> str:
    if row.not_played:
        said, sign = f"not counted: {row.not_played.splitlines()[0]}", "?"
    elif row.is_death:
        said = f"{row.cause or 'nothing'}, line {row.line or '-'}"
        sign = "=" if row.cause_is_right else "~" if row.group_is_right else "x"
    else:
        said, sign = row.cause or "nothing", "x" if row.cause else "="
    return f"{sign} {row.tool:<13} {row.victim:<36} {row.act:<6} {said}"


def _read(path: Path) -> list[Row]:
    with contextlib.suppress(ValueError):
        kept = json.loads(path.read_text())
        if isinstance(kept, dict) and kept.get("schema") == SCHEMA:
            rows = [Row(**row) for row in kept["rows"]]
            return [row for row in rows if row.not_played is None]  # the others get another try
    raise WrongUsage(f"{path} is not a file of this benchmark ({SCHEMA})")


def _save(path: Path, rows: list[Row]) -> None:
    """Whole or not at all: it is what --resume goes on from."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps({"schema": SCHEMA, "rows": [asdict(row) for row in rows]}))
    os.replace(beside, path)


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tool", action="append", metavar="NAME", help="an adapter, or a path; may be repeated")
    add("--wrap", metavar="COMMAND", help="what stands before the victim's command")
    add("--set", default="victims", metavar="SET", help="victims, blind, or a folder of your own")
    add("--only", action="append", metavar="GLOB", help="victims by name; may be repeated")
    add("--quick", action="store_true", help=f"a fixed sample of {len(QUICK)} victims")
    add("--json", type=Path, metavar="FILE", help="keep every answer there")
    add("--markdown", type=Path, metavar="FILE", help="the tables, for a README")
    add("--resume", type=Path, metavar="FILE", help="go on with this file of --json")
    return parser.parse_args(words)


if __name__ == "__main__":
    for stop in (signal.SIGINT, signal.SIGTERM):  # also when a shell has put us in the background
        signal.signal(stop, _interrupt)
    try:
        sys.exit(main())
    except WrongUsage as wrong:
        print(wrong, file=sys.stderr)
        sys.exit(2)
