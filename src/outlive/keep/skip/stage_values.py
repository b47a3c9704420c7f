"""What a stage of a pipeline says of itself: its kind, its parameters, what its function may do."""

from __future__ import annotations

import os
from typing import Any

from outlive.inside.tfdata.datasets import is_bare, is_eager
from outlive.inside.tfdata.tf_private import (
    class_of,
    constant_value,
    handle_of,
    input_of,
    library,
    mapping_of,
    parameter,
    written_function,
)

#: An element of at most so many values can be kept until it is known whether it came through.
SMALL = 16

#: What a filter may do without ever failing.
NEVER_FAILS = frozenset(
    {"Placeholder", "Const", "Identity", "NoOp", "ReadVariableOp", "Cast", "Shape", "Rank", "Size"}
    | {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}
    | {"LogicalAnd", "LogicalOr", "LogicalNot", "AddV2", "Sub", "Mul", "FloorMod"}
    | {"StaticRegexFullMatch", "StringLength", "StringLower"}
)


#: What the counter of ``enumerate`` is made of.
COUNTING = frozenset({"Const", "RangeDataset", "RewriteDataset", "_Retval"})

#: What a stage says of the order of parallel calls, as the methods take it.
ORDER = {"true": True, "false": False, "default": None}


def constant(value: Any) -> Any:
    """The value of a parameter that TensorFlow keeps as a tensor."""
    known = constant_value(value) if hasattr(value, "dtype") else value
    return known.item() if hasattr(known, "item") else known


def seed_of(stage: Any) -> int | None:
    """The seed that was given; none if none was."""
    first, second = constant(parameter(stage, "seed")), constant(parameter(stage, "seed2"))
    return None if not first and not second else int(second)


def is_small(spec: Any) -> bool:
    """Whether elements are a few numbers and texts."""
    tf = library()

    total = 0
    for part in tf.nest.flatten(spec):
        if not isinstance(part, tf.TensorSpec) or not part.shape.is_fully_defined():
            return False
        total += part.shape.num_elements() or 1
    return total <= SMALL


def is_dense(spec: Any) -> bool:
    """Whether elements are tensors and nothing else, of which it is known how many dimensions they have."""
    tf = library()

    flat = tf.nest.flatten(spec)
    return bool(flat) and all(
        isinstance(one, tf.TensorSpec) and one.shape.rank is not None for one in flat
    )


def is_fixed(spec: Any) -> bool:
    """Whether all elements are of the same shape, so that they can be stacked."""
    tf = library()

    return is_dense(spec) and all(one.shape.is_fully_defined() for one in tf.nest.flatten(spec))


def before_unbatch(stage: Any) -> Any:
    """What an ``unbatch`` takes apart, without the map that TensorFlow puts between to lay out what is not dense."""
    before = input_of(stage)
    if class_of(before) == "RestructuredDataset":
        before = input_of(input_of(before))
    return before


def gives_datasets(stage: Any) -> bool:
    """Whether a map makes datasets of elements: then these are what may fail."""
    tf = library()

    specs = tf.nest.flatten(mapping_of(stage).output_structure)
    return any(isinstance(spec, tf.data.DatasetSpec) for spec in specs)


def makes_a_generator(stage: Any) -> bool:
    """`from_generator` is a flat_map inside; when its generator raises, it is at its end."""
    nodes = mapping_of(stage).function.graph.get_operations()
    return any(node.type == "GeneratorDataset" for node in nodes)


def only_counts(stage: Any) -> bool:
    """Whether a handle without a story is the counter of ``enumerate``: numbers, one after the other, and nothing that could fail."""
    tf = library()

    if not (is_bare(stage) and is_eager(stage)):
        return False
    serialized = tf.raw_ops.DatasetToGraphV2(input_dataset=handle_of(stage))
    graph = tf.compat.v1.GraphDef.FromString(serialized.numpy())
    return {node.op for node in graph.node} <= COUNTING


def never_fails(wrapper: Any) -> bool:
    """Whether a traced function does nothing that can fail."""
    kinds = {node.type for node in wrapper.function.graph.get_operations()}
    return kinds <= NEVER_FAILS


def line_of(stage: Any) -> str:
    """Where the function of a map was written; the name of one that is TensorFlow's own."""
    function = written_function(mapping_of(stage))
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    if code.co_filename.startswith(os.path.dirname(library().__file__) + os.sep):
        return str(getattr(function, "__name__", ""))
    return f"{code.co_filename}:{code.co_firstlineno}"
