"""What the worker does with one picture: read it, fit it to the model, run the model, read its answer."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.detecting.detections import found_in, to_plain
from outlive.detecting.pictures import Picture, read_picture
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
    ) -> None:
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
        self._most_pixels = _most_pixels(self.room_bytes, self._fixed, max_side)
        self.facts: Mapping[str, Any] = {
            "input": str(fit.input),
            "notes": fit.notes,
            "most": fit.most,
            "most_pixels": self._most_pixels,
        }

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Read and decode a picture, and fit it."""
        picture = read_picture(item["path"], self._most_pixels, self._most_bytes)
        if self._fixed and picture.array.shape[:2] != self._fixed[::-1]:
            image: Any = importlib.import_module("PIL.Image")
            resized = image.fromarray(picture.array).resize(self._fixed, image.Resampling.BILINEAR)
            numpy: Any = importlib.import_module("numpy")
            picture = Picture(numpy.asarray(resized), picture.width, picture.height)
        height, width = picture.array.shape[:2]
        held = int(picture.array.nbytes)
        return Ready(picture, (height, width), width * height * BYTES_PER_PIXEL, held)

    def run(self, things: Sequence[Picture]) -> list[dict[str, Any]]:
        """The objects in each."""
        answers = self._detector.run([picture.array for picture in things])
        return [
            to_plain(
                picture.width,
                picture.height,
                found_in(
                    boxes.tolist(),
                    scores.tolist(),
                    classes.tolist(),
                    count,
                    self._min_score,
                    self._offset,
                ),
            )
            for picture, (boxes, scores, classes, count) in zip(things, answers, strict=True)
        ]


def _detector(model: str, runtime: str, pixels: str, min_score: float) -> Any:
    if runtime == "litert":
        from outlive.detecting.litert_runtime import LiteRTDetector

        return LiteRTDetector(model, pixels, min_score)
    from outlive.detecting.tensorflow_runtime import TensorFlowDetector

    return TensorFlowDetector(model, pixels)


def _most_pixels(
    room_bytes: int | None, fixed: tuple[int, int] | None, max_side: int | None
) -> int | None:
    """The largest picture that a run has room for. Where the model wants one size anyway, four times that is enough to shrink from."""
    bounds = []
    if fixed is not None:
        bounds.append(fixed[0] * fixed[1] * 4)
    if max_side is not None:
        bounds.append(max_side * max_side)
    if room_bytes is not None:
        bounds.append(max(LEAST_PIXELS, room_bytes // BYTES_PER_PIXEL))
    return min(bounds, default=None)
