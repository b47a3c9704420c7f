"""What lay around when an exception ended the program: shapes, types and paths in the user's frames that it passed through.

Taken once, at the end, bounded in time and number. Nothing of the user's is called: only values whose types are known are looked at,
by means that run no code of the program (and no TensorFlow operation: in a forked child one would wait for ever). Of texts
only what looks like a path is kept, of long data only its length and checksum; names that promise a secret are passed over.
"""

from __future__ import annotations

import os
import re
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight
from binascii import crc32

from ..memory.census import Standstill, locals_of, text_of
from ..memory.sizes import attributes_of
from ..notes.describe import masked
from ..notes.masking import looks_secret
from ..notes.tf_private import sides_of
from ..notes.words import chain_of
from ..start.clock import Clock
from .broken_pipeline import pipeline_in
from .graph_lines import made_in

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

    from ..notes.pipelines import Pipelines

    Described = Dict[str, Any]

SECONDS = 0.1
MAX_FRAMES = 6
MAX_FRAMES_LOOKED_AT = 60
MAX_CHAIN = 3
MAX_NAMES_PER_FRAME = 60
MAX_VALUES = 60
MAX_PATH_CHARACTERS = 300
MAX_KEY_CHARACTERS = 40
MAX_ELEMENTS = 2000
MAX_SHAPES = 4
MAX_LISTED = 200

#: Larger texts and arrays are not read through: the program is ending, and somebody waits for it.
MAX_BYTES_READ = 32_000_000
MAX_NUMBERS_READ = 2_000_000

NOT_FINITE = r"\b(nan|inf|infs|infinity|finite|nans)\b"
FILES = ("_io.TextIOWrapper", "_io.BufferedReader", "_io.BufferedWriter", "_io.FileIO")
NUMBERS = (int, float, bool)


class Scene:
    """Looks at the frames of an exception while it is still alive."""

    def __init__(self, is_own: Callable[[str], bool], pipelines: Pipelines) -> None:
        self._is_own = is_own
        self._pipelines = pipelines

    def around(self, error: BaseException, told: Described, own_thread: bool) -> Described:
        """The values in the user's frames, innermost first, and the pipeline that failed."""
        # Asked for first: it lets other threads run, and what we held meanwhile the program could not free.
        here = folder()
        if own_thread:
            return self._around(error, told, here)
        # While we look from a thread of ours, the program stands still: what we hold for a moment must never become the last
        # reference to it, or its __del__ would run in this thread.
        with Standstill():
            return self._around(error, told, here)

    def _around(self, error: BaseException, told: Described, here: str) -> Described:
        deadline = Clock.perf_counter() + SECONDS
        message = str(told.get("message", ""))
        wants_numbers = isinstance(error, (AssertionError, FloatingPointError)) or (
            re.search(NOT_FINITE, message, re.IGNORECASE) is not None
        )
        numbers_too = isinstance(error, RecursionError)
        values: List[Described] = []
        frames = [found for link in chain_of(error, MAX_CHAIN) for found in self._frames(link)]
        for frame, line in frames:
            place = [frame.f_code.co_filename, line, frame.f_code.co_name]
            for name, value in named_values(frame):
                if len(values) >= MAX_VALUES or Clock.perf_counter() > deadline:
                    break
                if looks_secret(name):
                    continue
                found = described(value, wants_numbers, numbers_too)
                if found is not None:
                    values.append({"name": name, "frame": place, **found})
        pipeline = pipeline_in(
            [frame for link in chain_of(error, MAX_CHAIN) for frame in every_frame(link)],
            [frame for frame, _ in frames],
            self._pipelines,
            deadline,
        )
        operation, made = self._made(error)
        return {
            "values": values,
            "pipeline": pipeline,
            "operation": operation,
            "made": made,
            "cwd": here,
        }

    def _made(self, error: BaseException) -> Tuple[str, List[Any]]:
        """The node that TensorFlow's words are about: its kind, and the lines that made it."""
        try:
            for link in chain_of(error, MAX_CHAIN):
                found = (
                    made_in(self._pipelines.graphs(), str(link)) if is_tensorflow(link) else None
                )
                if found is not None:
                    return found
        except Exception:
            pass  # another TensorFlow
        return "", []

    def _frames(self, error: BaseException) -> List[Tuple[Any, int]]:
        """The innermost frames of the user's own, innermost first, each code once: a recursion is told by its two ends."""
        first: List[Any] = []
        last: Any = deque(maxlen=MAX_FRAMES)  # a recursion may be a million frames deep
        own: Dict[str, bool] = {}
        step = error.__traceback__
        while step is not None:
            file = step.tb_frame.f_code.co_filename
            if file not in own:
                own[file] = self._is_own(file)
            if own[file]:
                if len(first) < 2:
                    first.append(step)
                last.append(step)
            step = step.tb_next
        found = [*last][::-1]
        if isinstance(error, RecursionError):
            found = [*first, *[step for step in [*last][-2:] if step not in first]]
        return [(step.tb_frame, step.tb_lineno or 0) for step in found]


