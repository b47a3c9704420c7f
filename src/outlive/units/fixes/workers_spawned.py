"""Workers that are started afresh instead of forked."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

OF_A_CONTEXT = ("multiprocessing.Pool", "multiprocessing.Process", "multiprocessing.Queue")
EXECUTORS = (
    "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.process.ProcessPoolExecutor",
)


@fix("F121", since="0.2", heals=("forked-after-threads",))
def workers_spawned(case: FixCase) -> Answer:
    """Worker processes are spawned instead of forked.

    ## What it changes
    `multiprocessing.Pool(…)` becomes `multiprocessing.get_context("spawn").Pool(…)`; a `ProcessPoolExecutor` gets `mp_context`;
    `"fork"` by name becomes `"spawn"`.

    ## When it is offered
    The file starts workers, and below `if __name__ == "__main__":` or in a function.

    ## What becomes of the results
    They stay the same, except for workers that read variables which the parent has changed: they start with a newly
    imported module.
    """
    edits = [*_by_name(case), *_made(case)]
    if not edits:
        return "the file does not start the workers itself"
    if not _is_guarded(case):
        return 'each worker would run the whole script again: put what starts it below `if __name__ == "__main__":` first'
    return Patch("Spawn the workers instead of forking them.", tuple(edits))


def _by_name(case: FixCase) -> list[Edit]:
    named = [
        word
        for call in case.source.calls(
            "multiprocessing.get_context", "multiprocessing.set_start_method"
        )
        for word in call.args[:1]
    ]
    named += [given for word in named for given in _given(case, word)]
    return [
        case.replaced(word, '"spawn"')
        for word in named
        if isinstance(word, ast.Constant) and word.value == "fork"
    ]


def _given(case: FixCase, word: ast.expr) -> list[ast.expr]:
    """What the calls of this module hand over for a parameter."""
    bound = case.source.names.latest(word) if isinstance(word, ast.Name) else None
    function = bound.scope if bound is not None and bound.how == "parameter" else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(word, ast.Name):
        return []
    names = [one.arg for one in function.args.args]
    place = names.index(word.id) if word.id in names else None
    calls = case.source.calls_ending_in(function.name)
    found = [case.argument(call, word.id, place) for call in calls]
    return [one for one in found if one is not None]


def _made(case: FixCase) -> list[Edit]:
    found = []
    for call in case.source.calls(*OF_A_CONTEXT):
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            found.append(case.behind(call.func.value, '.get_context("spawn")'))
        else:
            _, imports = case.imported("multiprocessing.get_context")
            written = (
                case.source.names.alias("multiprocessing.get_context")
                or "multiprocessing.get_context"
            )
            name = case.source.called(call.func).rpartition(".")[2]
            found += [
                *(imports if not found else ()),
                case.replaced(call.func, f'{written}("spawn").{name}'),
            ]
    for call in case.source.calls(*EXECUTORS):
        if case.argument(call, "mp_context", 1) is None:
            written, imports = case.imported("multiprocessing.get_context")
            found += [*imports, case.one_argument_more(call, f'mp_context={written}("spawn")')]
    return found


def _is_guarded(case: FixCase) -> bool:
    """Whether a worker can import the file without starting everything again."""
    module = case.source.tree.module
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If):
            continue
        if any(
            case.source.called(call.func) in (*OF_A_CONTEXT, *EXECUTORS)
            for call in ast.walk(statement)
            if isinstance(call, ast.Call)
        ):
            return False
    bare = [
        part
        for part in module.body
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)
    ]
    return not any(
        case.source.names.definition(part.value.func)
        for part in bare
        if isinstance(part.value, ast.Call)
    )
