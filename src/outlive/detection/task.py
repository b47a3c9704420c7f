"""What the worker does with one picture: read it, fit it to the model, run the model, read its answer."""

from __future__ import annotations

import importlib
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from outlive.data.addresses import Copy, is_address
from outlive.data.scan.pictures import BYTES_PER_PIXEL
from outlive.detection.detections import Found, found_in, refuse_no_numbers, to_plain
from outlive.detection.images.bands import nothing_to_tell
from outlive.detection.images.draw_boxes import LARGEST_SIDE, copy_name, draw
from outlive.detection.images.pictures import (
    DECODING_BYTES,
    Picture,
    cut_picture,
    read_picture,
    refuse_no_file,
)
from outlive.detection.images.room import Room
from outlive.detection.images.tiles import Tile, in_picture, merged, tiles_of
from outlive.detection.images.videos import Frames
from outlive.inside.machine.resident import anonymous_bytes
from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: Of what is left of the budget once the model is loaded, one run may be expected to need this share.
ROOM_SHARE = 0.7

#: … and the pictures that are being decoded at one time, all together, this one.
DECODING_SHARE = 0.3

#: Tiles of a large picture that are given to the model at once.
TILES_AT_ONCE = 8

#: What is left of a huge picture for a model that resizes it anyway: a common photo, or so many times what the model uses on each side.
LEAST_OF_HUGE = 4_000_000
SHARPER = 4

#: Pictures are never made smaller than this to fit: below it a detector sees nothing, and the budget is the problem.
LEAST_PIXELS = 640 * 480


def make(**arguments: Any) -> DetectTask:
    """The worker's task; named by the parent."""
    return DetectTask(**arguments)


@dataclass(frozen=True, slots=True)
class Work:
    """A picture, and the parts of it that the model is given: all at once, or one after the other where it does not fit whole."""

    name: str
    path: str
    width: int
    height: int
    whole: Any  #: None: it is never whole
    parts: Iterable[tuple[Tile, Any]]
    copy: Copy | None = None  #: of a file that is elsewhere: there as long as it is worked on


