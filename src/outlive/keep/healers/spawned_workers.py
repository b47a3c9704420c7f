"""Worker processes are started afresh (spawn) instead of forked."""

from __future__ import annotations

from outlive.keep.healing import Case, Change
from outlive.keep.importable_main import why_not
from outlive.record import runs
from outlive.waiting import Waiting

SLUGS = ("forked-after-threads",)


def heal(case: Case) -> Change | str:
    """Only what `multiprocessing` forks because nobody said otherwise, of a program whose main module can be imported in each worker."""
    chosen = case.evidence.forks_by_name
    if chosen:
        return f'{chosen[0]} asks for a fork by its name, which is the program\'s decision (try "spawn" there)'
    stuck = case.evidence.stuck
    if stuck is None or not any(_is_a_worker(thread) for thread in stuck.left_behind()):
        return "the process was not started by multiprocessing, which alone can be told to spawn"
    if case.main is None:
        return "its main module is no file that workers could import"
    reason = why_not(*case.main)
    if reason:
        return f"workers cannot be spawned without a change of code: {reason}"
    return Change(
        "spawned workers",
        "multiprocessing and concurrent.futures start workers afresh (spawn) instead of forking.",
        links={runs.SPAWN_NAME: "on"},
    )


def _is_a_worker(thread: Waiting) -> bool:
    return any(frame.file.endswith("multiprocessing/process.py") for frame in thread.stack.frames)
