"""What was done to an element, as functions of one element: to do it again, by itself, and hear what it says.

The functions that TensorFlow has traced are used as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outlive.inside.tfdata.tf_private import library, nest, structure, takes, zipped_in


def caller_of(wrapper: Any) -> Callable[[Any], Any]:
    """The traced function of a stage, on whole elements."""
    module = structure()

    def call(element: Any) -> Any:
        flat = module.to_tensor_list(takes(wrapper), element)
        given = wrapper.function(*flat)
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        return module.from_compatible_tensor_list(wrapper.output_structure, given)

    return call


def at_position(zipped: Any, position: int, apply: Any) -> Callable[[Any], Any]:
    """A function of one part of a zip as one of the whole."""
    tf = library()
    flatten_up_to, datasets = nest().flatten_up_to, zipped_in(zipped)

    def whole(element: Any) -> Any:
        parts = flatten_up_to(datasets, element)
        parts[position] = apply(parts[position])
        return tf.nest.pack_sequence_as(datasets, parts)

    return whole


def in_turn(functions: Sequence[Callable[[Any], Any]], element: Any) -> Any:
    """One after the other."""
    for function in functions:
        element = function(element)
    return element


def run_again(apply: Callable[[Any], Any], spec: Any, values: Sequence[Any]) -> None:
    """Once more, by itself, to hear what it says."""
    apply(packed(spec, values))


def packed(spec: Any, values: Sequence[Any]) -> Any:
    """An element of its values."""
    tf = library()

    flat = tf.nest.flatten(spec, expand_composites=True)
    tensors = [tf.constant(value, one.dtype) for value, one in zip(values, flat, strict=True)]
    return tf.nest.pack_sequence_as(spec, tensors, expand_composites=True)


def from_the_source(
    recall: Callable[[Any], Any], since: Sequence[Callable[[Any], Any]], origin: Any
) -> None:
    """All that was done to an element, once more."""
    in_turn(since, recall(origin))


def made_of(
    spec: Any, functions: Sequence[Callable[[Any], Any]], _origin: Any, values: Sequence[Any]
) -> Any:
    """What the functions make of an element, given its values."""
    return in_turn(functions, packed(spec, values))


def made_of_origin(
    recall: Callable[[Any], Any],
    since: Sequence[Callable[[Any], Any]],
    origin: Any,
    _values: Sequence[Any],
) -> Any:
    """What was made of an element since its source, given its name."""
    return in_turn(since, recall(origin))