class DetectTask:
    """What a worker does: a loaded detector, and how a picture is made ready for it."""

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
        self.going: Callable[[], None] = nothing_to_tell  # the worker's, once it lives
        self._max_side = max_side
        self._videos: dict[str, Frames] = {}
        self._opening = threading.Lock()
        warnings.simplefilter("ignore")  # what Pillow thinks of a file is not for a log
        self._detector = _detector(model, runtime, pixels, min_score)
        self._min_score = min_score
        self._offset = self._detector.offset if offset is None else offset
        fit = self._detector.fit
        self._fixed = (fit.width, fit.height) if fit.width and fit.height else None
        self.most = fit.most
        left = None if budget is None else budget - anonymous_bytes()
        if left is not None and left <= 0:
            raise _no_room(budget or 0, (budget or 0) - left)
        self.room_bytes = None if left is None else int(left * ROOM_SHARE)
        self._decoding = Room(None if left is None else int(left * DECODING_SHARE))
        # Tiles and annotated copies want the picture as it is, not as small as the model takes it.
        wanted = None if tile or draw else self._fixed
        needs = DECODING_BYTES if tile else BYTES_PER_PIXEL
        room = self._decoding.most_bytes if tile else self.room_bytes
        self._most_pixels = _most_pixels(room, needs, wanted, max_side)
        self._most_of_huge = None if tile or not fit.used else _most_of_huge(*fit.used)
        self._tiles_at_once = min(TILES_AT_ONCE, fit.most)
        if tile and self.room_bytes is not None:
            fitting = self.room_bytes // (tile * tile * BYTES_PER_PIXEL)
            self._tiles_at_once = max(1, min(self._tiles_at_once, fitting))
        self.facts: Mapping[str, Any] = {
            "input": str(fit.input),
            "notes": fit.notes,
            "most": fit.most,
            "most_pixels": self._most_pixels,
        }

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Read and decode a picture, and fit it."""
        name, path = str(item["name"]), str(item["path"])
        copy = Copy(path) if is_address(path) else None
        if copy is not None:
            path = copy.path
            item = {**item, "path": path}
        refuse_no_file(path)
        if self._tile and not self._max_side and item.get("frame") is None:
            pieces = cut_picture(path, self._tile, self._decoding, self._say_going)
            if pieces is not None:
                work = Work(name, path, pieces.width, pieces.height, None, pieces.tiles, copy)
                return Ready(work, ("alone", name))
        picture = self._read(item)
        height, width = picture.array.shape[:2]
        tiles = tiles_of(width, height, self._tile) if self._tile else [Tile(0, 0, width, height)]
        parts = [(tile, self._fitted(_part(picture.array, tile))) for tile in tiles]
        high, wide = parts[0][1].shape[:2]
        held = int(picture.array.nbytes) + (
            sum(int(array.nbytes) for _, array in parts) if self._fixed else 0
        )
        work = Work(name, path, picture.width, picture.height, picture.array, parts, copy)
        return Ready(work, (high, wide), wide * high * BYTES_PER_PIXEL, held)

    def _say_going(self) -> None:
        self.going()

    def _read(self, item: Mapping[str, Any]) -> Picture:
        path, frame = item["path"], item.get("frame")
        if frame is None:
            return read_picture(
                path,
                self._most_pixels,
                room=self._decoding,
                going=self._say_going,
                most_of_huge=self._most_of_huge,
            )
        with self._opening:
            if path not in self._videos:
                self._videos.clear()  # one at a time: they come one after the other
                self._videos[path] = Frames(path)
            video = self._videos[path]
        array = video.read(frame)
        return Picture(array, array.shape[1], array.shape[0])

    def _fitted(self, part: Any) -> Any:
        if not self._fixed or part.shape[:2] == self._fixed[::-1]:
            return part
        image: Any = importlib.import_module("PIL.Image")
        numpy: Any = importlib.import_module("numpy")
        resized = image.fromarray(part).resize(self._fixed, image.Resampling.BILINEAR)
        return numpy.asarray(resized)

    def run(self, things: Sequence[Work]) -> list[dict[str, Any]]:
        """The objects in each."""
        if len(things) == 1 and things[0].whole is None:
            return [self._one_by_one(things[0])]
        arrays = [array for work in things for _, array in work.parts]
        answers = list(self._answers(arrays, max(1, len(things))))
        return [self._told(work, self._found(work, answers)) for work in things]

    def _answers(self, arrays: Sequence[Any], step: int) -> Iterator[Any]:
        for at in range(0, len(arrays), step):
            yield from self._detector.run(arrays[at : at + step])
            self.going()

    def _found(self, work: Work, answers: list[Any]) -> list[Found]:
        """The objects of one picture: the answers to its parts are the next ones."""
        height, width = work.whole.shape[:2]
        several = [(tile, self._read_answer(answers.pop(0))) for tile, _ in work.parts]
        if len(several) == 1:
            return several[0][1]
        return merged(
            [one for tile, some in several for one in in_picture(some, tile, width, height)]
        )

    def _one_by_one(self, work: Work) -> dict[str, Any]:
        """Run the model on a picture that is never in memory whole: a few tiles, then the next ones."""
        found: list[Found] = []
        parts = iter(work.parts)
        while some := list(islice(parts, self._tiles_at_once)):
            arrays = [self._fitted(array) for _, array in some]
            for (tile, _), answer in zip(some, self._detector.run(arrays), strict=True):
                inside = self._read_answer(answer)
                found += in_picture(inside, tile, work.width, work.height)
            self.going()
        return self._told(work, merged(found))

    def _read_answer(self, answer: Any) -> list[Found]:
        boxes, scores, classes = (values.tolist() for values in answer[:3])
        count = answer[3]
        refuse_no_numbers(boxes, scores, count, self._min_score)
        return found_in(boxes, scores, classes, count, self._min_score, self._offset)

    def _told(self, work: Work, found: list[Found]) -> dict[str, Any]:
        if self._draw:
            array = work.whole
            if array is None:
                array = read_picture(
                    work.path, LARGEST_SIDE**2, room=self._decoding, going=self.going
                ).array
            draw(os.path.join(self._draw, copy_name(work.name)), array, found, self._labels)
        return to_plain(work.width, work.height, found)


def _no_room(budget: int, taken: int) -> Unfit:
    """Refuse the budget itself, and not the pictures: the model leaves no room for any."""
    return Unfit(
        "memory-limit-reached",
        f"The model alone takes {size(taken)}, and the worker's limit is {size(budget)}: nothing is left for a picture. "
        "Give it more memory (--memory, or a larger limit) or use a smaller model (--runtime litert).",
    )


def _part(array: Any, tile: Tile) -> Any:
    return array[tile.top : tile.top + tile.height, tile.left : tile.left + tile.width]


def _detector(model: str, runtime: str, pixels: str, min_score: float) -> Any:
    if runtime == "litert":
        from outlive.detection.models.litert_runtime import LiteRTDetector

        return LiteRTDetector(model, pixels, min_score)
    from outlive.detection.models.tensorflow_runtime import TensorFlowDetector

    return TensorFlowDetector(model, pixels)


def _most_of_huge(height: int, width: int) -> int:
    """Four times what the model uses on each side: what it sees is the same, and it resizes the rest away."""
    return max(LEAST_OF_HUGE, SHARPER**2 * height * width)


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
