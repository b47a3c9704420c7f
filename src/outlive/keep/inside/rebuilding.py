"""Build a stage of a dataset again, on other inputs and with other parameters. The traced functions, the seeds and the captured values are the old ones.

With ``tfdata`` the only module that knows TensorFlow's private parts: what a version does not have raises ``AttributeError`` here, and
those who call leave the dataset as it was.
"""

from __future__ import annotations

from .tfdata import STAND_IN, class_of, library

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
    """Whether there is a way below."""
    return class_of(dataset) in REBUILD


def rebuild(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    """The same stage again."""
    handles = [one._variant_tensor for one in inputs]
    twin = twin_of(dataset, REBUILD[class_of(dataset)](dataset, handles, different))
    old = list(dataset._inputs())
    for name, value in list(vars(twin).items()):
        vars(twin)[name] = replaced(value, old, inputs)
    if different.size is not None:
        vars(twin)["_buffer_size"] = _int64(different.size)
    if different.calls is not None:
        vars(twin)["_num_parallel_calls"] = _int64(different.calls)
    if different.lean:
        vars(twin)["_buffer_output_elements"] = vars(twin)["_prefetch_input_elements"] = _int64(1)
    if different.file is not None:
        vars(twin)["_filename"] = library().constant(different.file)
    return twin


def twin_of(dataset: Any, handle: Any) -> Any:
    """A stage with another handle. From now on it stands in for the old one, in every pipeline that shares it: it is shuffled on, not anew.

    It has the old one's functions, which TensorFlow knows for as long as somebody has them, and nothing else of it: a circle of the two would
    keep what they cache until the next collection.
    """
    twin = object.__new__(type(dataset))
    vars(twin).update(vars(dataset))
    vars(twin)["_variant_tensor_attr"] = handle
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
    common = dict(dataset._common_args)
    return operation(**{key: one for key, one in {**common, **arguments}.items() if key in known})


def _function(dataset: Any, name: str = "_map_func") -> Dict[str, Any]:
    function = getattr(dataset, name).function
    key = "f" if name == "_map_func" else name[1:]
    return {"other_arguments": function.captured_inputs, key: function}


def _same(operation: str, *names: str) -> Callable[[Any, List[Any], Rebuilt], Any]:
    """A stage with one input whose parameters are attributes of the same names."""

    def build(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
        arguments = {name: getattr(dataset, f"_{name}") for name in names}
        return call(operation, dataset, input_dataset=inputs[0], **arguments)

    return build


def _int64(value: int) -> Any:
    return library().constant(value, library().int64)


def _shuffle(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    size = dataset._buffer_size if different.size is None else _int64(different.size)
    return call(
        "ShuffleDatasetV3",
        dataset,
        input_dataset=inputs[0],
        buffer_size=size,
        seed=dataset._seed,
        seed2=dataset._seed2,
        seed_generator=library().raw_ops.DummySeedGenerator(),
        reshuffle_each_iteration=dataset._reshuffle_each_iteration,
    )


def _prefetch(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    size = dataset._buffer_size if different.size is None else _int64(different.size)
    return call(
        "PrefetchDataset",
        dataset,
        input_dataset=inputs[0],
        buffer_size=size,
        slack_period=0,
        legacy_autotune=int(size.numpy()) == -1,
    )


def _cache(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    file = dataset._filename if different.file is None else library().constant(different.file)
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
        use_inter_op_parallelism=dataset._use_inter_op_parallelism,
        preserve_cardinality=dataset._preserve_cardinality,
        force_synchronous=getattr(dataset, "_force_synchronous", False),
        **_function(dataset),
    )


def _parallel_map(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    calls = dataset._num_parallel_calls if different.calls is None else _int64(different.calls)
    return call(
        "ParallelMapDatasetV2",
        dataset,
        input_dataset=inputs[0],
        num_parallel_calls=calls,
        deterministic=dataset._deterministic,
        use_inter_op_parallelism=dataset._use_inter_op_parallelism,
        preserve_cardinality=dataset._preserve_cardinality,
        use_unbounded_threadpool=getattr(dataset, "_use_unbounded_threadpool", False),
        **_function(dataset),
    )


def _interleave(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call(
        "InterleaveDataset",
        dataset,
        input_dataset=inputs[0],
        cycle_length=dataset._cycle_length,
        block_length=dataset._block_length,
        **_function(dataset),
    )


def _parallel_interleave(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    ahead = {
        name: _int64(1) if different.lean else getattr(dataset, f"_{name}")
        for name in ("buffer_output_elements", "prefetch_input_elements")
    }
    return call(
        "ParallelInterleaveDatasetV4",
        dataset,
        input_dataset=inputs[0],
        cycle_length=dataset._cycle_length,
        block_length=dataset._block_length,
        num_parallel_calls=dataset._num_parallel_calls,
        deterministic=_order(dataset),
        **ahead,
        **_function(dataset),
    )


def _order(dataset: Any) -> Any:
    """An interleave forgets whether it was told to keep the order; it matters only where the options say not to."""
    told = getattr(dataset, "_deterministic", None)
    if told is None and dataset.options().deterministic is False:
        raise AttributeError("_deterministic")
    return told or "default"


def _flat_map(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call("FlatMapDataset", dataset, input_dataset=inputs[0], **_function(dataset))


def _filter(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    function = _function(dataset, "_predicate")
    return call("FilterDataset", dataset, input_dataset=inputs[0], **function)


def _padded_batch(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    flat = library().nest.flatten
    return call(
        "PaddedBatchDatasetV2",
        dataset,
        input_dataset=inputs[0],
        batch_size=dataset._batch_size,
        padded_shapes=[
            library().cast(shape, library().int64) for shape in flat(dataset._padded_shapes)
        ],
        padding_values=flat(dataset._padding_values),
        drop_remainder=dataset._drop_remainder,
    )


def _options(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    written = dataset.options()._to_proto().SerializeToString()
    return call("OptionsDataset", dataset, input_dataset=inputs[0], serialized_options=written)


def _zip(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call("ZipDataset", dataset, input_datasets=inputs)


def _concatenate(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    return call("ConcatenateDataset", dataset, input_dataset=inputs[0], another_dataset=inputs[1])


REBUILD: Dict[str, Callable[[Any, List[Any], Rebuilt], Any]] = {
    "ShuffleDataset": _shuffle,
    "PrefetchDataset": _prefetch,
    "CacheDataset": _cache,
    "MapDataset": _map,
    "ParallelMapDataset": _parallel_map,
    "InterleaveDataset": _interleave,
    "ParallelInterleaveDataset": _parallel_interleave,
    "FlatMapDataset": _flat_map,
    "FilterDataset": _filter,
    "BatchDataset": _same("BatchDatasetV2", "batch_size", "drop_remainder"),
    "ParallelBatchDataset": _same(
        "ParallelBatchDataset",
        "batch_size",
        "num_parallel_calls",
        "drop_remainder",
        "deterministic",
    ),
    "PaddedBatchDataset": _padded_batch,
    "RepeatDataset": _same("RepeatDataset", "count"),
    "TakeDataset": _same("TakeDataset", "count"),
    "SkipDataset": _same("SkipDataset", "count"),
    "ShardDataset": _same("ShardDataset", "num_shards", "index"),
    "UnbatchDataset": _same("UnbatchDataset"),
    "WindowDataset": _same("WindowDataset", "size", "shift", "stride", "drop_remainder"),
    "OptionsDataset": _options,
    "ZipDataset": _zip,
    "ConcatenateDataset": _concatenate,
}