def is_tensorflow(error: BaseException) -> bool:
    """Whether its class is TensorFlow's: then its text can be asked for without running the user's code."""
    return text_of(type(error), "__module__").startswith("tensorflow.")


def folder() -> str:
    """Where the program stands: relative names are meant from there."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


def every_frame(error: BaseException) -> List[Any]:
    """The frames of the traceback, the user's and the libraries', innermost first."""
    found: Any = deque(maxlen=MAX_FRAMES_LOOKED_AT)
    step = error.__traceback__
    while step is not None:
        found.append(step)
        step = step.tb_next
    return [step.tb_frame for step in reversed(found)]


def named_values(frame: Any) -> Iterator[Tuple[str, Any]]:
    """What the code of a frame names: its locals, the attributes of its ``self``, the entries of small dictionaries."""
    names = locals_of(frame)
    used = set(frame.f_code.co_names) | set(frame.f_code.co_varnames)
    count = 0
    for name, value in names.items():
        if name.startswith("__") or (name not in used and name not in frame.f_code.co_freevars):
            continue  # of a module: the names that its own lines use, not everything that was imported
        count += 1
        if count > MAX_NAMES_PER_FRAME:
            return
        yield name, value
        if type(value) is dict and len(value) <= 12:
            for key, inner in list(dict.items(value)):
                if type(key) is str:
                    yield f'{name}["{masked(key, MAX_KEY_CHARACTERS)}"]', inner
        elif name == "self":
            for attribute, inner in list(attributes_of(value).items())[:MAX_NAMES_PER_FRAME]:
                if type(attribute) is str and not attribute.startswith("_"):
                    yield f"self.{attribute}", inner


def described(value: Any, wants_numbers: bool, numbers_too: bool) -> Optional[Described]:
    """A value as plain data; None for what is not known or says nothing."""
    try:
        kind = type(value)
        if kind is str:
            return path_like(value)
        if kind is bytes:
            return path_like_or_data(value)
        if kind in NUMBERS:
            return {"kind": kind.__name__, "number": value} if numbers_too else None
        if kind in (list, tuple):
            return described_list(value)
        if value is None:
            return {"kind": "None"}
        name = f"{text_of(kind, '__module__')}.{text_of(kind, '__qualname__')}"
        if name.startswith("pathlib"):
            return path_like(str(value))
        if name in FILES:
            return path_like(str(value.name))
        if name.startswith("PIL."):
            return described_picture(value)
        return described_array(value, kind, name, wants_numbers)
    except Exception:
        return None


def path_in(value: Any) -> str:
    """The name of a file that a value is, or nothing."""
    if text_of(type(value), "__module__").startswith("pathlib"):
        value = str(value)
    return value if type(value) is str and looks_like_path(value) else ""


def path_like(text: str) -> Optional[Described]:
    """A text, if it looks like the name of a file."""
    return {"kind": "str", "path": masked(text)} if looks_like_path(text) else None


def looks_like_path(text: str) -> bool:
    """A short text with a slash or an ending."""
    if not 1 < len(text) <= MAX_PATH_CHARACTERS or "\n" in text or "\0" in text:
        return False
    ending = text.rpartition(".")[2]
    return "/" in text or (0 < len(ending) <= 10 and ending != text and ending.isalnum())


def path_like_or_data(data: bytes) -> Optional[Described]:
    """Bytes: the name of a file, or the contents of one, which can be found again by length and checksum."""
    if len(data) <= MAX_PATH_CHARACTERS:
        try:
            path = path_like(data.decode("utf-8"))
        except UnicodeDecodeError:
            path = None
        if path is not None:
            return path
    known: Described = {"kind": "bytes", "bytes": len(data)}
    if len(data) <= MAX_BYTES_READ:
        known["crc"] = crc32(data)
    return known


def described_list(value: Any) -> Optional[Described]:
    """How many there are, and of arrays in how many shapes: the one that differs is the one to look for."""
    shapes: List[List[Any]] = []
    for position, inner in enumerate(value[:MAX_ELEMENTS]):
        found = array_of(inner)
        if found is None:
            break
        known = [entry for entry in shapes if entry[0] == found]
        if known:
            known[0][1] += 1
        elif len(shapes) < MAX_SHAPES:
            shapes.append([found, 1, position])
    kind = type(value).__name__
    paths = [name for name in map(path_in, value[:MAX_LISTED]) if name]
    if paths:
        return {"kind": kind, "count": len(value), "paths": masked("\n".join(paths)).split("\n")}
    if shapes:
        return {"kind": kind, "count": len(value), "shapes": shapes}
    return {"kind": kind, "count": 0} if not value else None


def described_picture(value: Any) -> Optional[Described]:
    """A picture of Pillow's."""
    known = attributes_of(value)
    width, height = known.get("_size") or (None, None)
    if type(width) is not int or type(height) is not int:
        return None
    told: Described = {
        "kind": "PIL.Image",
        "shape": [height, width],
        "mode": str(known.get("_mode", known.get("mode", ""))),
    }
    path = known.get("filename")
    if type(path) is str and path:
        told["path"] = masked(path, MAX_PATH_CHARACTERS)
    return told


