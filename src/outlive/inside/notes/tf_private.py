"""TensorFlow's and Keras's private parts, as far as the recorder reads them: no other module names one, beside ``inside/tfdata/tf_private.py``.

Each function says which versions have its part. That was looked up in the source of TensorFlow 2.12, 2.14, 2.16, 2.18, 2.20 and 2.21
("all" means these six). A version without the part gets None, an empty list or an exception that the caller catches: the program never
notices. Nothing is imported, no operation is run but one that reads, and without TensorFlow nothing here is called. What is needed to
build a pipeline again is in ``inside/tfdata/tf_private.py``.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple

    Wrapper = Callable[[Any], Any]

# Private modules: all versions. After their import something is wrapped, or classes are known by them.

DATASETS = "tensorflow.python.data.ops.dataset_ops"
ITERATORS = "tensorflow.python.data.ops.iterator_ops"
LOOPS = "tensorflow.python.data.ops.dataset_autograph"
STRATEGIES = "tensorflow.python.distribute.distribute_lib"
TRACED_GRAPHS = "tensorflow.python.framework.func_graph"
GRAPHS = "tensorflow.python.framework.ops"
CONSTANTS = "tensorflow.python.framework.tensor_util"
VARIABLES = "tensorflow.python.ops.resource_variable_ops"
KERAS_BACKEND = "keras.src.backend"
SESSIONS = "tensorflow.python.client.session"
CANCELLATION = "tensorflow.python.eager.cancellation"
CONTEXT = "tensorflow.python.eager.context"
FUNCTIONS = "tensorflow.python.eager.polymorphic_function"
TAPES = "tensorflow.python.eager.backprop"
CHECKPOINTS = "tensorflow.python.checkpoint.checkpoint"
KERAS_SAVING = "keras.src.saving.saving_api"
KERAS_CALLBACKS = ("keras.src.callbacks.callback_list", "keras.src.callbacks")  # Keras 3, Keras 2
KERAS_BACKUP = "keras.src.callbacks.backup_and_restore"

#: Where a function is being traced: its graph is the local ``func_graph`` of this file's functions (all).
TRACING_FILE = "/tensorflow/python/framework/func_graph.py"

# Private names on classes that are wrapped or noticed. A class without the name stays as it is.

#: Where Keras 3 and Keras 2 keep what a layer, a model or an optimizer owns.
KERAS = ("keras.", "tf_keras.")
KERAS_VARIABLES = ("_trainable_variables", "_non_trainable_variables", "_trainable_weights", "_non_trainable_weights", "_variables")  # fmt: skip
KERAS_LAYERS = ("_layers", "_self_tracked_trackables", "_metrics", "_functional", "optimizer")
#: Where TensorFlow keeps the elements of a list that it has wrapped to track it.
WRAPPED_LIST = "_storage"

KERAS_BACKUP_SAVES = "_save_model"  #: of Keras 3's BackupAndRestore
SESSION_IS_CLOSED = "_closed"  #: of BaseSession: all
CANCELLATION_IS_USED = "_impl"  #: of CancellationManager: all
COUNTS_ELEMENTS = "_num_elements"  #: of tensors with values: all

#: Stages that hold elements, by class name without a leading underscore: what they are, and the attribute that says how many (all).
HOLDING = {
    "ShuffleDataset": ("shuffle", "_buffer_size"),
    "PrefetchDataset": ("prefetch", "_buffer_size"),
    "CacheDataset": ("cache", "_filename"),
    "ParallelMapDataset": ("map", "_num_parallel_calls"),
    "ParallelInterleaveDataset": ("interleave", "_num_parallel_calls"),
    "InterleaveDataset": ("cycle", "_cycle_length"),
}


# Stages of a dataset


def class_of(stage: Any) -> str:
    """Give the name of a stage's class without the underscore that some versions put before it."""
    return type(stage).__name__.lstrip("_")


