"""A detector in LiteRT: a ``.tflite`` file, and beside it what `outlive shrink` had to leave out of it.

LiteRT has no CombinedNonMaxSuppression; a model that ends with it is converted up to there, and the rest is done here. A file of somebody else's
needs nothing beside it, if its outputs are named as a detector's or come from TFLite_Detection_PostProcess.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.detection.detections import BOXES, CLASSES, COUNT, SCORES
from outlive.detection.images.pixels import given_as
from outlive.detection.models.signature import Fit, NoDetector, Tensor, fit
from outlive.detection.models.suppression import Suppression, suppressed

BESIDE = ".outlive.json"
POST_PROCESS = "TFLite_Detection_PostProcess"

Raw = tuple[Any, Any, Any, int | None]


class LiteRTDetector:
    """Runs one picture after the other."""

    def __init__(self, path: str, pixels: str, min_score: float) -> None:
        module: Any = importlib.import_module("ai_edge_litert.interpreter")
        threads = len(os.sched_getaffinity(0))
        self._interpreter = module.Interpreter(model_path=path, num_threads=threads)
        self._pixels = pixels
        self._min_score = min_score
        self._input = self._interpreter.get_input_details()[0]
        self._shape: tuple[int, ...] = ()
        outputs = self._interpreter.get_output_details()
        self._indices = {one["name"]: one["index"] for one in outputs}
        self._suppression = suppression_beside(path)
        self.offset = 0
        inputs = [_tensor(one) for one in self._interpreter.get_input_details()]
        if self._suppression is not None:
            self._raw = _by_rank(outputs)
            self.fit = fit(
                inputs, [Tensor(name, "float32", None) for name in (BOXES, SCORES, CLASSES)]
            )
        else:
            self._raw = {}
            self.fit = self._fitted(inputs, outputs)
        if self.fit.most != 1 and inputs[0].shape and inputs[0].shape[0] is None:
            self.fit = Fit(self.fit.input, self.fit.outputs, 1, self.fit.height, self.fit.width)

    def _fitted(self, inputs: list[Tensor], outputs: Sequence[Mapping[str, Any]]) -> Fit:
        signatures = self._interpreter.get_signature_list()
        if signatures:
            key = next(iter(signatures))
            runner = self._interpreter.get_signature_runner(key)
            details = runner.get_output_details()
            named = [Tensor(name, "float32", None) for name in details]
            self._indices = {name: detail["index"] for name, detail in details.items()}
            try:
                return fit(inputs, named)
            except NoDetector:
                pass  # its outputs have no telling names: look at what they are
        chosen = _by_shape(outputs)
        if chosen is None:
            raise NoDetector(
                "its outputs are not a detector's", inputs, [_tensor(one) for one in outputs]
            )
        self._indices = {ours: one["index"] for ours, one in chosen.items()}
        # This operation counts classes from 0, the label maps of the models that end with it from 1.
        self.offset = 1 if any(POST_PROCESS in str(one["name"]) for one in outputs) else 0
        return fit(inputs, [Tensor(ours, "float32", None) for ours in chosen])

    def run(self, arrays: Sequence[Any]) -> list[Raw]:
        """One answer for each picture."""
        return [self._one(array) for array in arrays]

    def _one(self, array: Any) -> Raw:
        batch = given_as(
            array[None], self.fit.input.dtype, self._pixels, self._input["quantization"]
        )
        if batch.shape != self._shape:
            self._interpreter.resize_tensor_input(self._input["index"], batch.shape)
            self._interpreter.allocate_tensors()
            self._shape = batch.shape
        self._interpreter.set_tensor(self._input["index"], batch)
        self._interpreter.invoke()
        if self._suppression is not None:
            boxes = self._output(self._raw[BOXES])[0]
            scores = self._output(self._raw[SCORES])[0]
            return (*suppressed(boxes, scores, self._suppression, self._min_score), None)
        answers = {
            ours: self._output(self._indices[name]) for ours, name in self.fit.outputs.items()
        }
        count = int(answers[COUNT].reshape(-1)[0]) if COUNT in answers else None
        return answers[BOXES][0], answers[SCORES][0], answers[CLASSES][0], count

    def _output(self, index: int) -> Any:
        """A result; of a quantised one the numbers that it stands for."""
        value = self._interpreter.get_tensor(index)
        if value.dtype.kind == "f":
            return value
        details = self._interpreter.get_output_details()
        scale, zero = next(one["quantization"] for one in details if one["index"] == index)
        return (value.astype("float32") - zero) * scale if scale else value


def suppression_beside(path: str) -> Suppression | None:
    """Read which suppression was left out of a converted model."""
    try:
        with open(path + BESIDE, encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError):
        return None
    return Suppression(**told["suppression"]) if told.get("suppression") else None


def _by_rank(outputs: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Boxes have four dimensions there, scores three."""
    return {(BOXES if len(one["shape"]) == 4 else SCORES): one["index"] for one in outputs}


def _by_shape(outputs: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]] | None:
    """The four outputs of TFLite_Detection_PostProcess: boxes, classes, scores, count, in this order; or another, if names say so."""
    boxes = [one for one in outputs if len(one["shape"]) == 3 and one["shape"][-1] == 4]
    flat = [one for one in outputs if len(one["shape"]) == 2]
    count = [one for one in outputs if len(one["shape"]) <= 1]
    if len(boxes) != 1 or len(flat) != 2:
        return None
    first, second = flat
    if "score" in str(first["name"]).lower():
        first, second = second, first
    found = {BOXES: boxes[0], CLASSES: first, SCORES: second}
    return {**found, COUNT: count[0]} if count else found


def _tensor(detail: Mapping[str, Any]) -> Tensor:
    shape = tuple(None if side < 0 else int(side) for side in detail["shape_signature"])
    return Tensor(str(detail["name"]), detail["dtype"].__name__, shape)