def array_of(value: Any) -> Optional[List[Any]]:
    """Shape and dtype of an array or tensor."""
    kind = type(value)
    module = text_of(kind, "__module__")
    if not (
        module == "numpy" or module.startswith(("tensorflow.", "keras.src.", "jax", "jaxlib."))
    ):
        return None
    if text_of(kind, "__name__") not in ARRAYS:
        return None
    shape = getattr(value, "shape", None)
    sides = sides_of(shape)
    dtype = getattr(value, "dtype", None)
    if sides is None or dtype is None:
        return None
    plain = [int(side) if side is not None else None for side in tuple(sides)]
    return [plain, str(getattr(dtype, "name", dtype))]


#: Names of the classes that are arrays, across the versions of NumPy, TensorFlow and Keras.
ARRAYS = frozenset(
    {
        "ndarray",
        "EagerTensor",
        "Tensor",
        "SymbolicTensor",
        "KerasTensor",
        "ResourceVariable",
        "Variable",
        "ArrayImpl",
    }
)


def described_array(value: Any, kind: type, name: str, wants_numbers: bool) -> Optional[Described]:
    """An array or tensor: shape, dtype, how many of its numbers are not finite, what text it holds."""
    found = array_of(value)
    if found is None:
        return None
    shape, dtype = found
    told: Described = {
        "kind": "numpy.ndarray" if name == "numpy.ndarray" else "tf.Tensor",
        "shape": shape,
        "dtype": dtype,
    }
    if dtype == "string" and shape == [] and text_of(kind, "__name__") == "EagerTensor":
        held = value.numpy()
        if type(held) is bytes:
            return {**told, **(path_like_or_data(held) or {}), "kind": "tf.Tensor"}
    if wants_numbers and dtype in ("float16", "float32", "float64", "bfloat16"):
        bad = not_finite(value, shape)
        if bad is not None:
            told["not_finite"] = bad
    return told


def not_finite(value: Any, shape: List[Any]) -> Optional[int]:
    """How many numbers are NaN or infinite."""
    count = 1
    for side in shape:
        count *= side if side is not None else MAX_NUMBERS_READ + 1
    numpy = sys.modules.get("numpy")
    if numpy is None or count > MAX_NUMBERS_READ:
        return None
    array = value if type(value) is numpy.ndarray else None
    if array is None and text_of(type(value), "__name__") == "EagerTensor":
        array = value.numpy()
    return None if array is None else int(count - numpy.isfinite(array).sum())
