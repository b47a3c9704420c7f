"""`outlive lint`: which files, ask, mend, show, status."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from outlive.data.atomic_file import replacing
from outlive.errors import OutliveError, UsageError
from outlive.inside.machine.host import Host
from outlive.model.findings import Confidence
from outlive.report.hooks.annotate_github import annotate
from outlive.report.terminal import console_on
from outlive.report.text import visible
from outlive.source.lint import formats, text
from outlive.source.lint.check import Told, every_rule
from outlive.source.lint.files import files_below
from outlive.source.lint.fix import difference
from outlive.source.lint.parallel import cores, look_at_all
from outlive.source.lint.settings import (
    Answering,
    Settings,
    chosen,
    confidence,
    configured,
    nearest_project,
)
from outlive.source.parsed import Machine

#: Shorter work needs no progress.
PROGRESS_FROM_FILES = 100


def lint(
    paths: Sequence[str],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    sure: str | None = None,
    config: str | None = None,
    fix: bool = False,
    unsafe: bool = False,
    diff: bool = False,
    form: str = "text",
    jobs: int = 0,
    memory: int | None = None,
    python: str = "",
) -> int:
    """Look at the files and say what will kill the program. Returns the exit status."""
    settings = _settings(paths, config)
    settings = chosen(settings, every_rule(), select=select, ignore=ignore)
    if sure is not None:
        settings = replace(settings, confidence=confidence(sure))
    if fix or diff or unsafe:
        settings = replace(settings, mend=Confidence.POSSIBLE if unsafe else Confidence.PROVEN)
    settings = replace(
        settings,
        machine=this_machine(Host(), memory),
        answers=Answering.TENSORFLOW,
        python=python,
    )
    files = list(files_below(paths, settings.exclude))
    with _progress(len(files)) as each:
        told = list(look_at_all(files, settings, jobs or cores(), each))
    writes = (fix or unsafe) and not diff
    _mend(told, write=writes, stream=sys.stdout if form == "text" else sys.stderr)
    why = _why_unasked(told, python)
    _show(told, form, why, fixing=writes, only_the_diff=diff)
    annotate("outlive lint", formats.notes_of(told), marks=form != "github")
    failed = [broken for it in told for broken in it.failures]
    if failed:
        raise OutliveError(
            f"The rule {failed[0].slug} failed: {failed[0].error}.",
            "Skip it: --ignore " + failed[0].slug,
        )
    found = any(it.findings or it.whole_unread or (it.mended and diff) for it in told)
    return 1 if found else 0


def this_machine(host: Host, memory: int | None = None) -> Machine:
    """What the rules may know of the machine: the smallest limit above us, what the host has free, and all the memory for a program.

    The last is asked for where the program is to run elsewhere.
    """
    limits = [host.read_group(group).limit_bytes for group in host.memory_groups()]
    limit = min((it for it in limits if it is not None), default=None)
    total, free = host.memory()
    all_there_is = min((it for it in (limit, total) if it is not None), default=None)
    return Machine(limit, free, memory or all_there_is)


def _settings(paths: Sequence[str], config: str | None) -> Settings:
    if config is not None:
        if not os.path.isfile(config):
            raise UsageError(f"There is no file {config!r}.", "--config takes a pyproject.toml.")
        return configured(Path(config), every_rule())
    existing = [os.path.abspath(path) for path in paths if os.path.exists(path)]
    folder = Path(os.path.commonpath(existing) if existing else ".")
    return configured(nearest_project(folder if folder.is_dir() else folder.parent), every_rule())


@contextlib.contextmanager
def _progress(count: int) -> Iterator[Callable[[], object]]:
    """A bar on stderr, on a terminal, when there is much to do."""
    if count < PROGRESS_FROM_FILES or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("outlive lint"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console_on(sys.stderr), transient=True) as progress:
        task = progress.add_task("lint", total=count)
        yield lambda: progress.advance(task)


def _mend(told: Sequence[Told], *, write: bool, stream: object) -> None:
    """Show what was rewritten, and write it where that was asked for."""
    console = console_on(stream)
    for it in told:
        if not it.mended:
            continue
        for line in difference(it.path, it.text, it.mended_text).splitlines():
            colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            console.print(visible(line), style=colour, soft_wrap=True)
        if write:
            try:
                _replace(it.path, it.mended_text.encode(it.encoding))
            except OSError as error:
                raise OutliveError(
                    f"{it.path} could not be written: {error.strerror}.",
                    "The file was not changed.",
                ) from error


def _replace(path: str, data: bytes) -> None:
    """All of the new text, or all of the old: never half of it, whatever happens."""
    real = os.path.realpath(path)
    with replacing(real, mode=0o600) as name:
        with open(name, "wb") as file:
            file.write(data)
        os.chmod(name, os.stat(real).st_mode & 0o7777)


def _why_unasked(told: Sequence[Told], python: str) -> str:
    """Why questions to TensorFlow were left open, if any were."""
    if not any(it.unasked for it in told):
        return ""
    from outlive.source.lint.oracle import answers_of  # only where something was to be asked

    return answers_of(python).why


def _show(told: Sequence[Told], form: str, why: str, *, fixing: bool, only_the_diff: bool) -> None:
    rules = {unit.slug: unit for unit in every_rule()}
    if form == "json":
        sys.stdout.write(formats.as_json(told, rules, why))
    elif form == "sarif":
        sys.stdout.write(formats.as_sarif(told, rules))
    elif form == "github":
        sys.stdout.write(formats.as_github(told))
    else:
        console = console_on(sys.stdout)
        for it in told:
            for finding in it.findings if not only_the_diff else ():
                console.print(text.told_of(finding), soft_wrap=True)
        for it in told:
            for why in it.unread:
                console_on(sys.stderr).print(
                    f"{it.path}: could not be read: {visible(why)}", soft_wrap=True
                )
        sys.stdout.flush()
        if why:
            count = sum(it.unasked for it in told)
            console_on(sys.stderr).print(text.unasked(count, visible(why)), soft_wrap=True)
        console_on(sys.stderr).print(text.summary(told, fixing=fixing), soft_wrap=True)
