"""TensorFlow's private parts, as far as a pipeline is read, planned or built again, and a model converted: no other module names one, beside ``inside/notes/tf_private.py``.

Each function says which versions have its part. That was looked up in the source of TensorFlow 2.12, 2.14, 2.16, 2.18, 2.20 and 2.21
("all" means these six). A version without the part raises ``MissingPart``, which names it; whoever calls leaves the program's dataset
as it was. What the recorder reads is in ``inside/notes/tf_private.py``, and what both need comes from there.
"""

from __future__ import annotations

import sys

# What both worlds need, handed on under the same names.
from ..notes.tf_private import DATASETS as DATASETS
from ..notes.tf_private import class_of as class_of
from ..notes.tf_private import inputs_of as inputs_of
from ..notes.tf_private import wrap_reading as wrap_reading

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Tuple


class MissingPart(AttributeError):
    """A private part that this version of TensorFlow does not have."""


def part(thing: Any, name: str) -> Any:
    """Give a private attribute, for this module alone."""
    try:
        return getattr(thing, name)
    except AttributeError:
        version = getattr(sys.modules.get("tensorflow"), "__version__", "")
        raise MissingPart(f"TensorFlow {version} has no {class_of(thing)}.{name}") from None


# Modules. TensorFlow is imported by whoever has a dataset, and never by us.


def library(name: str = "") -> Any:
    """Give TensorFlow, or a public module of it."""
    return sys.modules[f"tensorflow.{name}" if name else "tensorflow"]


def structure() -> Any:
    """Give the module that takes elements apart into tensors. All versions."""
    return library("python.data.util.structure")


def nest() -> Any:
    """Give tf.data's own ``nest``, which does not go into lists. All versions."""
    return library("python.data.util.nest")


def constant_value(tensor: Any) -> Any:
    """Give the value of a constant tensor, eager or in a graph; None for others. All versions."""
    return library("python.framework.tensor_util").constant_value(tensor)


def operation_definition(name: str) -> Any:
    """Give the definition of an operation by its name; None for one that is not known. All versions."""
    return library("python.framework.op_def_registry").get(name)


def autograph(function: Any) -> Any:
    """Convert a function of the user's as ``Dataset.map`` does. All versions."""
    status = library("python.autograph.core.ag_ctx").control_status_ctx()
    return library("python.autograph.impl.api").tf_convert(function, status)


# Handles and links


def is_dataset(value: Any) -> bool:
    """Tell whether a value is a dataset of TensorFlow's. All versions."""
    return hasattr(value, "_variant_tensor") and hasattr(value, "element_spec")


def handle_of(stage: Any) -> Any:
    """Give the tensor that stands for a stage in TensorFlow's runtime. All versions."""
    return part(stage, "_variant_tensor")


def has_eager_handle(stage: Any) -> bool:
    """Tell whether a stage was built outside of every ``tf.function``; False while it has no handle yet. All versions."""
    return type(getattr(stage, "_variant_tensor_attr", None)).__name__ == "EagerTensor"


def with_handle(stage: Any, handle: Any) -> Any:
    """Copy a stage's Python object, with another handle. All versions."""
    twin = object.__new__(type(stage))
    vars(twin).update(vars(stage))
    vars(twin)["_variant_tensor_attr"] = handle
    return twin


def from_handle(handle: Any, spec: Any) -> Any:
    """Make a dataset of a handle and the spec of its elements. All versions."""
    return part(library("python.data.ops.dataset_ops"), "_VariantDataset")(handle, spec)


def input_of(stage: Any) -> Any:
    """Give the one stage before a stage. All versions; ``MissingPart`` for sources and for stages with several."""
    return part(stage, "_input_dataset")


def zipped_in(stage: Any) -> Any:
    """Give the datasets of a zip, in the structure in which they were given. All versions."""
    return part(stage, "_datasets")


