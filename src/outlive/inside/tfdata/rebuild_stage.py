"""Build a stage of a dataset again, on other inputs and with other parameters. The traced functions, the seeds and the captured values are the old ones.

Which operation builds which stage says ``stage_table``. What a version does not have raises ``tf_private.MissingPart``, and those who call
leave the dataset as it was.
"""

from __future__ import annotations

from .datasets import STAND_IN
from .stage_table import known
from .tf_private import (
    MissingPart,
    class_of,
    common_arguments,
    handle_of,
    inputs_of,
    library,
    mapping_of,
    options_written,
    parameter,
    parameter_or,
    predicate_of,
    set_parameters,
    with_handle,
)

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional


class Rebuilt:
    """Parameters of a stage that are to be different."""

    __slots__ = ("calls", "file", "lean", "size")

    def __init__(self) -> None:
        self.size: Optional[int] = None
        self.calls: Optional[int] = None
        self.lean = False
        self.file: Optional[str] = None  #: where a cache goes; empty for memory


def can_rebuild(dataset: Any) -> bool:
    """Tell whether an operation is known that builds such a stage."""
    return known(class_of(dataset)).operation is not None


def rebuild(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    """The same stage again."""
    handles = [handle_of(one) for one in inputs]
    build = SPECIAL.get(known(class_of(dataset)).operation or "", _plain)
    twin = twin_of(dataset, build(dataset, handles, different))
    old = inputs_of(dataset)
    for name, value in list(vars(twin).items()):
        vars(twin)[name] = replaced(value, old, inputs)
    if different.size is not None:
        set_parameters(twin, buffer_size=_int64(different.size))
    if different.calls is not None:
        set_parameters(twin, num_parallel_calls=_int64(different.calls))
    if different.lean:
        set_parameters(twin, buffer_output_elements=_int64(1), prefetch_input_elements=_int64(1))
    if different.file is not None:
        set_parameters(twin, filename=library().constant(different.file))
    return twin


def twin_of(dataset: Any, handle: Any) -> Any:
    """A stage with another handle. From now on it stands in for the old one, in every pipeline that shares it: it is shuffled on, not anew.

    It has the old one's functions, which TensorFlow knows for as long as somebody has them, and nothing else of it: a circle of the two would
    keep what they cache until the next collection.
    """
    twin = with_handle(dataset, handle)
    vars(dataset)[STAND_IN] = twin
    return twin


def replaced(value: Any, old: List[Any], new: List[Any]) -> Any:
    """An attribute with the stages before it exchanged: one, or a (nested) tuple, list or dictionary of them."""
    for before, after in zip(old, new):
        if value is before:
            return after
    if isinstance(value, dict) and type(value) is dict:
        return {key: replaced(one, old, new) for key, one in value.items()}
    if type(value) is tuple:
        return tuple(replaced(one, old, new) for one in value)
    if type(value) is list:
        return [replaced(one, old, new) for one in value]
    return value


def call(name: str, dataset: Any, **arguments: Any) -> Any:
    """One of TensorFlow's raw operations, with what this version of it takes."""
    operation = getattr(library().raw_ops, name)
    known = operation.__signature__.parameters if hasattr(operation, "__signature__") else None
    if known is None:
        import inspect

        known = inspect.signature(operation).parameters
    common = common_arguments(dataset)
    return operation(**{key: one for key, one in {**common, **arguments}.items() if key in known})


def _function(wrapper: Any, key: str = "f") -> Dict[str, Any]:
    function = wrapper.function
    return {"other_arguments": function.captured_inputs, key: function}


def _plain(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    """Build a stage with one input, whose parameters have the names that its operation has for them."""
    row = known(class_of(dataset))
    arguments = {name: parameter(dataset, name) for name in row.parameters}
    return call(row.operation or "", dataset, input_dataset=inputs[0], **arguments)


def _int64(value: int) -> Any:
    return library().constant(value, library().int64)


def _shuffle(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    size = parameter(dataset, "buffer_size") if different.size is None else _int64(different.size)
    return call(
        "ShuffleDatasetV3",
        dataset,
        input_dataset=inputs[0],
        buffer_size=size,
        seed=parameter(dataset, "seed"),
        seed2=parameter(dataset, "seed2"),
        seed_generator=library().raw_ops.DummySeedGenerator(),
        reshuffle_each_iteration=parameter(dataset, "reshuffle_each_iteration"),
    )


def _prefetch(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    size = parameter(dataset, "buffer_size") if different.size is None else _int64(different.size)
    return call(
        "PrefetchDataset",
        dataset,
        input_dataset=inputs[0],
        buffer_size=size,
        slack_period=0,
        legacy_autotune=int(size.numpy()) == -1,
    )


def _cache(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    file = (
        parameter(dataset, "filename")
        if different.file is None
        else library().constant(different.file)
    )
    return call(
        "CacheDatasetV2",
        dataset,
        input_dataset=inputs[0],
        filename=file,
        cache=library().raw_ops.DummyMemoryCache(),
    )


def _map(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call(
        "MapDataset",
        dataset,
        input_dataset=inputs[0],
        use_inter_op_parallelism=parameter(dataset, "use_inter_op_parallelism"),
        preserve_cardinality=parameter(dataset, "preserve_cardinality"),
        force_synchronous=parameter_or(dataset, "force_synchronous", False),
        **_function(mapping_of(dataset)),
    )


def _parallel_map(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    calls = (
        parameter(dataset, "num_parallel_calls")
        if different.calls is None
        else _int64(different.calls)
    )
    return call(
        "ParallelMapDatasetV2",
        dataset,
        input_dataset=inputs[0],
        num_parallel_calls=calls,
        deterministic=parameter(dataset, "deterministic"),
        use_inter_op_parallelism=parameter(dataset, "use_inter_op_parallelism"),
        preserve_cardinality=parameter(dataset, "preserve_cardinality"),
        use_unbounded_threadpool=parameter_or(dataset, "use_unbounded_threadpool", False),
        **_function(mapping_of(dataset)),
    )


def _interleave(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call(
        "InterleaveDataset",
        dataset,
        input_dataset=inputs[0],
        cycle_length=parameter(dataset, "cycle_length"),
        block_length=parameter(dataset, "block_length"),
        **_function(mapping_of(dataset)),
    )


def _parallel_interleave(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    ahead = {
        name: _int64(1) if different.lean else parameter(dataset, name)
        for name in ("buffer_output_elements", "prefetch_input_elements")
    }
    return call(
        "ParallelInterleaveDatasetV4",
        dataset,
        input_dataset=inputs[0],
        cycle_length=parameter(dataset, "cycle_length"),
        block_length=parameter(dataset, "block_length"),
        num_parallel_calls=parameter(dataset, "num_parallel_calls"),
        deterministic=_order(dataset),
        **ahead,
        **_function(mapping_of(dataset)),
    )


def _order(dataset: Any) -> Any:
    """An interleave forgets whether it was told to keep the order; it matters only where the options say not to."""
    told = parameter_or(dataset, "deterministic")
    if told is None and dataset.options().deterministic is False:
        raise MissingPart("the stage does not keep whether it keeps the order")
    return told or "default"


def _flat_map(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call(
        "FlatMapDataset", dataset, input_dataset=inputs[0], **_function(mapping_of(dataset))
    )


def _filter(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    function = _function(predicate_of(dataset), "predicate")
    return call("FilterDataset", dataset, input_dataset=inputs[0], **function)


def _padded_batch(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    flat = library().nest.flatten
    return call(
        "PaddedBatchDatasetV2",
        dataset,
        input_dataset=inputs[0],
        batch_size=parameter(dataset, "batch_size"),
        padded_shapes=[
            library().cast(shape, library().int64)
            for shape in flat(parameter(dataset, "padded_shapes"))
        ],
        padding_values=flat(parameter(dataset, "padding_values")),
        drop_remainder=parameter(dataset, "drop_remainder"),
    )


def _options(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    written = options_written(dataset)
    return call("OptionsDataset", dataset, input_dataset=inputs[0], serialized_options=written)


def _zip(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call("ZipDataset", dataset, input_datasets=inputs)


def _concatenate(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call("ConcatenateDataset", dataset, input_dataset=inputs[0], another_dataset=inputs[1])


#: Operations whose parameters are more than copies of the stage's own.
SPECIAL: Dict[str, Callable[[Any, List[Any], Rebuilt], Any]] = {
    "ShuffleDatasetV3": _shuffle,
    "PrefetchDataset": _prefetch,
    "CacheDatasetV2": _cache,
    "MapDataset": _map,
    "ParallelMapDatasetV2": _parallel_map,
    "InterleaveDataset": _interleave,
    "ParallelInterleaveDatasetV4": _parallel_interleave,
    "FlatMapDataset": _flat_map,
    "FilterDataset": _filter,
    "PaddedBatchDatasetV2": _padded_batch,
    "OptionsDataset": _options,
    "ZipDataset": _zip,
    "ConcatenateDataset": _concatenate,
}
