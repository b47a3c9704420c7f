"""A detector made a LiteRT file. In a worker of its own: the converter takes gigabytes, and sometimes dies.

What LiteRT has no operation for, the suppression at the end, is left out and described, so that it can be done outside.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.detection.images.pictures import read_picture
from outlive.detection.images.pixels import given_as
from outlive.detection.models.suppression import Suppression
from outlive.inside.tfdata.tf_private import (
    calibrate_only,
    function_of_graph,
    lite_operations,
    quantised,
    with_constants,
)
from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready

KINDS = ("float32", "float16", "int8", "pruned")

COMBINED = "CombinedNonMaxSuppression"

#: Operations whose larger argument is a weight, its last side the outputs. Not those of single channels: they have few weights, and all of them matter.
WEIGHTED = ("Conv2D", "MatMul", "BatchMatMulV2")
SMALLEST_WEIGHT = 1024

#: Of the convolutions, from the picture on, the share that stays float; and whether those of single channels do. A network's first layers and its
#: depthwise ones suffer most from eight bits: SSDLite-MobileNetV2 differed by 0.28 in a score with all of it in int8, by 0.16 with the first quarter float, by
#: 0.14 with the first half and all depthwise ones float (24 photos). What is neither convolution nor sum stays float from the second step on: boxes and scores
#: are worked out there.
STEPS = ((0.0, False), (0.25, False), (0.5, True), (0.75, True))
CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED")
DEPTHWISE = "DEPTHWISE_CONV_2D"

#: Calibration needs to see typical pictures, not all.
MOST_CALIBRATION = 100
CALIBRATION_PIXELS = 1_000_000


def make(**arguments: Any) -> ConvertTask:
    """The worker's task; named by the parent."""
    return ConvertTask()


class ConvertTask:
    """Each input is one conversion."""

    most = 1
    room_bytes = None
    facts: Mapping[str, Any] = {}

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Hand the order on as it is; there is nothing to prepare."""
        return Ready(item)

    def run(self, things: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Convert; what was made, and what was left out."""
        return [convert(**thing) for thing in things]


def convert(
    model: str,
    target: str,
    kind: str,
    calibration: Sequence[str] = (),
    sparsity: float = 0.5,
    pixels: str = "0..255",
) -> dict[str, Any]:
    """Write ``target``; of int8 several, ``target.0`` and so on, the smallest first: the first of them that answers as the original does is the one."""
    tf: Any = importlib.import_module("tensorflow")
    saved = model
    if not os.path.isdir(model):
        saved = f"{target}.saved_model"
        tf.keras.models.load_model(model, compile=False).export(saved)
    loaded = tf.saved_model.load(saved)
    name = (
        "serving_default"
        if "serving_default" in loaded.signatures
        else next(iter(loaded.signatures))
    )
    function = loaded.signatures[name]
    frozen = with_constants(function)
    if kind == "pruned":
        frozen = _pruned(tf, frozen, sparsity)
    cut = [one for one in frozen.graph.get_operations() if one.type == COMBINED]
    suppression = None
    if len(cut) == 1:
        suppression = _described(tf, cut[0], function, frozen)
        frozen = frozen.prune(frozen.inputs, [cut[0].inputs[0], cut[0].inputs[1]])
        converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen], loaded)
    elif kind == "pruned":
        converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen], loaded)
    else:
        converter = tf.lite.TFLiteConverter.from_saved_model(saved, signature_keys=[name])
    _set(tf, converter, kind, list(_examples(frozen, calibration, pixels)))
    data = converter.convert()
    files = list(_quantised(tf, data)) if kind == "int8" else [data]
    paths = [f"{target}.{number}" for number in range(len(files))] if len(files) > 1 else [target]
    for path, content in zip(paths, files, strict=True):
        with open(path, "wb") as file:
            file.write(content)
    return {"paths": paths, "suppression": suppression.to_plain() if suppression else None}


def _quantised(tf: Any, calibrated: bytes) -> Iterator[bytes]:
    """The model in int8, step by step with more of it left as it is."""
    kinds, convolutions = _operations(tf, calibrated)
    for share, depthwise_too in STEPS:
        left = [name for name in sorted(kinds) if name not in CONVOLUTIONS] if share else []
        if depthwise_too and DEPTHWISE in kinds:
            left.append(DEPTHWISE)
        first = convolutions[: int(len(convolutions) * share)]
        yield quantised(
            calibrated, fully_quantize=False, denylisted_ops=left, denylisted_nodes=first
        )


