"""`outlive scan`: find the files, check them with a progress bar, tell the flaws, mend and set aside what was asked for."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from outlive.data.scan.cache import Cache
from outlive.data.scan.engine import Checked, Settings, across, named_by, scan
from outlive.data.scan.examples import Schema
from outlive.data.scan.find_files import files_below
from outlive.data.scan.flaws import KINDS, Flaw, Harm
from outlive.data.scan.labels import read_label_map
from outlive.data.scan.mend import LEFT, mend
from outlive.errors import OutliveError, UsageError
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
from outlive.recorder.store import run_folders
from outlive.report.hooks.annotate_github import annotate
from outlive.report.hooks.github import Level, Note
from outlive.report.terminal import console_on
from outlive.report.text import visible

#: Of the memory that there is a program needs some for itself.
BUDGET_SHARE = 0.5
MOST_SHOWN = 5
LEVEL = {Harm.STOPS: Level.ERROR, Harm.SPOILS: Level.WARNING, Harm.COSTS: Level.NOTICE}
COLOUR = {Harm.STOPS: "red", Harm.SPOILS: "yellow", Harm.COSTS: "cyan"}


class PillowMissing(OutliveError):
    """Pictures cannot be looked at without it."""


def scan_paths(
    paths: Sequence[str],
    *,
    labels: str | None,
    budget: int | None,
    jobs: int | None,
    use_cache: bool,
    as_json: bool,
    fix: bool,
    quarantine: str | None,
    dry_run: bool,
    show_all: bool,
    on: str = "local",
) -> int:
    """The whole command; returns its exit status."""
    _need_pillow()
    settings = Settings(
        budget if budget is not None else usual_budget(Host()),
        read_label_map(labels) if labels else {},
        jobs or len(os.sched_getaffinity(0)),
    )
    files = [path for path in files_below(paths) if not _is_below(path, quarantine)]
    if on != "local":  # a relative path is another file on another machine
        files = [os.path.abspath(path) for path in files]
    cache = Cache(cache_path() if use_cache else None, settings.fingerprint)
    try:
        checked = _checked(files, settings, cache, on)
    except KeyboardInterrupt:
        if use_cache:
            console_on(sys.stderr).print(
                "outlive: stopped. Results so far are cached: run the same command to resume."
            )
        raise
    finally:
        cache.close()
    _refuse_nothing(paths, files, checked)
    schema = Schema()
    for one in checked:
        if one.schema is not None:
            schema.add(one.schema)
    flaws = [*(flaw for one in checked for flaw in one.flaws), *across(checked, schema)]
    flaws.sort(key=lambda flaw: (flaw.path, flaw.record or 0, flaw.slug))
    done: list[Mapping[str, str]] = []
    if fix:
        done += mend(flaws, dry_run, named_by(checked))
    if quarantine is not None:
        mended = {act["from"] for act in done if act["act"] != LEFT}
        bad = [flaw for flaw in flaws if flaw.path not in mended]
        done += _set_aside(bad, quarantine, dry_run)
    if as_json:
        _tell_json(files, checked, flaws, done)
    else:
        _tell(console_on(sys.stdout), files, checked, flaws, done, show_all)
    annotate("outlive scan", [_note(flaw) for flaw in flaws])
    return 1 if flaws else 0


def _refuse_nothing(paths: Sequence[str], files: Sequence[str], checked: Sequence[Checked]) -> None:
    """Where there is nothing to check, nothing is known to be good: a script that goes on by the status must stop."""
    named = ", ".join(repr(path) for path in paths)
    if not checked:
        raise UsageError(
            f"Nothing to check in {named}: no picture, TFRecord file or annotation.",
            f"Of its {len(files)} files none is of a known kind." if files else "It is empty.",
        )
    for path in paths:
        if os.path.isdir(path) and not any(_is_below(one.path, path) for one in checked):
            print(f"outlive: nothing to check in {visible(repr(path))}.", file=sys.stderr)


def _is_below(path: str, folder: str | None) -> bool:
    """Whether a file was set aside already: in a folder among the data it would be found again, and moved again."""
    return folder is not None and os.path.abspath(path).startswith(
        os.path.join(os.path.abspath(folder), "")
    )


def _note(flaw: Flaw) -> Note:
    """What is to be marked in a pull request whose data are in the repository."""
    record = f"record {flaw.record}: " if flaw.record is not None else ""
    says = f"{record}{flaw.says} {flaw.kind.remedy}"
    return Note(LEVEL[flaw.kind.harm], f"outlive scan: {flaw.slug}", says, flaw.path)


def usual_budget(host: Host) -> int | None:
    """Half of the memory that this process may use at most."""
    known = effective_limit(host).bytes
    return int(known * BUDGET_SHARE) if known else None


def cache_path() -> str:
    """Beside the runs: private to the user."""
    return os.path.join(run_folders.home(), "scan", "cache.sqlite")


def _need_pillow() -> None:
    try:
        import PIL.Image  # noqa: F401
    except ImportError as error:
        raise PillowMissing(
            "`outlive scan` needs Pillow to read pictures.", "pip install 'outlive[scan]'"
        ) from error


def _checked(files: Sequence[str], settings: Settings, cache: Cache, on: str) -> list[Checked]:
    columns = (
        TextColumn("scanning"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[bad]}"),
    )
    console = console_on(sys.stderr)
    found: list[Checked] = []
    bad = 0
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=len(files), bad="")
        for one in scan(files, settings, cache, on):
            if one is not None:
                found.append(one)
                bad += bool(one.flaws)
            progress.update(task, advance=1, bad=f"{bad} bad" if bad else "")
    return found


def _tell(
    console: Console,
    files: Sequence[str],
    checked: Sequence[Checked],
    flaws: Sequence[Flaw],
    done: Sequence[Mapping[str, str]],
    show_all: bool,
) -> None:
    groups: dict[str, list[Flaw]] = defaultdict(list)
    for flaw in flaws:
        groups[flaw.slug].append(flaw)
    order = list(KINDS)
    for slug in sorted(groups, key=order.index):
        kind, mine = KINDS[slug], groups[slug]
        head = Text(slug, f"bold {COLOUR[kind.harm]}")
        head.append(f"  {len(mine)}, {kind.harm.value}", "not bold dim")
        console.print(head)
        for flaw in mine if show_all else mine[:MOST_SHOWN]:
            where = flaw.path + (f" record {flaw.record}" if flaw.record is not None else "")
            console.print(Text(f"  {visible(where)}: {visible(flaw.says)}"), soft_wrap=True)
        if len(mine) > MOST_SHOWN and not show_all:
            console.print(Text(f"  … and {len(mine) - MOST_SHOWN} more: --all, --json", "dim"))
        console.print(Text(f"  → {kind.remedy}", "green"), soft_wrap=True)
    for act in done:
        console.print(
            Text(visible(f"{act['act']}: {act['from']} → {act['to']}"), "dim"), soft_wrap=True
        )
    console.print(_summary(files, checked, flaws))


def _summary(files: Sequence[str], checked: Sequence[Checked], flaws: Sequence[Flaw]) -> Text:
    bad = len({flaw.path for flaw in flaws})
    known = sum(one.cached for one in checked)
    of = f"{len(checked)} of {len(files)}" if len(checked) != len(files) else f"{len(files)}"
    text = f"Checked {of} {'file' if len(files) == 1 else 'files'}"
    text += f" ({known} unchanged since an earlier scan)" if known else ""
    text += f"; {bad} {'has' if bad == 1 else 'have'} problems." if bad else "; no problems found."
    return Text(text, "bold")


def _tell_json(
    files: Sequence[str],
    checked: Sequence[Checked],
    flaws: Iterable[Flaw],
    done: Sequence[Mapping[str, str]],
) -> None:
    told: dict[str, Any] = {
        "schema": "outlive.scan/1",
        "files": len(files),
        "checked": len(checked),
        "cached": sum(one.cached for one in checked),
        "flaws": [
            {**asdict(flaw), "harm": flaw.kind.harm.name.lower(), "remedy": flaw.kind.remedy}
            for flaw in flaws
        ],
        "done": list(done),
    }
    print(json.dumps(told, indent=1))


def _set_aside(flaws: Sequence[Flaw], folder: str, dry_run: bool) -> list[Mapping[str, str]]:
    """Move the pictures that would stop a run out of the way, and write down why; their folders are kept below the new one."""
    chosen: dict[str, list[Flaw]] = defaultdict(list)
    for flaw in flaws:
        if flaw.slug == "file-missing":
            continue  # it is told of the file that names it, and that is a whole set of annotations
        if flaw.record is None and flaw.kind.harm is not Harm.SPOILS and os.path.isfile(flaw.path):
            chosen[flaw.path].append(flaw)
    base = (
        os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in chosen])
        if chosen
        else ""
    )
    done: list[Mapping[str, str]] = []
    for path, mine in chosen.items():
        target = os.path.join(folder, os.path.relpath(os.path.abspath(path), base))
        number = 1
        while os.path.lexists(target):
            stem, extension = os.path.splitext(target)
            target, number = f"{stem}-{number}{extension}", number + 1
        done.append({"act": "would move" if dry_run else "moved", "from": path, "to": target})
        if dry_run:
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        # Noted first: on a disk that is full nothing is moved that nobody could find again.
        with open(os.path.join(folder, "quarantine.jsonl"), "a", encoding="utf-8") as file:
            entry = {
                "from": os.path.abspath(path),
                "to": os.path.abspath(target),
                "flaws": [asdict(flaw) for flaw in mine],
            }
            file.write(json.dumps(entry) + "\n")
        shutil.move(path, target)
    return done
