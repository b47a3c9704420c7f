"""`outlive why --job`: one verdict for a job of many ranks."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from outlive.coroner.ranks.judge_job import judge_job
from outlive.errors import OutliveError, UsageError
from outlive.inside.notes.masking import mask_text
from outlive.model.fact_names import ADDRESS_OF_THE_LOST_PEER, HOST_OF_THE_LOST_PEER
from outlive.model.ranks.job import JobVerdict
from outlive.recorder.store import run_folders
from outlive.recorder.store.read_run import read_run, start_of
from outlive.report.share import Stranger
from outlive.report.terminal import console_on, names_to_hide, neighbours_in
from outlive.report.text import Neighbours, visible

#: Facts that name a host; a stored verdict does not say that they are private.
ABOUT_HOSTS = (ADDRESS_OF_THE_LOST_PEER, HOST_OF_THE_LOST_PEER)


def tell_of_a_job(job: str | None, *, as_json: bool, share: bool, page: str | None) -> NoReturn:
    """Show the verdict on a job: as a screen, JSON or a page."""
    verdict = judge_job(job or None)
    if share:
        verdict = _for_strangers(verdict)
    if page:
        _write_page(verdict, page)
    elif as_json:
        from outlive.report.job_json import to_json

        print(to_json(verdict))
    else:
        from outlive.report.job_screen import render_job

        render_job(verdict, console_on(sys.stdout), _nothing if share else _neighbours)
    sys.exit(1 if verdict.first is not None or any(it.record.failed for it in verdict.ranks) else 0)


def refuse_what_a_job_has_not(**given: bool) -> None:
    """Refuse the options of one run: a job has no stored verdict, and no page in a folder of its own."""
    for name, wanted in given.items():
        if wanted:
            raise UsageError(
                f"--{name} is for one run, not for a job.",
                "A page about a job:  outlive why --job --html FILE",
            )


def _neighbours(run: str) -> Neighbours:
    payloads, _ = read_run(run_folders.folder_of(run))
    return neighbours_in(str(start_of(payloads).get("folder", "")))


def _nothing(run: str) -> Neighbours:
    return lambda place: ()


def _for_strangers(verdict: JobVerdict) -> JobVerdict:
    """The same without paths, and without the names of hosts and users."""
    told = [
        fact for it in verdict.ranks for finding in it.record.findings for fact in finding.because
    ]
    peers = {str(fact.value) for fact in told if fact.name in ABOUT_HOSTS}
    hosts = {it.record.host for it in verdict.ranks}
    return Stranger(mask_text, [*names_to_hide(), *peers, *hosts]).job(verdict)


def _write_page(verdict: JobVerdict, target: str) -> None:
    from outlive.report.job_page import job_page

    text = job_page(verdict)
    if target == "-":
        print(text, end="")
        return
    write_page_file(target, text)


def write_page_file(target: str, text: str) -> None:
    """Write a page for this user alone, and say where."""
    try:
        run_folders.write_private(target, text)
    except OSError as error:
        raise OutliveError(f"Cannot write {target}: {error.strerror}.", "Give another file.") from error  # fmt: skip
    print(f"outlive: wrote {visible(os.path.relpath(target))}", file=sys.stderr)