def holds(stage: Any) -> Optional[Tuple[str, Any]]:
    """Give what a stage is that holds elements, and the parameter that says how many. All versions; None for other stages."""
    known = HOLDING.get(class_of(stage))
    return (known[0], getattr(stage, known[1])) if known is not None else None


def inputs_of(stage: Any) -> List[Any]:
    """List the stages before a stage. All versions; AttributeError where a version has no such method."""
    return list(stage._inputs())


def input_of(stage: Any) -> Any:
    """Give the one stage before a stage. All versions; None for sources and for stages with several."""
    return getattr(stage, "_input_dataset", None)


def wrapped_by(stage: Any) -> Any:
    """Give the stage within a wrapper that lists no inputs (a TF1 adapter). All versions; None for other stages."""
    return getattr(stage, "_dataset", None)


def batch_size_of(stage: Any) -> Any:
    """Give the batch size, as TensorFlow keeps it: a tensor. All versions; None for stages that do not batch."""
    return getattr(stage, "_batch_size", None)


def tensors_in(stage: Any) -> List[Any]:
    """List the tensors that a source carries within it. All versions; empty for other stages."""
    return list(getattr(stage, "_tensors", None) or ())


def file_names_in(stage: Any) -> Any:
    """Give what a reader of files keeps of their names: a tensor or a dataset. All versions; None for other stages."""
    return getattr(stage, "_filenames", None)


def dataset_of(iterator: Any) -> Any:
    """Give the dataset that an iterator goes through. All versions, NumPy's iterators too; None where it is not kept."""
    return getattr(getattr(iterator, "_iterator", iterator), "_dataset", None)


def constant_value(tensor: Any) -> Any:
    """Give the value of a tensor that the program gave as a constant, while a function is traced. All versions."""
    return sys.modules[CONSTANTS].constant_value(tensor)


# Places where a dataset is met


def wrap_reading(datasets: Any, wrapper: Wrapper) -> None:
    """Wrap the method through which every reading from Python goes. All versions; AttributeError, and nothing wrapped, without it."""
    kind = datasets.DatasetV2
    kind._apply_debug_options = wrapper(kind._apply_debug_options)


def wrap_arguments(datasets: Any, wrapper: Wrapper) -> None:
    """Wrap the method that hands a dataset to a ``tf.function``. All versions; AttributeError, and nothing wrapped, without it."""
    kind = datasets.DatasetSpec
    kind._to_components = wrapper(kind._to_components)


def wrap_loops(loops: Any, wrapper: Wrapper) -> None:
    """Wrap what AutoGraph makes of ``for`` over a dataset. All versions; AttributeError, and nothing wrapped, without it."""
    loops._tf_ag_dataset_for_stmt = wrapper(loops._tf_ag_dataset_for_stmt)


# The eager context and its allocator


def running_context() -> Any:
    """Give TensorFlow's context once it runs. All versions; None before its first use: none is made."""
    current: Any = getattr(sys.modules.get(CONTEXT), "_context", None)
    return current if getattr(current, "_initialized", False) else None


def allocated_bytes() -> Optional[int]:
    """Ask the CPU's allocator how much it has handed out. All versions; None before TensorFlow runs, or where nobody counts."""
    current = running_context()
    if current is None:
        return None
    wrapper: Any = sys.modules[CONTEXT].pywrap_tfe
    try:
        return int(wrapper.TFE_GetMemoryInfo(current._context_handle, "CPU:0")["current"])
    except ValueError:  # tensors come from malloc, as on AMD: "Allocator stats not available"
        return None


def iterator_handle(iterator: Any) -> Any:
    """Give the resource of an iterator. All versions; AttributeError without it."""
    return iterator._iterator_resource


def iterator_model(context: Any, handle: Any) -> bytes:
    """Ask for TensorFlow's own model of a running pipeline, a protocol buffer. From 2.18 on; an exception before, or where it is off."""
    execute = sys.modules[CONTEXT].pywrap_tfe.TFE_Py_FastPathExecute
    return bytes(execute(context, "IteratorGetModelProto", None, handle).numpy())