def concatenated_in(stage: Any) -> Tuple[Any, Any]:
    """Give both datasets of a concatenation. All versions."""
    return part(stage, "_input_dataset"), part(stage, "_dataset_to_concatenate")


def adapted_by(stage: Any) -> Any:
    """Give the stage within TF1's adapter. All versions."""
    return part(stage, "_dataset")


def readers_in(stage: Any) -> Any:
    """Give the pipeline of one reader for each file that a reader of several files is made of. All versions."""
    return part(stage, "_impl")


# Parameters

#: Parameters of stages by name, each kept under the same name with an underscore. All versions, but for the two that are marked.
PARAMETERS = frozenset(
    {
        "batch_size",  # BatchDataset, ParallelBatchDataset, PaddedBatchDataset
        "block_length",  # InterleaveDataset, ParallelInterleaveDataset
        "buffer_output_elements",  # ParallelInterleaveDataset
        "buffer_size",  # ShuffleDataset, PrefetchDataset, TFRecordDatasetV2
        "compression_type",  # TFRecordDatasetV2
        "count",  # RepeatDataset, TakeDataset, SkipDataset
        "cycle_length",  # InterleaveDataset, ParallelInterleaveDataset
        "deterministic",  # ParallelMapDataset, ParallelBatchDataset: a text; ParallelInterleaveDataset does not keep it
        "drop_remainder",  # those that batch, WindowDataset
        "filename",  # CacheDataset
        "filenames",  # readers of files: a tensor or a dataset
        "force_synchronous",  # MapDataset, in 2.18, not yet in 2.16
        "index",  # ShardDataset
        "num_parallel_calls",  # ParallelMapDataset, ParallelInterleaveDataset, ParallelBatchDataset
        "num_parallel_reads",  # TFRecordDatasetV2
        "num_shards",  # ShardDataset
        "padded_shapes",  # PaddedBatchDataset
        "padding_values",  # PaddedBatchDataset
        "prefetch_input_elements",  # ParallelInterleaveDataset
        "preserve_cardinality",  # MapDataset, ParallelMapDataset
        "reshuffle_each_iteration",  # ShuffleDataset
        "seed",  # ShuffleDataset
        "seed2",  # ShuffleDataset
        "shift",  # WindowDataset
        "size",  # WindowDataset
        "stride",  # WindowDataset
        "tensors",  # TensorSliceDataset, TensorDataset
        "use_inter_op_parallelism",  # MapDataset, ParallelMapDataset
        "use_unbounded_threadpool",  # ParallelMapDataset, in 2.18, not yet in 2.16
    }
)


def parameter(stage: Any, name: str) -> Any:
    """Give a parameter as TensorFlow keeps it, mostly a tensor; ``MissingPart`` where the stage has none, ``KeyError`` for a name that is not listed."""
    return part(stage, kept_as(name))


def parameter_or(stage: Any, name: str, otherwise: Any = None) -> Any:
    """Give a parameter that not every stage or version has, or something else instead."""
    return getattr(stage, kept_as(name), otherwise)


def set_parameters(stage: Any, **values: Any) -> None:
    """Let the Python object of a stage tell other parameters. TensorFlow's runtime has those that the stage was built with."""
    vars(stage).update({kept_as(name): value for name, value in values.items()})


def kept_as(name: str) -> str:
    """Give the attribute in which TensorFlow keeps a parameter."""
    if name not in PARAMETERS:
        raise KeyError(name)
    return f"_{name}"


def common_arguments(stage: Any) -> Dict[str, Any]:
    """Give what every operation of a stage is called with: types, shapes, metadata. All versions."""
    return dict(part(stage, "_common_args"))


def options_set_by(stage: Any) -> Any:
    """Give the options that one stage sets. All versions."""
    return stage._options_attr if hasattr(stage, "_options_attr") else part(stage, "_options")


def options_written(stage: Any) -> bytes:
    """Write down all options of a pipeline as the operation takes them. All versions."""
    return bytes(part(stage.options(), "_to_proto")().SerializeToString())


