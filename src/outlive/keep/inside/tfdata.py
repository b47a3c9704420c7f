"""TensorFlow's own objects: the stages of a dataset, their parameters, and how to build one again. The only module that knows them.

All of it rests on private attributes. What a TensorFlow does not have raises ``AttributeError`` here, and those who call leave the
dataset as it was.
"""

from __future__ import annotations

import sys

from .stage import UNKNOWN, Stage

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

#: Class names across TensorFlow's versions (without a leading underscore): kind, and the name of the method that makes one.
KINDS = {
    "ShuffleDataset": ("shuffle", "shuffle"),
    "PrefetchDataset": ("prefetch", "prefetch"),
    "CacheDataset": ("cache", "cache"),
    "MapDataset": ("map", "map"),
    "ParallelMapDataset": ("map", "map"),
    "InterleaveDataset": ("interleave", "interleave"),
    "ParallelInterleaveDataset": ("interleave", "interleave"),
    "FlatMapDataset": ("flat_map", "flat_map"),
    "BatchDataset": ("batch", "batch"),
    "ParallelBatchDataset": ("batch", "batch"),
    "PaddedBatchDataset": ("batch", "padded_batch"),
    "FilterDataset": ("pass", "filter"),
    "RepeatDataset": ("pass", "repeat"),
    "TakeDataset": ("pass", "take"),
    "SkipDataset": ("pass", "skip"),
    "ShardDataset": ("pass", "shard"),
    "OptionsDataset": ("pass", "with_options"),
    "IgnoreErrorsDataset": ("pass", "ignore_errors"),
    "ZipDataset": ("zip", "zip"),
    "ConcatenateDataset": ("concatenate", "concatenate"),
    "UnbatchDataset": ("unbatch", "unbatch"),
    "TensorSliceDataset": ("slices", "from_tensor_slices"),
    "TensorDataset": ("source", "from_tensors"),
    "RangeDataset": ("source", "range"),
    "TFRecordDatasetV2": ("source", "TFRecordDataset"),
    "TextLineDatasetV2": ("source", "TextLineDataset"),
    "FixedLengthRecordDatasetV2": ("source", "FixedLengthRecordDataset"),
}


def library(name: str = "") -> Any:
    """TensorFlow, or a module of it: imported by whoever has a dataset, and never by us."""
    return sys.modules[f"tensorflow.{name}" if name else "tensorflow"]


def class_of(dataset: Any) -> str:
    """The name by which a stage's class is known here."""
    return type(dataset).__name__.lstrip("_")


def is_eager(dataset: Any) -> bool:
    """Whether a dataset was built outside of every ``tf.function``: only those can be looked at and built again."""
    return type(dataset._variant_tensor).__name__ == "EagerTensor"


def all_eager(dataset: Any) -> bool:
    """The same of every stage before it."""
    return is_eager(dataset) and all(all_eager(one) for one in dataset._inputs())


def is_bare(dataset: Any) -> bool:
    """A handle without a story: an element of another dataset, or what a ``tf.function`` was given."""
    return class_of(dataset) == "VariantDataset"


def handed_in(dataset: Any) -> bool:
    """Whether a dataset inside a ``tf.function`` rests on one that came from outside."""
    return is_bare(dataset) or any(handed_in(one) for one in dataset._inputs())


def inputs_of(dataset: Any) -> List[Any]:
    """The stages before a stage. Readers of files are made of a hidden pipeline of file names; it is left to them."""
    if WHOLE in vars(dataset) or KINDS.get(class_of(dataset), ("",))[0] == "source":
        return []
    return list(dataset._inputs())


def rests_on(dataset: Any, attribute: str) -> bool:
    """Whether a dataset, or one before it, has an attribute of ours."""
    waiting = [dataset]
    while waiting:
        one = waiting.pop()
        if attribute in vars(one):
            return True
        waiting.extend(one._inputs())
    return False


#: The attribute of a stage that leads to the one that stands in for it.
STAND_IN = "_outlive_bounded"


#: The attribute of a stage that was built again with everything before it: the stages that it shows are not those that it has.
WHOLE = "_outlive_whole"

#: The attribute of a stage for which everything has been decided: what its elements weigh.
SETTLED = "_outlive_settled"


def stand_in(dataset: Any) -> Any:
    """The stage that was built in this one's place, or itself."""
    dataset = unwrapped(dataset)
    held = vars(dataset).get(STAND_IN)
    return dataset if held is None else held[0]


def unwrapped(dataset: Any) -> Any:
    """The stage within what TF1's names put around it."""
    while class_of(dataset) == "DatasetV1Adapter":
        dataset = dataset._dataset
    return dataset


def rests_on_replaced(dataset: Any) -> bool:
    """Whether a stage was built on one that another stands in for by now: it must not be read as it is."""
    return any(stand_in(one) is not unwrapped(one) for one in inputs_of(dataset))


def walk(dataset: Any) -> Tuple[List[Any], List[Stage]]:
    """Every stage once, the sources first: TensorFlow's object, and what is known of it without running anything."""
    objects: List[Any] = []
    stages: List[Stage] = []
    positions: Dict[int, int] = {}

    def visit(one: Any) -> int:
        one = stand_in(one)
        if id(one) not in positions:
            sources = tuple(visit(source) for source in inputs_of(one))
            objects.append(one)
            stages.append(describe(one, sources, [objects[position] for position in sources]))
            positions[id(one)] = len(objects) - 1
        return positions[id(one)]

    visit(dataset)
    return objects, stages


