"""Operations of a graph that are built before the loop that runs them."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import names_in
from outlive.source.tree import Loop
from outlive.units.unit import fix


@fix("F109", since="0.2", heals=("graph-grows",))
def operations_built_once(case: FixCase) -> Answer:
    """The operations of the graph are built once, before the loop; the loop only runs them.

    ## What it changes
    A statement of the loop that only builds operations moves above it; an operation within `session.run(…)` gets a name above the
    loop. A value that changes in the loop is fed through a placeholder.

    ## When it is offered
    What the operation is made of does not change in the loop, or is one value whose type is known.

    ## What becomes of the results
    They stay the same: the same operations run as often as before.
    """
    loop, statement = case.loop, case.statement
    if loop is None or statement is None:
        return "the line that adds operations is not in a loop of its own function"
    if (
        isinstance(statement, ast.Assign)
        and _builds(case, statement.value)
        and not _runs(case, statement)
    ):
        return _moved(case, statement, loop)
    runs = [call for call in case.calls("run", "eval") if isinstance(call.func, ast.Attribute)]
    for run in runs:
        built = run.args[0] if run.args else None
        if isinstance(built, ast.Call | ast.BinOp) and _builds(case, built):
            return _named(case, run, built, loop)
    return "the operations are not built where the loop can be seen"


def _builds(case: FixCase, value: ast.expr) -> bool:
    return any(
        case.source.called(call.func).startswith(("tf.", "keras."))
        for call in ast.walk(value)
        if isinstance(call, ast.Call)
    ) or isinstance(value, ast.BinOp)


def _runs(case: FixCase, statement: ast.stmt) -> bool:
    return any(True for _ in case.calls_in(statement, "run", "eval"))


def _moved(case: FixCase, statement: ast.Assign, loop: Loop) -> Answer:
    before = [statement]
    block = case.block_of(statement)
    while True:  # what it is made of moves with it
        read = {name.id for part in before for name in names_in(part, ast.Load)}
        changing = case.changes_in(loop) & read
        makers = [
            part for part in block[: block.index(statement)]
            if part not in before and isinstance(part, ast.Assign) and changing & {name.id for name in names_in(part, ast.Store)}
            and _builds(case, part.value) and not _runs(case, part)
        ]  # fmt: skip
        if not makers:
            break
        before += makers
    made = {name.id for part in before for name in names_in(part, ast.Store)}
    if changing - made:
        return f"`{sorted(changing - made)[0]}` changes in each iteration: give it to the graph through a tf.compat.v1.placeholder and feed_dict"
    if not all(map(case.stands_alone, before)):
        return "the line holds more than one statement"
    before.sort(key=lambda part: part.lineno)
    indent = case.indent_of(loop)
    text = "".join(f"{indent}{_dedented(case, part)}\n" for part in before)
    return Patch(
        "Build the operations once, before the loop.",
        (case.source.insertion(loop.lineno, 0, text), *(case.without(part) for part in before)),
    )


def _dedented(case: FixCase, statement: ast.stmt) -> str:
    return case.source.segment(statement)


def _named(case: FixCase, run: ast.Call, built: ast.expr, loop: Loop) -> Answer:
    changing = [
        name for name in names_in(built, ast.Load)
        if name.id in case.changes_in(loop)
    ]  # fmt: skip
    name = _free(case, "built")
    indent, text = case.indent_of(loop), case.source.segment(built)
    if not changing:
        above = case.source.insertion(loop.lineno, 0, f"{indent}{name} = {text}\n")
        return Patch(
            "Build the operation once, before the loop, and run it in the loop.",
            (above, case.replaced(built, name)),
        )
    different = {word.id for word in changing}
    if len(different) > 1 or case.argument(run, "feed_dict", 1) is not None:
        return "the operation is made of several values that change in each iteration"
    kind = _dtype_of(case, loop, changing[0].id)
    if kind and isinstance(built, ast.BinOp):
        kind = "float32"  # a Python number becomes what the tensor beside it is
    if not kind:
        return f"the type of `{changing[0].id}`, which changes in each iteration, is not known"
    alias, imports = _placeholder(case)
    fed = _free(case, "fed")
    inside = (
        text.replace(changing[0].id, fed) if text.count(changing[0].id) == len(changing) else ""
    )
    if not inside:
        return "the operation cannot be taken apart"
    above = case.source.insertion(
        loop.lineno,
        0,
        f'{indent}{fed} = {alias}("{kind}")\n{indent}{name} = {inside}\n',
    )
    return Patch(
        "Build the operation once, before the loop, and feed it the value of each iteration.",
        (
            *imports,
            above,
            *_fed_with(case, run, built, name, f"{{{fed}: {changing[0].id}}}"),
        ),
    )


def _placeholder(case: FixCase) -> tuple[str, tuple[Edit, ...]]:
    """As the file writes TensorFlow 1: `tf.placeholder` of `tensorflow.compat.v1 as tf`, else by its whole name."""
    for statement in case.source.tree.imports:
        for item in statement.names:
            origin = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
            if f"{origin}{item.name}" == "tensorflow.compat.v1" and item.asname:
                return f"{item.asname}.placeholder", ()
    written, imports = case.imported("tf.compat")
    return f"{written}.v1.placeholder", imports


def _fed_with(
    case: FixCase, run: ast.Call, built: ast.expr, name: str, feed: str
) -> tuple[Edit, ...]:
    return (case.replaced(built, f"{name}, feed_dict={feed}"),)


def _dtype_of(case: FixCase, loop: Loop, name: str) -> str:
    """`for i in range(n)` counts whole numbers; of all else the type is not known."""
    counts = (
        isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == name
    )
    walked = loop.iter if isinstance(loop, ast.For) else None
    if (
        counts
        and isinstance(walked, ast.Call)
        and case.source.called(walked.func) == "builtins.range"
    ):
        return "int32"
    return ""


def _free(case: FixCase, name: str) -> str:
    """A name that the file does not use yet."""
    used = {node.id for node in case.source.every(ast.Name)}
    return next(word for word in (name, *(f"{name}_{i}" for i in range(2, 99))) if word not in used)
