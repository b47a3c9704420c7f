"""Files that are opened in a loop and stay open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Loop, Source, key_of
from outlive.units.unit import rule

#: What holds files, threads or devices until it is closed, whatever Python's memory does.
WRITERS = (
    "tf.io.TFRecordWriter", "tf.python_io.TFRecordWriter", "tf.summary.create_file_writer", "tf.summary.FileWriter",
    "cv2.VideoCapture", "cv2.VideoWriter", "h5py.File",
)  # fmt: skip
FILES = ("builtins.open", "tf.io.gfile.GFile", "tf.gfile.GFile", "tf.gfile.Open")
CLOSING = frozenset({"close", "release", "__exit__"})
FEWEST_TURNS = 50


@rule(
    "R501",
    since="0.1",
    needs=("open(", "Writer", "writer", "Video", "File("),
    prevents=("too-many-open-files", "too-many-threads"),
)
def file_left_open_in_loop(source: Source) -> Iterator[Finding]:
    """Files or writers are opened in a loop and not closed in it.

    ## Why it is bad
    A process may have about a thousand files open. A summary writer also has a thread; what it has not yet written is
    lost when the program dies.

    ## Bad
        for run in runs:
            writer = tf.summary.create_file_writer(run)
            with writer.as_default():
                tf.summary.scalar("loss", 0.5, step=1)

    ## Good
        for run in runs:
            with tf.summary.create_file_writer(run).as_default():
                tf.summary.scalar("loss", 0.5, step=1)
    """
    for call in source.calls(*WRITERS, *FILES):
        loops = source.loops(call)
        if not loops or source.turns(call) < FEWEST_TURNS:
            continue
        in_container, names = _kept_as(source, call, loops[0])
        if in_container and _closed_later(source):
            continue
        lost = source.called(call.func) in WRITERS and names
        if in_container or (lost and not any(_is_closed(loops[0], name) for name in names)):
            yield Finding(
                f"`{source.segment(call.func)}` opens something in every iteration of this loop, and nothing closes it.",
                remedies=(Remedy("Open it in a `with`, or close it before the next iteration."),),
                where=source.place(call),
            )


def _kept_as(source: Source, call: ast.Call, loop: Loop) -> tuple[bool, list[str]]:
    """Whether what was opened goes into a container, directly or by its name; and that name."""
    above = source.tree.parent(call)
    if isinstance(above, ast.Call):
        return _word(above.func) == "append", []
    if not isinstance(above, ast.Assign):
        return False, []
    names = [key for key in map(key_of, above.targets) if key]
    appended = any(
        _word(node.func) == "append" and any(key_of(word) in names for word in node.args)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
    )
    stored = any(isinstance(target, ast.Subscript) for target in above.targets)
    return appended or stored, names


def _word(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else ""


def _is_closed(loop: Loop, key: str) -> bool:
    """Closed, entered, returned or handed on within the loop."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call):
            function = node.func
            owner = function.value if isinstance(function, ast.Attribute) else None
            if owner is not None and key_of(owner) == key and _word(function) in CLOSING:
                return True
            if any(
                key_of(word) == key for word in (*node.args, *(it.value for it in node.keywords))
            ):
                return True
        if isinstance(node, ast.withitem) and key_of(node.context_expr) == key:
            return True
        leaves = node.value if isinstance(node, ast.Return | ast.Yield) else None
        if leaves is not None and key_of(leaves) == key:
            return True
    return False


def _closed_later(source: Source) -> bool:
    """What is kept in a container is closed from there, in a loop of its own."""
    for close in source.methods("close", "release"):
        owner = close.func.value if isinstance(close.func, ast.Attribute) else None
        bound = source.names.latest(owner) if isinstance(owner, ast.Name) else None
        if isinstance(owner, ast.Subscript) or (bound is not None and bound.how == "for"):
            return True
    return False
