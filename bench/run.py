#!/usr/bin/env python3
"""Measure what `outlive run` costs, beside its peers."""

from __future__ import annotations

import argparse
import datetime
import resource
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

import machine
import report
from environments import Environment, for_peer, reference
from measure import Bench, measure
from plan import PEER_ROUNDS, SECTIONS, Settings, needs_tensorflow, tasks
from results import WARM_UP, Measurement, Results, UnreadableResults
from subjects import PEERS, SUBJECTS

REPOSITORY = Path(__file__).resolve().parent.parent
ENVIRONMENTS = REPOSITORY / ".bench-envs"
KEPT = REPOSITORY / "bench" / "results"

EPILOG = f"""\
sections
{{sections}}

Each measurement has a bare one right beside it, the order is shuffled (always in the same way), and the
first round is thrown away. A peer is measured in the first {PEER_ROUNDS} rounds only. Each peer gets a virtual
environment of its own, made once; one that cannot be installed, or fails, is reported with a word.

For figures to quote: a machine that does nothing else, no --quick. Compare the control (bare against
bare) with the target before believing a difference.

examples
  bench/run.py                              everything: an hour and a half
  bench/run.py --quick                      does it all work? ten minutes, plus the environments
  bench/run.py --only start-up              one section
  bench/run.py --no-peers --markdown B.md   Outlive alone, and a page for the README
  bench/run.py --resume bench/results/X.json   go on after an interruption
"""


def main() -> int:
    """Run the bench. 0: done, 2: wrong usage, 130: interrupted (what there is was reported and kept)."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, _interrupt)
    # A core file of TensorFlow is gigabytes, and writing it would be measured as a slow verdict.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    earlier = _earlier(arguments.resume)
    settings = _settings(arguments, earlier)
    path = arguments.json or arguments.resume or _new_path()
    if earlier is not None:
        earlier.save(path)  # found out now, not after the first hour, that it cannot be written
    try:
        environments = _environments(settings, arguments.environments)
        results = _results(settings, environments, earlier)
        results.save(path)
    except KeyboardInterrupt:
        return 130
    interrupted = False
    try:
        _measure_all(Bench(environments, settings.quick), settings, results, path)
    except KeyboardInterrupt:
        interrupted = True
    results.machine["load after"] = machine.load()
    results.save(path)
    print(report.text(results, interrupted))
    if arguments.markdown:
        arguments.markdown.write_text(report.markdown(results, interrupted))
    _say(f"measurements: {path}" + (f"; go on with --resume {path}" if interrupted else ""))
    return 130 if interrupted else 0


def _measure_all(bench: Bench, settings: Settings, results: Results, path: Path) -> None:
    done = results.done()
    todo = [task for task in tasks(settings) if task not in done]
    # A warm-up belongs to the rounds after it: when these are done, so is the section.
    alive = {task.section for task in todo if task.round != WARM_UP}
    todo = [task for task in todo if task.section in alive]
    for number, task in enumerate(todo, 1):
        if results.failure(task.section, task.case, task.subject):
            continue  # it will fail again, and it takes as long as the others
        before = time.perf_counter()
        measurement = measure(bench, task)
        took = time.perf_counter() - before
        _say(f"[{number}/{len(todo)}] {_line(measurement)}, {took:.1f} s")
        if task.round != WARM_UP or measurement.failure:
            results.measurements.append(measurement)
            results.save(path)


def _line(measurement: Measurement) -> str:
    task = measurement.task
    number = "warm-up" if task.round == WARM_UP else f"round {task.round}"
    values = " ".join(f"{name}={value:.6g}" for name, value in measurement.values.items())
    return f"{task.section}, {task.case}, {task.subject}, {number}: {measurement.failure or values}"


def _environments(settings: Settings, folder: Path) -> dict[str, Environment]:
    """A Python for every subject."""
    needed = any(
        needs_tensorflow(case) for name in settings.sections for case in SECTIONS[name].cases
    )
    here = reference(folder, REPOSITORY, needed, _say)
    made = {subject: here for subject in SUBJECTS if subject not in PEERS}
    by_package: dict[str, Environment] = {}
    for peer in settings.peers:
        package = SUBJECTS[peer].package
        if package not in by_package:
            by_package[package] = for_peer(folder, package, here, _say)
        made[peer] = by_package[package]
    return made


def _results(
    settings: Settings, environments: dict[str, Environment], earlier: Results | None
) -> Results:
    """New results, or earlier ones if they come from this machine and these versions."""
    facts = machine.describe(REPOSITORY, environments["bare"])
    for peer in settings.peers:
        package = SUBJECTS[peer].package
        facts[package] = environments[peer].versions.get(package, "")
    if earlier is None:
        return Results(asdict(settings), facts)
    differing = [name for name in machine.MUST_AGREE if facts[name] != earlier.machine.get(name)]
    if differing:
        _refuse(f"cannot resume: {', '.join(differing)} changed since; start a new run")
    return earlier


def _earlier(path: Path | None) -> Results | None:
    if path is None:
        return None
    try:
        return Results.load(path)
    except UnreadableResults as error:
        _refuse(f"cannot resume: {error}")


def _settings(arguments: argparse.Namespace, earlier: Results | None) -> Settings:
    """What was asked for; when resuming, what was asked for then."""
    if earlier is not None:
        kept = earlier.settings
        return Settings(
            tuple(kept["sections"]), tuple(kept["peers"]), kept["quick"], kept["repeat"]
        )
    sections = tuple(name for name in SECTIONS if not arguments.only or name in arguments.only)
    peers = tuple(peer for peer in PEERS if not arguments.peers or peer in arguments.peers)
    wanted = "workloads" in sections and not arguments.no_peers
    return Settings(sections, peers if wanted else (), arguments.quick, arguments.repeat)


def _arguments() -> argparse.Namespace:
    width = max(map(len, SECTIONS))
    listed = "\n".join(f"  {name.ljust(width)}  {one.says}" for name, one in SECTIONS.items())
    parser = argparse.ArgumentParser(
        prog="bench/run.py",
        description=__doc__,
        epilog=EPILOG.format(sections=listed),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="little work, few rounds: shows that it works")
    add("--repeat", type=_positive, metavar="N", help="rounds that count, in every section")
    add("--only", action="append", choices=SECTIONS, help="this section alone; may be repeated")
    add("--peers", nargs="+", choices=PEERS, metavar="PEER", help=f"of: {', '.join(PEERS)}")
    add("--no-peers", action="store_true", help="Outlive and bare runs only")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="keep the measurements there; default: bench/results/",
    )
    add("--markdown", type=Path, metavar="FILE", help="write the report there too, as Markdown")
    add(
        "--resume",
        type=Path,
        metavar="FILE",
        help="go on with the run whose measurements these are",
    )
    add(
        "--environments",
        type=Path,
        default=ENVIRONMENTS,
        metavar="FOLDER",
        help="where the peers' virtual environments are made and kept (2 GB each); default: .bench-envs",
    )
    arguments = parser.parse_args()
    if arguments.resume and (
        arguments.only or arguments.repeat or arguments.quick or arguments.peers
    ):
        parser.error("--resume goes on with what was asked for then; it takes no other choice")
    return arguments


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _new_path() -> Path:
    return KEPT / f"{datetime.datetime.now():%Y%m%d-%H%M%S}.json"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _refuse(why: str) -> NoReturn:
    print(f"bench: {why}", file=sys.stderr)
    raise SystemExit(2)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
