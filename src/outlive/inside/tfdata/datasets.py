"""The stages of a dataset and their parameters, read from TensorFlow's own objects.

What a TensorFlow does not have raises ``tf_private.MissingPart``, and those who call leave the dataset as it was.
"""

from __future__ import annotations

import os

from ..notes.element_size import spec_bytes
from . import tf_private
from .stage import UNKNOWN, Stage
from .stage_table import known
from .tf_private import class_of, library, parameter, parameter_or

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple


def is_eager(dataset: Any) -> bool:
    """Whether a dataset was built outside of every ``tf.function``: only those can be looked at and built again."""
    return type(tf_private.handle_of(dataset)).__name__ == "EagerTensor"


def all_eager(dataset: Any) -> bool:
    """The same of every stage before it."""
    return is_eager(dataset) and all(all_eager(one) for one in tf_private.inputs_of(dataset))


def is_bare(dataset: Any) -> bool:
    """A handle without a story: an element of another dataset, or what a ``tf.function`` was given."""
    return class_of(dataset) == "VariantDataset"


def handed_in(dataset: Any) -> bool:
    """Whether a dataset inside a ``tf.function`` rests on one that came from outside."""
    return is_bare(dataset) or any(handed_in(one) for one in tf_private.inputs_of(dataset))


def inputs_of(dataset: Any) -> List[Any]:
    """The stages before a stage. Readers of files are made of a hidden pipeline of file names; it is left to them."""
    if WHOLE in vars(dataset) or known(class_of(dataset)).kind == "source":
        return []
    return tf_private.inputs_of(dataset)


def rests_on(dataset: Any, attribute: str) -> bool:
    """Whether a dataset, or one before it, has an attribute of ours."""
    waiting = [dataset]
    while waiting:
        one = waiting.pop()
        if attribute in vars(one):
            return True
        waiting.extend(tf_private.inputs_of(one))
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
    while STAND_IN in vars(dataset):
        dataset = vars(dataset)[STAND_IN]
    return dataset


def copy_of(dataset: Any) -> Any:
    """The same stage as another object: who has it reads, and nobody else has it."""
    copy = object.__new__(type(dataset))
    vars(copy).update(vars(dataset))
    return copy


def unwrapped(dataset: Any) -> Any:
    """The stage within what TF1's names put around it."""
    while class_of(dataset) == "DatasetV1Adapter":
        dataset = tf_private.adapted_by(dataset)
    return dataset


def rests_on_replaced(dataset: Any) -> bool:
    """Whether a stage was built on one that another stands in for by now: it must not be read as it is."""
    return any(stand_in(one) is not unwrapped(one) for one in inputs_of(dataset))


def walk(dataset: Any) -> Tuple[List[Any], List[Stage]]:
    """Every stage once, the sources first: TensorFlow's object, and what is known of it without running anything."""
    objects: List[Any] = []
    stages: List[Stage] = []
    _visit(dataset, objects, stages, {})
    return objects, stages


def _visit(dataset: Any, objects: List[Any], stages: List[Stage], positions: Dict[int, int]) -> int:
    """Not a function within ``walk``: one that calls itself would keep the stages, and what they cache, until the next collection."""
    one = stand_in(dataset)
    if id(one) not in positions:
        sources = tuple(_visit(source, objects, stages, positions) for source in inputs_of(one))
        objects.append(one)
        stages.append(describe(one, sources, [objects[position] for position in sources]))
        positions[id(one)] = len(objects) - 1
    return positions[id(one)]


def describe(dataset: Any, positions: Tuple[int, ...], sources: List[Any]) -> Stage:
    """The parameters of one stage."""
    row = known(class_of(dataset))
    kind, title = row.kind, row.method
    if kind == "source" and not sources:
        positions = ()
    stage = Stage(kind, title, positions)
    stage.size = whole(dataset, "buffer_size") if kind in ("shuffle", "prefetch") else None
    if kind == "window":
        stage.size = whole(dataset, "size")
    stage.calls = whole(dataset, "num_parallel_calls")
    stage.batch = whole(dataset, "batch_size")
    stage.padded = title == "padded_batch"
    stage.cycle = whole(dataset, "cycle_length") or 1
    stage.block = whole(dataset, "block_length") or 1
    if kind == "interleave":
        stage.lean = whole(dataset, "buffer_output_elements") not in (None, -1)
    if kind == "cache" and parameter(dataset, "filename").numpy():
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


def is_settled(dataset: Any) -> bool:
    """Whether it has been decided about a stage before."""
    return SETTLED in vars(stand_in(dataset))


def whole(dataset: Any, name: str) -> Optional[int]:
    """A parameter, which TensorFlow keeps as a tensor."""
    value = parameter_or(dataset, name)
    return None if value is None else int(value.numpy() if hasattr(value, "numpy") else value)


def cardinality(dataset: Any) -> int:
    """How many elements a dataset has, or TensorFlow's marks for infinite and unknown. Runs nothing of the program's."""
    return int(dataset.cardinality().numpy())


def file_names(dataset: Any) -> Optional[List[str]]:
    """The files whose records a stage gives as they are; ``None`` when they are not known, or when it makes something else of them."""
    spec = dataset.element_spec
    if getattr(spec, "dtype", None) != library().string or spec.shape.rank != 0:
        return None
    if class_of(dataset) in OPENERS:
        return texts_of(tf_private.inputs_of(dataset)[0])
    names = parameter_or(dataset, "filenames")
    return None if names is None else texts_of(names)


#: Stages that open a file for each name that comes to them.
OPENERS = ("FlatMapDataset", "InterleaveDataset", "ParallelInterleaveDataset")


def texts_of(dataset: Any) -> Optional[List[str]]:
    """The texts that a dataset carries within it and gives, in whatever order; nothing is run."""
    one = unwrapped(dataset)
    if class_of(one) == "TensorSliceDataset":
        (texts, *others) = parameter(one, "tensors")
        if others or texts.dtype != library().string:
            return None
        return [os.fsdecode(text) for text in texts.numpy().ravel().tolist()]
    kind = known(class_of(one)).kind
    if kind not in ("pass", "shuffle", "prefetch", "cache") or class_of(one) == "RepeatDataset":
        return None
    return texts_of(tf_private.inputs_of(one)[0])


def function_of(dataset: Any) -> Any:
    """The traced function of a stage: takes and gives flat lists of tensors."""
    wrapper = tf_private.function_in(dataset)
    return None if wrapper is None else wrapper.function


def line_of(dataset: Any) -> Optional[Tuple[str, int]]:
    """Where the function of a stage was written; of other stages nothing is kept."""
    function = tf_private.written_function(tf_private.function_in(dataset))
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)
