"""`outlive why`: the verdict of a run, or what a living process waits for."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from outlive.cli.complete_names import complete_run
from outlive.coroner.readings.kernel_records import cells_in
from outlive.coroner.stored_verdict import stored_verdict
from outlive.errors import NothingRecorded, UsageError
from outlive.inside.notes import kinds
from outlive.recorder.store import run_folders
from outlive.recorder.store.archive import run_folder, sources_in
from outlive.recorder.store.entries import reading_once
from outlive.recorder.store.read_run import (
    is_running,
    may_run_elsewhere,
    notebook_of,
    read_run,
    start_of,
)
from outlive.recorder.store.users_files import is_foreign
from outlive.report.headline import kernel_name, program_name
from outlive.report.terminal import neighbours_in, show

#: The longest number that a process can have (pid_max is at most 2**22); names of runs are longer.
DIGITS_OF_A_PID = 7


@click.command(short_help="Why did the last run (or RUN) die? What is process PID waiting for?")
@click.argument("name", metavar="[RUN|PID]", required=False, shell_complete=complete_run)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the verdict as JSON (schema outlive.verdict/1)."
)
@click.option(
    "--share",
    is_flag=True,
    help="Mask paths, arguments, environment, user and host: safe to paste into a bug report.",
)
@click.option(
    "--again", is_flag=True, help="Analyse the record again instead of showing the stored verdict."
)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    help="Write one self-contained page with the memory curve, the stacks and all facts. - for stdout.",
)
@click.option(
    "--open",
    "look",
    is_flag=True,
    help="Write that page into the run's folder (of an exported file: a temporary one) and open it in a browser.",
)
@click.option(
    "--job",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="One verdict for a job of many ranks: which died first, of what, at which line. Without NAME, the last job. With --json, schema outlive.job/1.",
)
def why(
    name: str | None,
    as_json: bool,
    share: bool,
    again: bool,
    page: str | None,
    look: bool,
    job: str | None,
) -> None:
    """Show the verdict of the last run, or of RUN (a name from `outlive runs`, the beginning of one, `last`, a folder, or an exported file).

    With PID, the number of a running process: is it working, waiting or stuck, where, and on what? It takes about two seconds and does
    not touch the process. Most is known of one that was started with `outlive run`; any other Python is read with py-spy, if that is
    installed (pip install 'outlive[why]').

    \b
      outlive why 12345                        what process 12345 is doing, or waiting for
      outlive why --html report.html           a page to keep, or to send to a colleague
      outlive why --html report.html --share   … to a stranger: paths, arguments, user and host masked
      outlive why --job                        the last job of many ranks: who brought it down

    Exit status: 0 nothing is wrong, 1 there are findings, 2 there is no such run.
    """
    if job is not None:
        from outlive.cli.many_runs.job import refuse_what_a_job_has_not, tell_of_a_job

        refuse_what_a_job_has_not(again=again, open=look)
        tell_of_a_job(job or name, as_json=as_json, share=share, page=page)
    if name is not None and is_process(name):
        _explain_the_living(int(name), as_json=as_json, share=share, page=bool(page or look))
    with run_folder(name or _last_but_living_kernels()) as folder, reading_once():
        _tell(folder, as_json=as_json, share=share, again=again, page=page, look=look)


def _tell(
    folder: str, *, as_json: bool, share: bool, again: bool, page: str | None, look: bool
) -> NoReturn:
    payloads, rings = read_run(folder)
    start = start_of(payloads)
    if not payloads and is_foreign():
        _tell_what_was_shared(folder, as_json=as_json, page=page, look=look)
    if is_running(start) and not any(it.get("kind") == kinds.EXIT for it in payloads):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is still running.",
            f"Ask again after it has ended. To see what it is doing now:  outlive why {start.get('pid')}",
        )
    if may_run_elsewhere(folder, start) and not any(
        it.get("kind") == kinds.EXIT for it in payloads
    ):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is running on {start['host']['name']}, or was lost with it.",
            "Ask there, or again in a minute: what writes nothing any more is judged.",
        )
    # What is private is known to the causes alone, it is not in the stored verdict: to share it, ask them again.
    verdict = stored_verdict(folder) if not (again or share or page or look) else None
    if verdict is None:
        from outlive.coroner.judge import judge  # only now: a stored verdict is shown at once

        verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    if page or look:
        from outlive.report.write_page import story_of, write_page

        told = story_of(verdict, evidence, payloads, rings, share=share)
        write_page(told, page or _place_of_the_page(folder), look=look)
        sys.exit(1 if verdict.findings else 0)
    sources = {path: text.split("\n") for path, text in sources_in(payloads).items()}
    around = neighbours_in(str(start.get("folder", "")), {**sources, **cells_in(rings)})
    command = [str(word) for word in start.get("command") or ()]
    name = kernel_name(notebook_of(payloads)) or program_name(command)
    show(verdict, around, as_json=as_json, share=share, name=name)
    if not as_json:
        _tell_of_relatives(folder)
    sys.exit(1 if verdict.findings else 0)


def _tell_of_relatives(folder: str) -> None:
    """With `outlive run --heal` a death may be one of several attempts."""
    for key, told in run_folders.relatives(folder).items():
        words = "Tried again with" if key == "tried_again_as" else "Previous attempt, without"
        click.echo(f"  {words} {told['remedy']}: outlive why {told['run']}")


def _tell_what_was_shared(folder: str, *, as_json: bool, page: str | None, look: bool) -> NoReturn:
    """Of a run that was exported for strangers there is the masked verdict, and no record: the page is made of it anew."""
    verdict = stored_verdict(folder)
    if verdict is None:
        raise NothingRecorded("This file contains no verdict.", "Ask the sender for another file.")
    if page or look:
        from outlive.report.write_page import story_without_record, write_page

        write_page(story_without_record(verdict), page or _place_of_the_page(folder), look=look)
    else:
        show(verdict, lambda place: (), as_json=as_json, share=False)
    sys.exit(1 if verdict.findings else 0)


def is_process(name: str | None) -> bool:
    """Tell the number of a process from the beginning of a run's name."""
    return (
        name is not None
        and name.isascii()
        and name.isdigit()
        and len(name) <= DIGITS_OF_A_PID
        and not any(name in (run, run_folders.last_part(run)) for run in run_folders.list_runs())
    )


def _explain_the_living(pid: int, *, as_json: bool, share: bool, page: bool) -> NoReturn:
    if page:
        raise UsageError(
            "A page can be written for a finished run, not for a running process.",
            f"Without --html and --open:  outlive why {pid}",
        )
    from outlive.coroner.living_process import explain

    verdict, evidence = explain(pid)
    program = evidence.run.program
    show(
        verdict,
        neighbours_in(program.folder),
        as_json=as_json,
        share=share,
        name=program_name(program.command) if program.command else f"process {pid}",
    )
    sys.exit(1 if verdict.findings else 0)


def _place_of_the_page(folder: str) -> str:
    """In the run's own folder; of an unpacked file, whose folder will be gone, in a new private one, under a name of ours."""
    if is_foreign():
        import tempfile

        folder = tempfile.mkdtemp(prefix="outlive-page-")
    return os.path.join(folder, run_folders.PAGE_NAME)


def _last_but_living_kernels() -> str | None:
    """The newest run; the kernels of notebooks that are open beside it go on all day and are not what is asked about."""
    for name in reversed(run_folders.list_runs()):
        payloads, _ = read_run(run_folders.folder_of(name))
        of_kernel = any(payload.get("kind") == kinds.KERNEL for payload in payloads)
        if not (of_kernel and is_running(start_of(payloads))):
            return name
    return None
