"""A detector in TensorFlow: a SavedModel, or a Keras model. Loaded in the worker, and nowhere else."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

from outlive.detection.detections import BOXES, CLASSES, COUNT, SCORES
from outlive.detection.images.pixels import aligned, given_as, is_aligned
from outlive.detection.models.signature import Fit, NoDetector, Tensor, fit
from outlive.jobs.plain_exception import Unfit

DEFAULT_SIGNATURE = "serving_default"

#: Operations by which a model makes a picture as large as it wants it; below the least side it is something else.
RESIZING = ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
LEAST_SIDE = 64

#: One picture's raw answer: boxes, scores, classes, count.
Raw = tuple[Any, Any, Any, int | None]


class TensorFlowDetector:
    """Runs pictures of one shape through a model."""

    offset = 0

    def __init__(self, path: str, pixels: str = "0..255") -> None:
        self._pixels = pixels
        self._tf: Any = importlib.import_module("tensorflow")
        self._used: tuple[int, int] | None = None
        self._call, inputs, outputs = self._loaded(path)
        self.fit: Fit = fit(inputs, outputs, used=self._used)
        self._dtype = self._tf.as_dtype(self.fit.input.dtype)

    def _loaded(self, path: str) -> tuple[Any, list[Tensor], list[Tensor]]:
        if os.path.isdir(path):
            return self._saved_model(path)
        return self._keras_model(path)

    def _saved_model(self, path: str) -> tuple[Any, list[Tensor], list[Tensor]]:
        loaded = self._tf.saved_model.load(path)
        signatures = dict(loaded.signatures)
        if not signatures:
            raise NoDetector("it has no signature", [], [])
        name = DEFAULT_SIGNATURE if DEFAULT_SIGNATURE in signatures else sorted(signatures)[0]
        function = signatures[name]
        self._used = resized_to(function.graph.as_graph_def(add_shapes=True))
        self._kept = loaded  # its variables live as long as it does
        _, arguments = function.structured_input_signature
        inputs = [_tensor(name, spec) for name, spec in arguments.items()]
        outputs = [_tensor(name, spec) for name, spec in function.structured_outputs.items()]

        def call(batch: Any) -> Any:
            return function(**{inputs[0].name: batch})

        return call, inputs, outputs

    def _keras_model(self, path: str) -> tuple[Any, list[Tensor], list[Tensor]]:
        model = self._tf.keras.models.load_model(path, compile=False)
        inputs = [Tensor(str(one.name), str(one.dtype), tuple(one.shape)) for one in model.inputs]
        given = model.output if isinstance(model.output, dict) else None
        if given is None:
            names = list(getattr(model, "output_names", ()))
            given = dict(zip(names, model.outputs, strict=False))
        outputs = [
            Tensor(str(name), str(one.dtype), tuple(one.shape)) for name, one in given.items()
        ]
        order = list(given)

        @self._tf.function(reduce_retracing=True)  # type: ignore[untyped-decorator]
        def call(batch: Any) -> Any:
            answer = model(batch, training=False)
            if isinstance(answer, dict):
                return answer
            several = answer if isinstance(answer, (list, tuple)) else [answer]
            return dict(zip(order, several, strict=False))

        return call, inputs, outputs

    def run(self, arrays: Sequence[Any]) -> list[Raw]:
        """One answer for each picture."""
        given = self._filled(arrays)
        stacked = given[0][None] if len(given) == 1 else _stacked(given)
        answer = self._call(self._batch(given_as(stacked, self._dtype.name, self._pixels)))
        names = self.fit.outputs
        boxes, scores, classes = (answer[names[one]].numpy() for one in (BOXES, SCORES, CLASSES))
        counts = answer[names[COUNT]].numpy().reshape(-1) if COUNT in names else None
        if boxes.ndim != 3 or boxes.shape[-1] != 4 or len(boxes) != len(given):
            raise Unfit(
                "shape-mismatch",
                f"The model returned boxes of shape {boxes.shape} for {len(given)} pictures; expected is ({len(given)}, any, 4).",
            )
        return [
            (boxes[at], scores[at], classes[at], None if counts is None else int(counts[at]))
            for at in range(len(arrays))
        ]

    def _filled(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Fill up a batch for a model with a fixed batch size: the last picture is repeated."""
        fixed = self.fit.input.shape[0] if self.fit.input.shape else None
        return [*arrays, *[arrays[-1]] * ((fixed or 0) - len(arrays))]

    def _batch(self, array: Any) -> Any:
        """As a tensor; without a copy where that can be: of 12 megapixels it takes 31 ms."""
        if is_aligned(array):
            return self._tf.experimental.dlpack.from_dlpack(array.__dlpack__())
        return self._tf.constant(array)


def resized_to(graph: Any) -> tuple[int, int] | None:
    """Find the one size to which a model resizes pictures of any size: of three channels, as its own layers are not."""
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    sizes = set()
    for node in nodes:
        if node.op in RESIZING and node.attr["_output_shapes"].list.shape:
            shape = node.attr["_output_shapes"].list.shape[0]
            sides = [dim.size for dim in shape.dim] if not shape.unknown_rank else []
            if len(sides) == 4 and sides[3] == 3 and min(sides[1:3]) >= LEAST_SIDE:
                sizes.add((sides[1], sides[2]))
    return sizes.pop() if len(sizes) == 1 else None


def _stacked(arrays: Sequence[Any]) -> Any:
    numpy: Any = importlib.import_module("numpy")
    found = aligned((len(arrays), *arrays[0].shape), arrays[0].dtype.name)
    return numpy.stack(arrays, out=found)


def _tensor(name: str, spec: Any) -> Tensor:
    shape = None if spec.shape.rank is None else tuple(spec.shape.as_list())
    return Tensor(name, spec.dtype.name, shape)
