"""`outlive why`: the verdict of a run, or what a living process waits for."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from outlive.commands.completing import complete_run
from outlive.errors import NothingRecorded, UsageError
from outlive.judging import judge
from outlive.living import explain, is_process
from outlive.record import runs
from outlive.record.archive import run_folder, sources_in
from outlive.record.kernels import cells_in
from outlive.record.reading import is_running, read_run, start_of
from outlive.showing import neighbours_in, show
from outlive.stored import stored_verdict


@click.command(short_help="Why did the last run (or RUN) die? What does process PID wait for?")
@click.argument("name", metavar="[RUN|PID]", required=False, shell_complete=complete_run)
@click.option(
    "--json", "as_json", is_flag=True, help="The verdict as JSON (schema outlive.verdict/1)."
)
@click.option(
    "--share",
    is_flag=True,
    help="Mask paths, arguments, environment, user and host: fit for an issue.",
)
@click.option(
    "--again", is_flag=True, help="Judge the record again instead of showing the stored verdict."
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
    help="Write that page into the run's folder and open it in a browser.",
)
def why(
    name: str | None, as_json: bool, share: bool, again: bool, page: str | None, look: bool
) -> None:
    """Show the verdict of the last run, or of RUN (a name from `outlive runs`, its beginning, a folder, or an exported file).

    With PID, the number of a living process: does it work, wait or hang, where, and what for? It takes about two seconds and does
    not touch the process. One that was started by `outlive run` tells most; any other Python is read with py-spy, if that is
    installed (pip install 'outlive[why]').

    \b
      outlive why 12345                        what process 12345 is doing, or waiting for
      outlive why --html report.html           a page to keep, or to send to a colleague
      outlive why --html report.html --share   … to a stranger: paths, arguments, user and host masked

    Exit status: 0 nothing is wrong, 1 there are findings, 2 there is no such run.
    """
    if name is not None and is_process(name):
        _explain_the_living(int(name), as_json=as_json, share=share, page=bool(page or look))
    with run_folder(name or _last_but_living_kernels()) as folder:
        _tell(folder, as_json=as_json, share=share, again=again, page=page, look=look)


def _tell(
    folder: str, *, as_json: bool, share: bool, again: bool, page: str | None, look: bool
) -> NoReturn:
    payloads, rings = read_run(folder)
    start = start_of(payloads)
    if not payloads and os.path.isfile(os.path.join(folder, runs.PAGE_NAME)):
        _tell_what_was_shared(folder, as_json=as_json, page=page, look=look)
    if is_running(start) and not any(it.get("kind") == "exit" for it in payloads):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is still going on.",
            f"Ask again when it has ended; or what it does now:  outlive why {start.get('pid')}",
        )
    # What is private is known to the causes alone, it is not in the stored verdict: to share it, ask them again.
    verdict = stored_verdict(folder) if not (again or share or page or look) else None
    if verdict is None:
        verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    if page or look:
        from outlive.paging import story_of, write_page

        told = story_of(verdict, evidence, payloads, rings, share=share)
        write_page(told, page or _place_of_the_page(folder), look=look)
        sys.exit(1 if verdict.findings else 0)
    sources = {path: text.split("\n") for path, text in sources_in(payloads).items()}
    around = neighbours_in(str(start.get("folder", "")), {**sources, **cells_in(rings)})
    show(verdict, around, as_json=as_json, share=share)
    if not as_json:
        _tell_of_relatives(folder)
    sys.exit(1 if verdict.findings else 0)


def _tell_of_relatives(folder: str) -> None:
    """With `outlive run --heal` a death may be one of several attempts."""
    for key, told in runs.relatives(folder).items():
        words = "Tried again with" if key == "tried_again_as" else "The attempt before, without"
        click.echo(f"  {words} {told['remedy']}: outlive why {told['run']}")


def _tell_what_was_shared(folder: str, *, as_json: bool, page: str | None, look: bool) -> NoReturn:
    """Of a run that was exported for strangers there are the verdict and the page, masked, and no record."""
    verdict = stored_verdict(folder)
    if verdict is None:
        raise NothingRecorded(
            "There is no verdict in this file.", "Ask its sender for another one."
        )
    if page or look:
        from outlive.paging import hand_out

        with open(os.path.join(folder, runs.PAGE_NAME), encoding="utf-8") as file:
            hand_out(file.read(), page or f"{verdict.run}.html", look=look)
    else:
        show(verdict, lambda place: (), as_json=as_json, share=False)
    sys.exit(1 if verdict.findings else 0)


def _explain_the_living(pid: int, *, as_json: bool, share: bool, page: bool) -> NoReturn:
    if page:
        raise UsageError(
            "A page can be made of a run that has ended, not of a living process.",
            f"Without --html and --open:  outlive why {pid}",
        )
    verdict, evidence = explain(pid)
    show(verdict, neighbours_in(evidence.program.folder), as_json=as_json, share=share)
    sys.exit(1 if verdict.findings else 0)


def _place_of_the_page(folder: str) -> str:
    """In the run's own folder; of an unpacked file, where the person is: the folder will be gone."""
    if os.path.dirname(folder) == runs.runs_folder() or folder == runs.folder_of(
        os.path.basename(folder)
    ):
        return os.path.join(folder, runs.PAGE_NAME)
    return f"{os.path.basename(folder)}.html"


def _last_but_living_kernels() -> str | None:
    """The newest run; the kernels of notebooks that are open beside it go on all day and are not what is asked about."""
    for name in reversed(runs.list_runs()):
        payloads, _ = read_run(runs.folder_of(name))
        of_kernel = any(payload.get("kind") == "kernel" for payload in payloads)
        if not (of_kernel and is_running(start_of(payloads))):
            return name
    return None
