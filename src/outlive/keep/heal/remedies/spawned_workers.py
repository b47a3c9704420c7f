"""Worker processes are started afresh (spawn) instead of forked."""

from __future__ import annotations

from outlive.inside.notes import links
from outlive.keep.heal.importable_main import why_not
from outlive.model.heal_case import Case, Change
from outlive.model.waits import Waiting
from outlive.units.unit import remedy


@remedy("T108", since="0.2", heals=("forked-after-threads",), searched=("spawned workers",))
def spawned_workers(case: Case) -> Change | str:
    """Worker processes are spawned instead of forked.

    ## What changes
    In the next attempt `multiprocessing` and `concurrent.futures` spawn where the program does not ask for another way.

    ## When it is tried
    After a worker was forked while threads of TensorFlow ran and waits forever. With `--hang-after` beside `--heal`, a
    program that hangs in this way is ended first.

    ## When it is not
    A line of the program asks for `"fork"` explicitly; the process was not started by `multiprocessing`; or the main
    module cannot be imported in each worker without a change of code.
    """
    chosen = case.evidence.children.forks_by_name
    if chosen:
        return f'{chosen[0]} asks for fork explicitly, which is the program\'s decision (try "spawn" there)'
    stuck = case.evidence.waits.stuck
    if stuck is None or not any(_is_a_worker(thread) for thread in stuck.left_behind()):
        return "the process was not started by multiprocessing; only that can spawn"
    if case.main is None:
        return "its main module is not a file that workers can import"
    reason = why_not(*case.main)
    if reason:
        return f"workers cannot be spawned without a code change: {reason}"
    return Change(
        "spawned workers",
        "multiprocessing and concurrent.futures start fresh workers (spawn) instead of forking.",
        links={links.SPAWN: "on"},
    )


def _is_a_worker(thread: Waiting) -> bool:
    return any(frame.file.endswith("multiprocessing/process.py") for frame in thread.stack.frames)
