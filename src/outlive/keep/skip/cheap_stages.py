"""Stages with small functions of ours, which cost an epoch as little as can be.

TensorFlow optimises the function of a stage anew for each iterator: 4 to 12 ms of processor time for a few operations (2.21, measured), which is
what eight pictures cost to decode. It leaves that out for a function that runs on one device only, which ours do, and which this attribute
says (its name comes from its first use): 0.5 to 2 ms then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from outlive.inside.tfdata.tf_private import from_handle, handle_of, library, structure

ON_ONE_DEVICE = {"experimental_ints_on_device": True}


def scan(dataset: Any, start: Any, function: Callable[[Any, Any], Any], spec: Any) -> Any:
    """As ``Dataset.scan``: the function makes ``(state, element)`` of a state and an element; ``spec`` is that of its elements."""
    tf = library()

    def flat(state: Any, *parts: Any) -> list[Any]:
        following, made = function(state, tf.nest.pack_sequence_as(dataset.element_spec, parts))
        return [following, *tf.nest.flatten(made)]

    made = tf.raw_ops.ScanDataset(
        initial_state=[start],
        preserve_cardinality=True,
        use_default_device=True,
        **_built(dataset, "f", flat, spec, [tf.TensorSpec(start.shape, start.dtype)]),
    )
    return from_handle(made, spec)


def mapped(dataset: Any, function: Callable[[Any], Any], spec: Any) -> Any:
    """As ``Dataset.map``, one after the other; ``spec`` is that of what the function makes."""
    tf = library()

    def flat(*parts: Any) -> list[Any]:
        made = function(tf.nest.pack_sequence_as(dataset.element_spec, parts))
        return list(tf.nest.flatten(made))

    given = _built(dataset, "f", flat, spec, [])
    # Without it TensorFlow hands each element to another thread and back, for 40 to 70 µs (measured), since it takes no map for too small.
    if "force_synchronous" in inspect.signature(tf.raw_ops.MapDataset).parameters:  # from 2.15 on
        given["force_synchronous"] = True
    return from_handle(tf.raw_ops.MapDataset(**given), spec)


def second(dataset: Any) -> Any:
    """The second part of each element, which is a pair."""
    return mapped(dataset, lambda pair: pair[1], dataset.element_spec[1])


def flat_mapped(dataset: Any, function: Callable[[Any], Any]) -> Any:
    """Build what ``Dataset.flat_map`` builds, at the low cost that the module speaks of."""
    tf = library()
    made: list[Any] = []

    def flat(*parts: Any) -> Any:
        made.append(function(tf.nest.pack_sequence_as(dataset.element_spec, parts)))
        return handle_of(made[-1])

    traced = _traced(dataset, flat, [])
    spec = made[-1].element_spec
    return from_handle(tf.raw_ops.FlatMapDataset(f=traced, **_given(dataset, traced, spec)), spec)


def filtered(dataset: Any, function: Callable[[Any], Any]) -> Any:
    """Build what ``Dataset.filter`` builds, at the low cost that the module speaks of."""
    return _asked(library().raw_ops.FilterDataset, dataset, function)


def taken_while(dataset: Any, function: Callable[[Any], Any]) -> Any:
    """Build what ``Dataset.take_while`` builds, at the low cost that the module speaks of."""
    return _asked(library().raw_ops.TakeWhileDataset, dataset, function)


def _asked(stage: Any, dataset: Any, function: Callable[[Any], Any]) -> Any:
    tf = library()
    spec = dataset.element_spec

    def flat(*parts: Any) -> Any:
        return function(tf.nest.pack_sequence_as(spec, parts))

    return from_handle(stage(**_built(dataset, "predicate", flat, spec, [])), spec)


def _built(dataset: Any, name: str, flat: Any, spec: Any, states: list[Any]) -> dict[str, Any]:
    traced = _traced(dataset, flat, states)
    return {name: traced, **_given(dataset, traced, spec)}


def _traced(dataset: Any, flat: Any, states: list[Any]) -> Any:
    tf = library()

    return tf.function(
        flat,
        input_signature=[*states, *tf.nest.flatten(dataset.element_spec)],
        autograph=False,
        experimental_attributes=ON_ONE_DEVICE,
    ).get_concrete_function()


def _given(dataset: Any, traced: Any, spec: Any) -> dict[str, Any]:
    return {
        "input_dataset": handle_of(dataset),
        "other_arguments": traced.captured_inputs,
        "output_types": structure().get_flat_tensor_types(spec),
        "output_shapes": structure().get_flat_tensor_shapes(spec),
    }
