"""What the worker does with one picture: read it, fit it to the model, run the model, read its answer."""

from __future__ import annotations

import importlib
import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outlive.detecting.detections import Found, found_in, to_plain
from outlive.detecting.drawing import copy_name, draw
from outlive.detecting.pictures import DECODING_BYTES, Picture, read_picture
from outlive.detecting.tiles import Tile, in_picture, merged, tiles_of
from outlive.detecting.videos import Frames
from outlive.keep.work import Ready, anonymous_bytes
from outlive.scan.pictures import BYTES_PER_PIXEL

#: Of what is left of the budget once the model is loaded, one run may be expected to need this share.
ROOM_SHARE = 0.7

#: … and the decoding of one picture this one: others are decoded beside it.
DECODING_SHARE = 0.3

#: Pictures are never made smaller than this to fit: below it a detector sees nothing, and the budget is the problem.
LEAST_PIXELS = 640 * 480


def make(**arguments: Any) -> DetectTask:
    """The worker's task; named by the parent."""
    return DetectTask(**arguments)


@dataclass(frozen=True, slots=True)
class Work:
    """A picture, and the parts of it that the model is given."""

    name: str
    picture: Picture
    tiles: list[Tile]
    arrays: list[Any]


class DetectTask:
    """A detector, ready."""

    def __init__(
        self,
        model: str,
        runtime: str,
        budget: int | None,
        min_score: float,
        max_side: int | None = None,
        pixels: str = "0..255",
        offset: int | None = None,
        tile: int | None = None,
        draw: str | None = None,
        labels: Mapping[int, str] | None = None,
    ) -> None:
        self._tile = tile
        self._draw = draw
        self._labels = labels or {}
        self._videos: dict[str, Frames] = {}
        self._opening = threading.Lock()
        warnings.simplefilter("ignore")  # what Pillow thinks of a file is not for a log
        self._detector = _detector(model, runtime, pixels, min_score)
        self._min_score = min_score
        self._offset = self._detector.offset if offset is None else offset
        fit = self._detector.fit
        self._fixed = (fit.width, fit.height) if fit.width and fit.height else None
        self.most = fit.most
        left = None if budget is None else max(0, budget - anonymous_bytes())
        self.room_bytes = None if left is None else int(left * ROOM_SHARE)
        self._most_bytes = None if left is None else int(left * DECODING_SHARE)
        # Tiles and annotated copies want the picture as it is, not as small as the model takes it.
        wanted = None if tile or draw else self._fixed
        needs = DECODING_BYTES if tile else BYTES_PER_PIXEL
        room = self._most_bytes if tile else self.room_bytes
        self._most_pixels = _most_pixels(room, needs, wanted, max_side)
        self.facts: Mapping[str, Any] = {
            "input": str(fit.input),
            "notes": fit.notes,
            "most": fit.most,
            "most_pixels": self._most_pixels,
        }

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Read and decode a picture, and fit it."""
        picture = self._read(item)
        height, width = picture.array.shape[:2]
        parts = tiles_of(width, height, self._tile) if self._tile else [Tile(0, 0, width, height)]
        arrays = [self._fitted(picture.array, tile) for tile in parts]
        high, wide = arrays[0].shape[:2]
        held = int(picture.array.nbytes) + (
            sum(int(one.nbytes) for one in arrays) if self._fixed else 0
        )
        work = Work(str(item["name"]), picture, parts, arrays)
        return Ready(work, (high, wide), wide * high * BYTES_PER_PIXEL, held)

    def _read(self, item: Mapping[str, Any]) -> Picture:
        path, frame = item["path"], item.get("frame")
        if frame is None:
            return read_picture(path, self._most_pixels, self._most_bytes)
        with self._opening:
            if path not in self._videos:
                self._videos.clear()  # one at a time: they come one after the other
                self._videos[path] = Frames(path)
            video = self._videos[path]
        array = video.read(frame)
        return Picture(array, array.shape[1], array.shape[0])

    def _fitted(self, array: Any, tile: Tile) -> Any:
        part = array[tile.top : tile.top + tile.height, tile.left : tile.left + tile.width]
        if not self._fixed or part.shape[:2] == self._fixed[::-1]:
            return part
        image: Any = importlib.import_module("PIL.Image")
        numpy: Any = importlib.import_module("numpy")
        resized = image.fromarray(part).resize(self._fixed, image.Resampling.BILINEAR)
        return numpy.asarray(resized)

    def run(self, things: Sequence[Work]) -> list[dict[str, Any]]:
        """The objects in each."""
        arrays = [array for work in things for array in work.arrays]
        step = max(1, len(things))
        answers = [
            one
            for at in range(0, len(arrays), step)
            for one in self._detector.run(arrays[at : at + step])
        ]
        found = [self._found(work, answers) for work in things]
        return [
            to_plain(work.picture.width, work.picture.height, some)
            for work, some in zip(things, found, strict=True)
        ]

    def _found(self, work: Work, answers: list[Any]) -> list[Found]:
        """The objects of one picture: the answers to its parts are the next ones."""
        height, width = work.picture.array.shape[:2]
        some: list[Found] = []
        for tile in work.tiles:
            boxes, scores, classes, count = answers.pop(0)
            inside = found_in(
                boxes.tolist(),
                scores.tolist(),
                classes.tolist(),
                count,
                self._min_score,
                self._offset,
            )
            some += in_picture(inside, tile, width, height) if len(work.tiles) > 1 else inside
        if len(work.tiles) > 1:
            some = merged(some)
        if self._draw:
            draw(
                os.path.join(self._draw, copy_name(work.name)),
                work.picture.array,
                some,
                self._labels,
            )
        return some


def _detector(model: str, runtime: str, pixels: str, min_score: float) -> Any:
    if runtime == "litert":
        from outlive.detecting.litert_runtime import LiteRTDetector

        return LiteRTDetector(model, pixels, min_score)
    from outlive.detecting.tensorflow_runtime import TensorFlowDetector

    return TensorFlowDetector(model, pixels)


def _most_pixels(
    room_bytes: int | None,
    bytes_a_pixel: int,
    fixed: tuple[int, int] | None,
    max_side: int | None,
) -> int | None:
    """The largest picture that a run has room for. Where the model wants one size anyway, four times that is enough to shrink from."""
    bounds = []
    if fixed is not None:
        bounds.append(fixed[0] * fixed[1] * 4)
    if max_side is not None:
        bounds.append(max_side * max_side)
    if room_bytes is not None:
        bounds.append(max(LEAST_PIXELS, room_bytes // bytes_a_pixel))
    return min(bounds, default=None)