# Functions made by tf.function


def bound_functions(function: Any) -> List[Any]:
    """List what a traced method keeps for each object that it is bound to. All versions; empty for plain functions."""
    return list(getattr(function, "_descriptor_cache", {}).values())


def signatures_of(function: Any) -> List[Any]:
    """List the parameters of each trace, the oldest first. From 2.14 on; AttributeError before."""
    return [key[1].parameters for key in list(function._function_cache._primary)]


def is_weak_reference(constraint: Any) -> bool:
    """Tell whether an argument was traced as one object and no other. All versions; False where nothing is kept."""
    return callable(getattr(constraint, "_ref", None))


def referred_by(constraint: Any) -> Any:
    """Give the object that an argument was traced as. All versions; None when it is gone."""
    return constraint._ref()


# Graphs, tapes, tensors


def graph_of_session(session: Any) -> Any:
    """Give the graph that a session runs. All versions; None without it."""
    return getattr(session, "_graph", None)


def default_graph() -> Any:
    """Give the graph that TF1's functions add to. All versions; None when nobody has asked for one: none is made."""
    stack = getattr(sys.modules.get(GRAPHS), "_default_graph_stack", None)
    return getattr(stack, "_global_default_graph", None)


def is_persistent(tape: Any) -> bool:
    """Tell whether a tape keeps its record after a gradient. All versions; False without it."""
    return bool(getattr(tape, "_persistent", False))


def is_recording(tape: Any) -> bool:
    """Tell whether a tape records now. All versions; False without it."""
    return bool(getattr(tape, "_recording", False))


def has_recorded(tape: Any) -> bool:
    """Tell whether a tape has a record. All versions; False without it."""
    return getattr(tape, "_tape", None) is not None


def number_of_elements(tensor: Any) -> int:
    """Count the elements of a tensor with values. All versions; AttributeError for others."""
    return int(tensor._num_elements())


def sides_of(shape: Any) -> Any:
    """Give the sides of a TensorShape without its own conversions. All versions; what is no TensorShape comes back as it is."""
    return getattr(shape, "_dims", shape)


# The values of a notebook's variables, each told from all others by its exact type. A property would keep what it has worked out: fields and functions in C do not.


def tensor_spec(value: Any) -> Optional[Tuple[Tuple[Optional[int], ...], str]]:
    """Sides and type of an eager tensor, a variable of TensorFlow, or one of Keras. All versions; Keras's variables: from 2.16 on."""
    kind = type(value)
    if kind is _type_in(GRAPHS, "EagerTensor"):
        dtypes = sys.modules["tensorflow.python.framework.dtypes"]
        return value._shape_tuple(), dtypes.as_dtype(value._datatype_enum()).name
    if kind is not _type_in(VARIABLES, "ResourceVariable") and kind is not _type_in(
        KERAS_BACKEND, "Variable"
    ):
        return None
    fields = vars(value)
    shape, dtype = fields.get("_shape"), fields.get("_dtype")
    sides = shape if type(shape) is tuple else getattr(shape, "_dims", None)
    return (tuple(sides), getattr(dtype, "name", dtype)) if sides is not None else None


def takes_one_type(value: Any) -> bool:
    """Whether the operators of a value convert no tensor of another type. All versions: TensorFlow's own do not, unless that was switched on; Keras's do."""
    module = sys.modules.get(GRAPHS)
    switches = ("is_auto_dtype_conversion_enabled", "is_numpy_style_type_promotion")
    if any(getattr(module, name, bool)() for name in switches):
        return False
    kinds = (_type_in(GRAPHS, "EagerTensor"), _type_in(VARIABLES, "ResourceVariable"))
    return type(value) in kinds


def _type_in(module: str, name: str) -> Any:
    """A class of a module that is loaded; a type that no value has where it is not. All versions."""
    return getattr(sys.modules.get(module), name, Ellipsis)
