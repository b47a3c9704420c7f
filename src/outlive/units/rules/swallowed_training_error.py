"""An error in a train step that nobody sees."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Edit, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

TRAINS = frozenset(
    {"fit", "train_on_batch", "apply_gradients", "train_step", "fit_generator", "minimize"}
)
EVERYTHING = ("builtins.Exception", "builtins.BaseException")


@rule(
    "R503", since="0.1", needs=("except:", "except Exception", "except BaseException"), prevents=("interrupted", "allocation-refused", "not-finite", "uncaught-exception")
)  # fmt: skip
def swallowed_training_error(source: Source) -> Iterator[Finding]:
    """Every error of a training step is caught and dropped.

    ## Why it is bad
    Out of memory, a wrong shape, a broken file, and with a bare `except` even Ctrl-C: all disappear. The loop continues
    with a model that did not learn, or retries until Linux kills it.

    ## Bad
        for batch in batches:
            try:
                model.train_on_batch(batch)
            except:
                continue

    ## Good
        for batch in batches:
            try:
                model.train_on_batch(batch)
            except tf.errors.InvalidArgumentError as error:
                logging.warning("skipped a batch: %s", error)
    """
    for attempt in source.every(ast.Try):
        calls = [call for step in attempt.body for call in source.tree.inside(step, ast.Call)]
        if not any(_trains(source, call) for call in calls):
            continue
        for handler in attempt.handlers:
            bare = handler.type is None
            everything = bare or source.called(handler.type) in EVERYTHING
            silent = all(isinstance(step, ast.Pass | ast.Continue) for step in handler.body)
            leaves = any(
                isinstance(node, ast.Raise | ast.Return | ast.Break) for node in ast.walk(handler)
            )
            if (everything and silent) or (bare and not leaves and not _exits(source, handler)):
                yield Finding(
                    "Every error of this train step is caught"
                    + (", Ctrl-C included" if bare else "")
                    + (" and forgotten." if silent else "."),
                    remedies=(
                        Remedy(
                            "Catch what you expect (tf.errors.InvalidArgumentError), and log it.",
                        ),
                        *(_narrowed(source, handler) if bare else ()),
                    ),
                    where=source.place(handler),
                )


def _trains(source: Source, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in TRAINS:
        return call.func.attr != "fit" or source.values.is_model(call.func.value)
    function = source.names.definition(call.func)
    return function is not None and source.traced_decorator(function) is not None


def _exits(source: Source, handler: ast.ExceptHandler) -> bool:
    return any(
        source.called(call.func) in ("sys.exit", "os._exit", "builtins.exit", "os.abort")
        for call in source.tree.inside(handler, ast.Call)
    )


def _narrowed(source: Source, handler: ast.ExceptHandler) -> Iterator[Remedy]:
    """`except:` becomes `except Exception:`, so that Ctrl-C ends the program again."""
    line = source.lines[handler.lineno - 1].encode()
    after = handler.col_offset + len("except")
    if line[handler.col_offset : after] == b"except":
        edits: tuple[Edit, ...] = (source.insertion(handler.lineno, after, " Exception"),)
        yield Remedy(
            "Write `except Exception:`, so that Ctrl-C still ends the program.",
            safe=True,
            edits=edits,
        )