def describe(dataset: Any, positions: Tuple[int, ...], sources: List[Any]) -> Stage:
    """The parameters of one stage."""
    kind, title = KINDS.get(class_of(dataset), ("other", class_of(dataset)))
    if kind == "source" and not sources:
        positions = ()
    stage = Stage(kind, title, positions)
    stage.size = whole(dataset, "_buffer_size") if kind in ("shuffle", "prefetch") else None
    stage.calls = whole(dataset, "_num_parallel_calls")
    stage.batch = whole(dataset, "_batch_size")
    stage.padded = title == "padded_batch"
    stage.cycle = whole(dataset, "_cycle_length") or 1
    stage.block = whole(dataset, "_block_length") or 1
    if kind == "interleave":
        stage.lean = whole(dataset, "_buffer_output_elements") not in (None, -1)
    if kind == "cache" and dataset._filename.numpy():
        stage.kind = "pass"  # on disk
    stage.count = cardinality(sources[0]) if sources else UNKNOWN
    stage.element_bytes = spec_bytes(dataset.element_spec)
    weighed = vars(dataset).get(SETTLED)
    if weighed is not None:
        stage.settled = True
        stage.element_bytes, stage.call_bytes = weighed
    return stage


def settle(dataset: Any, stage: Stage) -> None:
    """What was decided for a stage stays: a pipeline is read again and again, and must not be built anew each time."""
    vars(dataset)[SETTLED] = (stage.element_bytes, stage.call_bytes)


def whole(dataset: Any, name: str) -> Optional[int]:
    """A parameter, which TensorFlow keeps as a tensor."""
    value = getattr(dataset, name, None)
    return None if value is None else int(value.numpy() if hasattr(value, "numpy") else value)


def cardinality(dataset: Any) -> int:
    """How many elements a dataset has, or TensorFlow's marks for infinite and unknown. Runs nothing of the program's."""
    return int(dataset.cardinality().numpy())


def spec_bytes(spec: Any) -> Optional[int]:
    """Bytes of an element by its specification; ``None`` when a dimension is open or it holds texts."""
    if isinstance(spec, dict):
        spec = tuple(spec.values())
    if isinstance(spec, (tuple, list)):
        parts = [spec_bytes(part) for part in spec]
        return None if any(part is None for part in parts) else sum(part or 0 for part in parts)
    if type(spec).__name__ != "TensorSpec" or spec.shape.rank is None or not spec.dtype.size:
        return None
    if spec.dtype.name in ("string", "variant", "resource"):
        return None
    total = int(spec.dtype.size)
    for side in spec.shape.as_list():
        if side is None:
            return None
        total *= side
    return total


def function_of(dataset: Any) -> Any:
    """The traced function of a stage: takes and gives flat lists of tensors."""
    for name in ("_map_func", "_predicate"):
        wrapper = getattr(dataset, name, None)
        if wrapper is not None:
            return wrapper.function
    return None


def line_of(dataset: Any) -> Optional[Tuple[str, int]]:
    """Where the function of a stage was written; of other stages nothing is kept."""
    for name in ("_map_func", "_predicate"):
        code = getattr(getattr(getattr(dataset, name, None), "_func", None), "__code__", None)
        if code is not None:
            return code.co_filename, code.co_firstlineno
    return None


def from_variant(variant: Any, spec: Any) -> Any:
    """A dataset of the handle that a function of `interleave` or `flat_map` gave."""
    return library("python.data.ops.dataset_ops")._VariantDataset(variant, spec)


# Build a stage again on other inputs, with other parameters. The traced functions, the seeds and the captured values are the old ones.


class Rebuilt:
    """Parameters of a stage that are to be different."""

    __slots__ = ("calls", "file", "lean", "size")

    def __init__(self) -> None:
        self.size: Optional[int] = None
        self.calls: Optional[int] = None
        self.lean = False
        self.file = ""  #: where a cache goes


def can_rebuild(dataset: Any) -> bool:
    """Whether there is a way below."""
    return class_of(dataset) in REBUILD


def rebuild(dataset: Any, inputs: List[Any], different: Rebuilt) -> Any:
    """The same stage again."""
    handles = [one._variant_tensor for one in inputs]
    twin = twin_of(dataset, REBUILD[class_of(dataset)](dataset, handles, different))
    old = list(dataset._inputs())
    for name, value in list(vars(twin).items()):
        if name != STAND_IN:
            vars(twin)[name] = replaced(value, old, inputs)
    if different.size is not None:
        vars(twin)["_buffer_size"] = _int64(different.size)
    if different.calls is not None:
        vars(twin)["_num_parallel_calls"] = _int64(different.calls)
    if different.lean:
        vars(twin)["_buffer_output_elements"] = vars(twin)["_prefetch_input_elements"] = _int64(1)
    if different.file:
        vars(twin)["_filename"] = library().constant(different.file)
    return twin


def twin_of(dataset: Any, handle: Any) -> Any:
    """A stage with another handle. From now on it stands in for the old one, in every pipeline that shares it: it is shuffled on, not anew.

    The old one stays alive with it: functions of Python's are known to TensorFlow for as long as the stage that they came with.
    """
    twin = object.__new__(type(dataset))
    vars(twin).update(vars(dataset))
    vars(twin)["_variant_tensor_attr"] = handle
    vars(twin)["_outlive_original"] = dataset
    held = vars(dataset).setdefault(STAND_IN, [])
    held[:] = [twin]
    vars(twin)[STAND_IN] = held
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
    file = library().constant(different.file) if different.file else dataset._filename
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
