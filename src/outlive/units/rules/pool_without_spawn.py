"""Processes that are forked from one with TensorFlow's threads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Edit, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FORKING = (
    "multiprocessing.Pool", "multiprocessing.Process", "multiprocessing.pool.Pool",
    "concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor",
)  # fmt: skip

#: What does not start TensorFlow's threads: files, messages, settings, decorations.
NOT_YET = (
    "tf.io.gfile.", "tf.gfile.", "tf.io.TFRecord", "tf.python_io.", "tf.train.", "tf.config.", "tf.get_logger", "tf.logging.",
    "tf.flags.", "tf.app.", "tf.autograph.", "tf.random.set_seed", "tf.function", "tf.summary.Summary", "keras.utils.",
    "keras.config.", "keras.callbacks.",
)  # fmt: skip


@rule(
    "R404", since="0.1", needs=("multiprocess", "concurrent"), prevents=("forked-after-threads", "deadlocked", "waiting-forever")
)  # fmt: skip
def pool_without_spawn(source: Source) -> Iterator[Finding]:
    """Worker processes are forked from a program that uses TensorFlow.

    ## Why it is bad
    On Linux and before Python 3.14, `multiprocessing` forks. A worker gets a copy of TensorFlow whose threads are gone
    and whose locks may be held forever: it hangs at its first operation, sometimes, on some machines.

    ## Bad
        def embed(path):
            return tf.io.read_file(path)

        model = keras.models.load_model("model.keras")
        with multiprocessing.Pool(8) as pool:
            pool.map(embed, paths)

    ## Good
        def embed(path):
            return tf.io.read_file(path)

        model = keras.models.load_model("model.keras")
        with multiprocessing.get_context("spawn").Pool(8) as pool:
            pool.map(embed, paths)
    """
    if any(True for _ in source.calls("multiprocessing.set_start_method")) or not _at_the_top(
        source
    ):
        return
    for call in source.calls(*FORKING):
        if source.argument(call, None, "mp_context", "context") is not None:
            continue
        yield Finding(
            "These workers are forked from a process with TensorFlow loaded.",
            confidence=Confidence.LIKELY if _started(source, call) else Confidence.POSSIBLE,
            remedies=(
                Remedy(
                    'Start fresh processes: multiprocessing.get_context("spawn"), below `if __name__ == "__main__":`.',
                    edits=_spawned(source, call),
                ),
            ),
            where=source.place(call),
        )


def _at_the_top(source: Source) -> bool:
    """Whether TensorFlow is loaded with the module, not only in the function that a worker runs."""
    imports: list[ast.Import | ast.ImportFrom] = [*source.every(ast.Import)]
    for statement in (*imports, *source.every(ast.ImportFrom)):
        if source.tree.function(statement) is None:
            names = [item.name for item in statement.names]
            if isinstance(statement, ast.ImportFrom):
                names = [statement.module or ""]
            if any(name.partition(".")[0] in ("tensorflow", "keras", "tf_keras") for name in names):
                return True
    return False


def _started(source: Source, call: ast.Call) -> bool:
    """Whether TensorFlow is surely at work before the workers start, or is used by what they run."""
    for other in source.every(ast.Call):
        dotted = source.called(other.func)
        starts = dotted.startswith(("tf.", "keras.")) and not dotted.startswith(NOT_YET)
        same = source.tree.function(other) in (None, source.tree.function(call))
        if (
            starts
            and same
            and source.tree.always_before(source.tree.statement(other) or other, call)
        ):
            return True
    target = source.argument(call, None, "target")
    return source.values.reaches(source.names.definition(target), ("tf.", "keras."))


def _spawned(source: Source, call: ast.Call) -> tuple[Edit, ...]:
    """Replace `multiprocessing.Pool` with `multiprocessing.get_context("spawn").Pool`."""
    function = call.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return ()
    if source.called(function.value) != "multiprocessing":
        return ()
    end = function.value.end_lineno or 0, function.value.end_col_offset or 0
    return (source.insertion(*end, '.get_context("spawn")'),)
