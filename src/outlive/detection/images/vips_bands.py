"""Bands of compressed pictures, decoded by libvips row by row; and WebP, which its own library makes smaller while it decodes.

libvips only decodes here: what a viewer shows of it is worked out as for every other picture. It is loaded in the worker, when it is needed first.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from outlive.jobs.plain_exception import Unfit

LOADERS = {
    "PNG": "pngload",
    "JPEG": "jpegload",
    "MPO": "jpegload",
    "TIFF": "tiffload",
    "WEBP": "webpload",
}

#: What libvips and the decoders take for themselves, and the rows that they keep; more than was measured with pictures of 20,000 × 15,000 (docs/detecting.md).
OVERHEAD_BYTES = 24_000_000
KEPT_ROWS, KEPT_ROWS_WHEN_LEAN = 1500, 800

#: The types of numbers that pictures have, as NumPy names them.
KINDS = {"uchar": "u1", "ushort": "u2", "uint": "u4", "int": "i4", "float": "f4", "double": "f8"}
BYTES_OF = {name: int(kind[1]) for name, kind in KINDS.items()}

JPEG_SHARES = (8, 4, 2, 1)  #: a JPEG can be decoded at one over these

#: ``mallopt``: blocks above so many bytes are given back to the kernel when they are freed. libvips frees blocks of a megabyte all the time; glibc gets used to
#: that and keeps them, which takes up to twice the memory. Giving them back takes three times as long. Afterwards it is as it would be by habit: TensorFlow
#: lives by it.
MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
GIVEN_BACK_BYTES, BY_HABIT_BYTES = 1 << 20, 32 << 20

_setting = threading.Lock()
_lean = [0]  #: threads that decode with little memory at this moment


def is_there() -> bool:
    """Whether libvips is installed."""
    return importlib.util.find_spec("pyvips") is not None


class VipsBands:
    """A picture that is decoded as it is read: fast, or lean."""

    def __init__(
        self, path: str, kind: str, share: float, turn: int, held_bytes: int, lean: bool
    ) -> None:
        self._path = path
        self._kind = kind
        self._share = share
        self._held_bytes = held_bytes
        self._is_lean = lean
        self.turn = turn
        with self._opened() as image:
            self.width, self.height = int(image.image.width), int(image.image.height)
            self._row_bytes = self.width * int(image.image.bands) * BYTES_OF[image.image.format]

    def needs(self) -> int:
        """Count the bytes that it keeps while it decodes."""
        rows = KEPT_ROWS_WHEN_LEAN if self._is_lean else KEPT_ROWS
        if self._kind == "WEBP":
            rows = 2 * self.height  # what it is made to is whole
        return OVERHEAD_BYTES + self._held_bytes + self._row_bytes * rows

    def strips(self, rows: int) -> Iterator[Any]:
        """Decode from the top."""
        vips = _vips()
        with _giving_back(self._is_lean), self._opened() as opened:
            region = vips.Region.new(opened.image)
            for top in range(0, self.height, rows):
                high = min(rows, self.height - top)
                try:
                    data = region.fetch(0, top, self.width, high)
                except vips.Error as error:
                    raise self._corrupt(error) from error
                yield _strip(opened.image, data, self.width, high)

    def _opened(self) -> _Opened:
        options: dict[str, Any] = {"access": "sequential", "fail_on": "truncated"}
        if self._kind == "WEBP":
            options["scale"] = self._share  # its own library makes it smaller
        elif LOADERS[self._kind] == "jpegload":
            options["shrink"] = next(one for one in JPEG_SHARES if one <= max(1, 1 / self._share))
        try:
            return _Opened(self._path, LOADERS[self._kind], options)
        except _vips().Error as error:
            raise self._corrupt(error) from error

    def _corrupt(self, error: Any) -> Unfit:
        words = str(getattr(error, "detail", "") or error).strip().splitlines()
        return Unfit(
            "corrupt-image",
            f"The picture `{self._path}` could not be decoded: {words[-1] if words else error}",
            "Download or create it again.",
        )


class _Opened:
    """A file and its picture; opened by number, since libvips reads options out of names."""

    def __init__(self, path: str, loader: str, options: dict[str, Any]) -> None:
        self._file = open(path, "rb")  # noqa: SIM115  # closed with this
        try:
            load = getattr(_vips().Image, loader)
            self.image = load(f"/proc/self/fd/{self._file.fileno()}", **options)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *reason: object) -> None:
        del self.image
        self._file.close()


def _vips() -> Any:
    with _setting:
        vips: Any = importlib.import_module("pyvips")
        vips.cache_set_max(0)  # every picture is read once
        vips.concurrency_set(1)  # rows come one after the other, and each thread keeps some
        return vips


@contextmanager
def _giving_back(lean: bool) -> Iterator[None]:
    """Have the C library give large blocks back at once, as long as somebody decodes with little memory."""
    if not lean:
        yield
        return
    with _setting:
        _lean[0] += 1
        _set_malloc(GIVEN_BACK_BYTES)
    try:
        yield
    finally:
        with _setting:
            _lean[0] -= 1
            if not _lean[0]:
                _set_malloc(BY_HABIT_BYTES)


def _set_malloc(threshold: int) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, threshold)
        mallopt(TRIM_THRESHOLD, 2 * threshold)


def _strip(image: Any, data: Any, width: int, height: int) -> Any:
    """Numbers of libvips as an image of Pillow."""
    numpy: Any = importlib.import_module("numpy")
    image_module: Any = importlib.import_module("PIL.Image")
    values = numpy.frombuffer(data, KINDS[image.format]).reshape(height, width, image.bands)
    if image.format == "ushort":
        values = (values >> 8).astype("u1")
    elif image.format in ("float", "double"):
        return image_module.fromarray(values[..., 0].astype("f4"))
    elif image.format in ("uint", "int"):
        return image_module.fromarray(values[..., 0].astype("i4"))
    if image.bands == 1:
        return image_module.fromarray(values[..., 0])
    mode = {2: "LA", 3: "RGB", 4: "RGBA"}.get(min(image.bands, 4), "RGB")
    if image.interpretation == "cmyk":
        mode = "CMYK"
    chosen = numpy.ascontiguousarray(values[..., : len(mode)])
    return image_module.frombuffer(mode, (width, height), chosen.tobytes(), "raw", mode, 0, 1)
