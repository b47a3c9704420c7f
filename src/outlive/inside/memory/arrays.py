"""Large arrays that the user's code can name: their types and shapes, and whether their values would fit a narrower type.

Nothing of the data is kept: a few thousand values are looked at, and the answer is the name of a type. Pictures that are being read
are told by their files' names, and by the size that Pillow knows.
"""

from __future__ import annotations

import os
import sys

from ..notes.tf_private import COUNTS_ELEMENTS, tensors_in
from ..start.clock import Clock
from .census import locals_of, text_of
from .named_containers import frames_of_others
from .sizes import container_kind, defines, elements, len_of, native_bytes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional

    from .named_containers import Path, Scope

SMALLEST_BYTES = 1_000_000
MOST_ARRAYS = 12
SAMPLED_VALUES = 4096
#: A picture of three channels, each shifted and scaled by its own numbers, has at most 768 different values.
FEW_DIFFERENT = 1024
WIDE = ("float64", "int64", "uint64", "complex128")

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff")
LONGEST_PATH = 1000
MOST_FILES = 20
MOST_FOLDERS = 6
#: A pipeline that lists more names of files than this is not read through.
MOST_LISTED = 20_000
SECONDS_FOR_FILES = 0.05
PILLOW = "/PIL/"


class Arrays:
    """The largest arrays and tensors."""

    def __init__(self) -> None:
        self._found: List[Dict[str, Any]] = []

    def see(self, value: Any, path: Path, scope: Scope) -> None:
        """One value that the user's code can reach."""
        count, array = 1, value
        kind = container_kind(value)
        if kind in ("list", "dict", "deque") and len_of(value, kind) > 1:
            count, array = len_of(value, kind), elements(value, kind)[0]
        module = text_of(type(array), "__module__")
        tensor = module.startswith("tensorflow.") and defines(type(array), COUNTS_ELEMENTS)
        if not tensor and not (module == "numpy" and text_of(type(array), "__name__") == "ndarray"):
            return
        try:
            total = (native_bytes(array) or 0) * count
            if total >= SMALLEST_BYTES and array.shape:
                self._add(array, total, count, path, scope, tensor)
        except Exception:
            pass  # a type of somebody's own

    def _add(
        self, array: Any, total: int, count: int, path: Path, scope: Scope, tensor: bool
    ) -> None:
        name = str(getattr(array.dtype, "name", array.dtype))
        entry = {
            "path": [list(step) for step in path],
            "file": scope[0],
            "scope": scope[1],
            "dtype": name,
            "shape": [int(side) for side in array.shape],
            "bytes": total,
            "count": count,
        }
        if name in WIDE and not tensor and total >= 4 * SMALLEST_BYTES:
            entry["fits"] = narrower(array)
        self._found.append(entry)

    def largest(self) -> List[Dict[str, Any]]:
        """The largest of those that were seen."""
        return sorted(self._found, key=lambda entry: -int(entry["bytes"]))[:MOST_ARRAYS]


def narrower(array: Any) -> str:
    """The narrowest type that the values of a wide array would fit, by a sample; nothing when they need what they have."""
    numpy: Any = sys.modules["numpy"]
    sample = array.flat[:: max(1, array.size // SAMPLED_VALUES)]
    if array.dtype.kind in "iu":
        low, high = int(sample.min()), int(sample.max())
        if low >= 0 and high <= 255:
            return "uint8"
        return "int32" if low >= -(2**31) and high < 2**31 else ""
    if array.dtype.kind == "c":
        return ""
    whole = bool((sample == numpy.floor(sample)).all())
    if whole and len(sample) and float(sample.min()) >= 0 and float(sample.max()) <= 255:
        return "uint8" if float(sample.max()) > 1 else "float32"
    if bool(((sample == sample.astype("float32")) | (sample != sample)).all()):
        return "float32"
    different = len(set(sample.tolist()))
    return "few" if different <= FEW_DIFFERENT and len(sample) > 2 * FEW_DIFFERENT else ""


class Pictures:
    """Files of pictures that the running functions name, and those that Pillow is reading."""

    def __init__(self) -> None:
        self.files: List[str] = []
        self.folders: List[str] = []
        self.sizes: List[Any] = []

    def look(self, is_own: Any) -> None:
        """At the names of every running function of the user's, and at Pillow's own."""
        for frame in frames_of_others():
            file = frame.f_code.co_filename
            if is_own(file) or PILLOW in file:
                for value in locals_of(frame).values():
                    self._see(value)
            del frame

    def _see(self, value: Any) -> None:
        kind = type(value)
        module = text_of(kind, "__module__")
        if module.startswith("PIL.") and defines(kind, "size"):
            try:
                width, height = value._size
                self.sizes.append([str(value.filename)[:LONGEST_PATH], int(width), int(height)])
            except Exception:
                pass
            return
        text = as_path(value, kind, module)
        if not text or len(text) > LONGEST_PATH or "\n" in text:
            return
        if text.lower().endswith(PICTURE_ENDINGS):
            if len(self.files) < MOST_FILES and text not in self.files:
                self.files.append(text)
        elif "/" in text and len(self.folders) < MOST_FOLDERS and text not in self.folders:
            self.folders.append(text)


def as_path(value: Any, kind: type, module: str) -> Optional[str]:
    """A text that may be the name of a file."""
    if kind is str:
        return str(value)
    if kind is bytes and len(value) <= LONGEST_PATH:
        return str(value.decode("utf-8", "replace"))
    if module.startswith("pathlib") and text_of(kind, "__name__") in ("PosixPath", "PurePosixPath"):
        return str(value)
    return None


def listed_in(stages: List[Any]) -> List[str]:
    """The files of pictures that the sources of tf.data pipelines list. No operation is run: the names lie in memory."""
    found: List[str] = []
    for stage in stages:
        for source in tensors_in(stage):
            if text_of(type(source), "__name__") != "EagerTensor" or source.dtype.name != "string":
                continue
            count = source.shape.num_elements()
            if source.shape.rank == 1 and count and count <= MOST_LISTED:
                names = [name.decode("utf-8", "replace") for name in source.numpy()]
                found += [name for name in names if name.lower().endswith(PICTURE_ENDINGS)]
    return found


def largest_files(paths: List[str]) -> List[str]:
    """Those with the most bytes, as far as there is time to ask; nothing is opened for it."""
    until = Clock.perf_counter() + SECONDS_FOR_FILES
    sizes = []
    for path in paths:
        if Clock.perf_counter() > until:
            break
        try:
            sizes.append((os.stat(path).st_size, path))
        except OSError:
            continue
    return [path for _, path in sorted(sizes, reverse=True)[:MOST_FILES]]
