"""A list that keeps everything that passes."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Loop, Source, key_of
from outlive.units.unit import rule

#: A loop that turns less often keeps little.
FEWEST_TURNS = 500
#: So many pictures of 224 × 224 pixels in float32 are 1.2 GB.
MANY_TURNS = 2000
LISTINGS = (
    "os.listdir",
    "os.scandir",
    "os.walk",
    "glob.glob",
    "glob.iglob",
    "tf.io.gfile.glob",
    "tf.io.gfile.listdir",
)
SHRINKING = frozenset({"clear", "pop", "popleft", "remove"})


@rule(
    "R201",
    since="0.1",
    needs=("append",),
    prevents=("kept-in-container", "tape-kept-open"),
)
def results_kept_in_list(source: Source) -> Iterator[Finding]:
    """A list keeps pictures, frames, elements of a data set, tensors or histories of a long loop.

    ## Why it is bad
    Each one is small; together they are the whole data set, decoded. Memory grows with every iteration until the
    program is killed. A `History` keeps its model, a tensor keeps its memory on the device.

    ## Bad
        frames = []
        video = cv2.VideoCapture("holiday.mp4")
        while True:
            good, frame = video.read()
            if not good:
                break
            frames.append(frame)

    ## Good
        brightness = []
        video = cv2.VideoCapture("holiday.mp4")
        while True:
            good, frame = video.read()
            if not good:
                break
            brightness.append(float(frame.mean()))
    """
    for call in source.methods("append"):
        assert isinstance(call.func, ast.Attribute)
        loop = _keeping_loop(source, call, call.func.value) if len(call.args) == 1 else None
        if loop is None:
            continue
        what, sure = _kind(source, call.args[0], loop)
        if what:
            turns = source.values.turns(loop)
            known = turns < math.inf
            how_often = (
                f"all {turns:.0f} iterations of a loop"
                if known
                else "every iteration of a long loop"
            )
            yield Finding(
                f"`{source.segment(call.func.value)}` keeps {what} of {how_often}.",
                confidence=sure,
                remedies=(
                    Remedy(
                        "Keep only the numbers you need (float(loss), history.history['loss']), not the object."
                    ),
                    Remedy(
                        "Or write each result to disk as you go, or bound the list: deque(maxlen=…)."
                    ),
                ),
                where=source.place(call),
            )


def _keeping_loop(source: Source, call: ast.Call, kept: ast.expr) -> Loop | None:
    """The outermost loop that puts things into a list which is older than the loop and never gets smaller in it."""
    if source.traced(call) or not key_of(kept):
        return None
    made = source.names.latest(kept, through_branches=True)
    begins_empty = made is not None and made.how == "assign" and _is_empty_list(source, made.value)
    if not begins_empty or made is None:
        return None
    older = source.loops(call) or source.loops_of_uses(call)
    around = [loop for loop in older if loop not in set(source.tree.ancestors(made.node))]
    for loop in reversed(around):
        if source.values.turns(loop) >= FEWEST_TURNS and not _shrinks(loop, key_of(kept)):
            return loop
    return None


def _is_empty_list(source: Source, value: ast.expr | None) -> bool:
    if isinstance(value, ast.List):
        return not value.elts
    made_by_list = isinstance(value, ast.Call) and source.called(value.func) == "builtins.list"
    return made_by_list and isinstance(value, ast.Call) and not value.args


def _shrinks(loop: Loop, key: str) -> bool:
    """Whether the list is emptied, replaced or measured within the loop: then somebody has thought of it."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call):
            function = node.func
            shrinking = isinstance(function, ast.Attribute) and function.attr in SHRINKING
            measuring = isinstance(function, ast.Name) and function.id == "len"
            about = [function.value] if isinstance(function, ast.Attribute) else node.args
            if (shrinking or measuring) and any(key_of(word) == key for word in about):
                return True
        if isinstance(node, ast.Assign) and any(key_of(target) == key for target in node.targets):
            return True
        if isinstance(node, ast.Delete):
            for target in node.targets:
                inner = target.value if isinstance(target, ast.Subscript) else target
                if key_of(inner) == key:
                    return True
    return False


def _kind(source: Source, value: ast.expr, loop: Loop) -> tuple[str, Confidence]:
    """What is kept, in words, and how sure we are that it is large."""
    made = source.values.made_by(value)
    if source.values.is_picture(value):
        if made == "cv2.VideoCapture().read[]":
            return "a frame", Confidence.LIKELY
        many = math.inf > source.values.turns(loop) >= MANY_TURNS
        sure = Confidence.LIKELY if many or _walks_over_files(source, loop) else Confidence.POSSIBLE
        return "a decoded picture", sure
    if isinstance(value, ast.Dict | ast.Tuple | ast.List):
        parts = value.values if isinstance(value, ast.Dict) else value.elts
        found = [_kind(source, part, loop) for part in parts]
        return max(
            found, key=lambda kind: (bool(kind[0]), kind[1]), default=("", Confidence.POSSIBLE)
        )
    owner, _, method = made.removesuffix("[]").rpartition("().")
    if method == "fit" and _made_a_model(source, value):
        return "a History, and with it the model,", Confidence.LIKELY
    if _is_element(source, value, loop):
        return "an element of the data set", Confidence.LIKELY
    by_method = method in ("predict", "predict_on_batch") and _made_a_model(source, value)
    if by_method or (owner and method == "__call__"):
        return "a result of the model", Confidence.POSSIBLE
    return "", Confidence.POSSIBLE


def _walks_over_files(source: Source, loop: Loop) -> bool:
    """A whole folder, not the handful that a caller asked for."""
    if isinstance(loop, ast.While):
        return True
    walked = source.values.walked(loop)
    counted = [
        inner.args[0]
        for it in walked
        for inner in ast.walk(it)
        if isinstance(inner, ast.Call)
        and source.called(inner.func) == "builtins.len"
        and inner.args
    ]
    made = [source.values.made_by(it).partition("[]")[0] for it in (*walked, *counted)]
    return any(
        name in LISTINGS or name.endswith(("().glob", "().rglob", "().iterdir")) for name in made
    )


def _made_a_model(source: Source, value: ast.expr) -> bool:
    call = value
    if isinstance(value, ast.Name):
        bound = source.names.latest(value)
        call = bound.value if bound and bound.value else value
    function = getattr(call, "func", None)
    return isinstance(function, ast.Attribute) and source.values.is_model(function.value)


def _is_element(source: Source, value: ast.expr, loop: Loop) -> bool:
    """The inputs that a loop over a data set gets; labels are small."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr != "numpy":
            return False
        value = value.func.value
    if not isinstance(value, ast.Name) or not isinstance(loop, ast.For):
        return False
    target = loop.target
    counted = isinstance(loop.iter, ast.Call) and source.called(loop.iter.func)
    if isinstance(target, ast.Tuple) and counted == "builtins.enumerate":
        target = target.elts[-1]
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    same = isinstance(first, ast.Name) and first.id == value.id
    bound = source.names.latest(value)
    still = bound is not None and bound.node is loop
    return same and still and any(source.values.is_dataset(it) for it in source.values.walked(loop))