# Functions of stages


def mapping_of(stage: Any) -> Any:
    """Give TensorFlow's wrapper of the function of a map, an interleave or a flat_map. All versions."""
    return part(stage, "_map_func")


def predicate_of(stage: Any) -> Any:
    """Give TensorFlow's wrapper of the function of a filter. All versions."""
    return part(stage, "_predicate")


def function_in(stage: Any) -> Any:
    """Give the wrapper of a stage's one function, whatever it is called; None for stages without. All versions."""
    found = getattr(stage, "_map_func", None)
    return found if found is not None else getattr(stage, "_predicate", None)


def functions_in(stage: Any) -> List[Any]:
    """List the wrappers of all functions of a stage. All versions."""
    return list(part(stage, "_functions")())


def written_function(wrapper: Any) -> Any:
    """Give the Python function that was traced. All versions; None where a wrapper has none."""
    return getattr(wrapper, "_func", None)


def takes(wrapper: Any) -> Any:
    """Give the structure of the elements that a traced function takes. All versions."""
    return part(wrapper, "_input_structure")


# Reading, and the graph of a dataset


def read_by(stage: Any) -> Callable[[Any], Any]:
    """Give the method through which every reading of such a stage goes. All versions."""
    method: Callable[[Any], Any] = part(type(stage), "_apply_debug_options")
    return method


def read_with(stage: Any, method: Callable[[], Any]) -> None:
    """Let every reading of this one dataset go through another method. All versions."""
    vars(stage)["_apply_debug_options"] = method


def wrap_all_reading(wrapper: Callable[[Any], Any]) -> None:
    """Wrap the method through which every reading goes, in a TensorFlow that is imported. All versions."""
    wrap_reading(library("python.data.ops.dataset_ops"), wrapper)


def wrap_building(wrapper: Callable[[Any], Any]) -> None:
    """Wrap the constructor that every stage calls. All versions."""
    kind = library("python.data.ops.dataset_ops").DatasetV2
    kind.__init__ = wrapper(kind.__init__)


def graph_of(dataset: Any) -> Any:
    """Write the graph of a dataset; what it refers to (tables, variables, Python functions) it refers to by handles. All versions."""
    policy = library("python.data.ops.options").ExternalStatePolicy.IGNORE
    graph = library("core.framework.graph_pb2").GraphDef()
    written = part(dataset, "_as_serialized_graph")(external_state_policy=policy)
    graph.ParseFromString(written.numpy())
    return graph


# Models for object detection


def with_constants(function: Any) -> Any:
    """Give the same function with its variables as constants. All versions; imports what it needs of TensorFlow."""
    module = imported("tensorflow.python.framework.convert_to_constants")
    return module.convert_variables_to_constants_v2(function, lower_control_flow=False)


def function_of_graph(definition: Any, inputs: List[str], outputs: List[str]) -> Any:
    """Make a function of a graph. All versions; imports what it needs of TensorFlow."""
    module = imported("tensorflow.python.eager.wrap_function")
    return module.function_from_graph_def(definition, inputs, outputs)


def quantised(model: bytes, **options: Any) -> bytes:
    """Quantise a calibrated TensorFlow Lite model. All versions; imports what it needs of TensorFlow."""
    return bytes(imported("tensorflow.lite.python.convert").mlir_quantize(model, **options))


def lite_operations(interpreter: Any) -> List[Dict[str, Any]]:
    """List the operations of a TensorFlow Lite model. All versions."""
    return list(part(interpreter, "_get_ops_details")())


def calibrate_only(converter: Any) -> None:
    """Let a converter measure the ranges of values and quantise nothing. All versions; without it, it quantises everything."""
    converter._experimental_calibrate_only = True


def imported(name: str) -> Any:
    """Import a module of TensorFlow's, for a program of our own that needs it."""
    __import__(name)
    return sys.modules[name]