def _operations(tf: Any, content: bytes) -> tuple[set[str], list[str]]:
    """The kinds of operations that a model has, and the names of its convolutions in their order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this interpreter will once be another
        without = tf.lite.experimental.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        interpreter = tf.lite.Interpreter(
            model_content=content, experimental_op_resolver_type=without
        )
    names = {one["index"]: str(one["name"]) for one in interpreter.get_tensor_details()}
    operations = lite_operations(interpreter)
    found = [names[int(one["outputs"][0])] for one in operations if one["op_name"] in CONVOLUTIONS]
    return {str(one["op_name"]) for one in operations}, found


def _described(tf: Any, operation: Any, function: Any, frozen: Any) -> Suppression:
    """The settings of the suppression, which must be constants, and what is done to the classes behind it."""
    numbers = [tf.get_static_value(one) for one in list(operation.inputs)[2:6]]
    if any(number is None for number in numbers):
        raise Unfit(
            "shape-mismatch", "The model computes its non-maximum-suppression settings at run time."
        )
    per_class, in_all, overlap, least = (float(number) for number in numbers)
    names = sorted(function.structured_outputs)  # as TensorFlow flattens a dictionary
    classes = frozen.outputs[names.index("detection_classes")]
    return Suppression(
        int(per_class),
        int(in_all),
        overlap,
        least,
        bool(operation.get_attr("clip_boxes")),
        _added(tf, classes.op, operation),
    )


def _added(tf: Any, last: Any, operation: Any) -> int:
    """Find the number that is added to the classes between the suppression and the output."""
    total = 0.0
    step = last
    while step is not operation and step.inputs:
        constants = [tf.get_static_value(one) for one in step.inputs]
        if step.type in ("Add", "AddV2"):
            total += sum(float(one) for one in constants if one is not None and one.size == 1)
        following = [
            one.op for one, constant in zip(step.inputs, constants, strict=True) if constant is None
        ]
        if not following:
            break
        step = following[0]
    return int(total)


def _pruned(tf: Any, frozen: Any, sparsity: float) -> Any:
    """The same function with the smallest of its weights zero: this share of those that make one output, since what follows may scale each by itself."""
    numpy: Any = importlib.import_module("numpy")
    definition = frozen.graph.as_graph_def()
    weights = {
        one.split(":")[0]
        for operation in frozen.graph.get_operations()
        if operation.type in WEIGHTED
        for one in _constants_of(operation)
    }
    for node in definition.node:
        if node.name not in weights or node.op != "Const":
            continue
        values = tf.make_ndarray(node.attr["value"].tensor).copy()
        if values.dtype.kind != "f" or values.size < SMALLEST_WEIGHT:
            continue
        beside = tuple(range(values.ndim - 1))
        edges = numpy.quantile(numpy.abs(values), sparsity, axis=beside, keepdims=True)
        values[numpy.abs(values) <= edges] = 0
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(values))
    return function_of_graph(
        definition,
        [one.name for one in frozen.inputs],
        [one.name for one in frozen.outputs],
    )


def _constants_of(operation: Any) -> Iterator[str]:
    for one in operation.inputs:
        source = one.op
        while source.type in ("Identity", "ReadVariableOp") and source.inputs:
            source = source.inputs[0].op
        if source.type == "Const":
            yield source.name


def _set(tf: Any, converter: Any, kind: str, examples: list[Any]) -> None:
    if kind == "float16":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]
    elif kind == "pruned":
        converter.optimizations = [tf.lite.Optimize.EXPERIMENTAL_SPARSITY]
    elif kind == "int8":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([one] for one in examples)
        calibrate_only(converter)  # what is quantised is chosen afterwards


def _examples(frozen: Any, calibration: Sequence[str], pixels: str) -> Iterator[Any]:
    """Pictures as the model takes them."""
    image: Any = importlib.import_module("PIL.Image")
    numpy: Any = importlib.import_module("numpy")
    if not calibration:
        return
    given = frozen.inputs[0]
    _, height, width, _ = given.shape.as_list()
    step = max(1, len(calibration) // MOST_CALIBRATION)
    for path in list(calibration)[::step]:
        try:
            array = read_picture(path, CALIBRATION_PIXELS).array
        except Exception:
            continue  # a bad one teaches nothing, and there are others
        if height and width:
            array = numpy.asarray(image.fromarray(array).resize((width, height)))
        yield given_as(array[None], given.dtype.name, pixels)
