"""How large an element is, where its shape does not tell: send a few of the first ones through the stages' functions.

Not by running the pipeline: that would fill its shuffles and caches, which is what is to be prevented. The first elements of each source
are taken, and the traced functions are called with them, one after the other. Where that could be noticed (a function of Python's,
a counter, a generator), nothing is run and the size stays unknown, unless whoever asks says that everything may be run.
"""

from __future__ import annotations

import time

from . import datasets
from .stage import Stage
from .tf_private import from_handle, library, operation_definition, structure

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

#: Elements that are looked at, if time allows.
MOST_SAMPLES = 8
SECONDS = 1.0
#: What a process takes and gives back for other reasons: a library that is loaded at the first call.
NOISE = 8_000_000

#: Elements from which the size of a batch is extrapolated.
MOST_STACKED = 2

#: What a text takes beside its letters.
BYTES_OF_A_TEXT = 24

#: Operations that keep a state or read the world, and that can still be run once more without anybody noticing.
HARMLESS = frozenset(
    {
        "Assert",
        "AnonymousMemoryCache",
        "AnonymousSeedGenerator",
        "DummyMemoryCache",
        "DummySeedGenerator",
        "If",
        "LookupTableFind",
        "LookupTableFindV2",
        "LookupTableSize",
        "LookupTableSizeV2",
        "MatchingFiles",
        "Multinomial",
        "PartitionedCall",
        "ParameterizedTruncatedNormal",
        "RandomCrop",
        "RandomGamma",
        "RandomPoisson",
        "RandomPoissonV2",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomUniform",
        "RandomUniformInt",
        "ReadFile",
        "ReadVariableOp",
        "SampleDistortedBoundingBox",
        "SampleDistortedBoundingBoxV2",
        "StatefulPartitionedCall",
        "StatelessIf",
        "StatelessWhile",
        "TensorArrayV3",
        "TruncatedNormal",
        "VarHandleOp",
        "While",
    }
)

#: Stages inside the function of an `interleave` that would fill before they give the first element.
FILLING = ("ShuffleDataset", "CacheDataset", "ShuffleAndRepeatDataset")


#: Kinds of stages that give the elements that they get.
UNCHANGED = ("shuffle", "prefetch", "cache", "pass")


class Sample:
    """One element as a flat list of tensors; each stands for ``scale`` times its bytes."""

    __slots__ = ("scale", "tensors")

    def __init__(self, tensors: List[Any], scale: float = 1.0) -> None:
        self.tensors = tensors
        self.scale = scale


class Sampler:
    """Finds the sizes of the elements of one pipeline's stages, and keeps what was looked at."""

    def __init__(self, everything: bool = False, seconds: float = SECONDS) -> None:
        self._everything = everything  #: may be run, noticed or not
        self._until = time.monotonic() + seconds
        self._found: Dict[int, Optional[List[Sample]]] = {}
        self.peaks: Dict[int, int] = {}  #: bytes at the worst moment of one call, by stage

    def weigh(self, objects: List[Any], stages: List[Stage]) -> None:
        """Fill in what the shapes leave open."""
        for position, stage in enumerate(stages):
            wide = stage.kind == "map" and bool(stage.calls)  # then the temporaries count as well
            if not stage.settled and (stage.element_bytes is None or wide or self._everything):
                measured = self._bytes(objects, stages, position)
                if stage.element_bytes is None:
                    stage.element_bytes = measured
                if stage.element_bytes is None and stage.kind == "batch":
                    stage.element_bytes = self._of_batch(stages, position)
                elif stage.element_bytes is None and stage.kind in UNCHANGED and stage.sources:
                    stage.element_bytes = stages[stage.sources[0]].element_bytes
                stage.call_bytes = self.peaks.get(position, 0)
            if stage.sources:
                stage.input_bytes = stages[stage.sources[0]].element_bytes

    def _of_batch(self, stages: List[Stage], position: int) -> Optional[int]:
        """From the element, when it is known and nothing is padded: the shape leaves only the number open."""
        stage = stages[position]
        one = stages[stage.sources[0]].element_bytes if stage.sources else None
        return None if one is None or stage.padded else one * (stage.batch or 1)

    def _bytes(self, objects: List[Any], stages: List[Stage], position: int) -> Optional[int]:
        """The mean of what was seen; for padded batches the samples have the largest sides already."""
        found = self._samples(objects, stages, position)
        if not found:
            return None
        spec = objects[position].element_spec
        try:
            return int(sum(bytes_of(sample, spec) for sample in found) / len(found))
        except Exception:  # an element of a kind that nobody here has heard of
            return None

    def _samples(
        self, objects: List[Any], stages: List[Stage], position: int
    ) -> Optional[List[Sample]]:
        if position not in self._found:
            try:
                self._found[position] = self._make(objects, stages, position)
            except (
                Exception
            ):  # a function that fails on the first element: the program will say so itself
                self._found[position] = None
        return self._found[position]

    def _make(
        self, objects: List[Any], stages: List[Stage], position: int
    ) -> Optional[List[Sample]]:
        stage, dataset = stages[position], objects[position]
        if not stage.sources:
            known = stage.kind in ("source", "slices") or self._everything
            return list(self._first(dataset)) if known else None
        before = [self._samples(objects, stages, source) for source in stage.sources]
        if any(not samples for samples in before):
            return None
        first = before[0] or []
        if stage.kind in UNCHANGED:
            return first
        if stage.kind == "zip":
            return [
                Sample([tensor for one in row for tensor in one.tensors], row[0].scale)
                for row in zip(*[samples or [] for samples in before])
            ]
        if stage.kind == "concatenate":
            return [sample for samples in before for sample in samples or []][:MOST_SAMPLES]
        if stage.kind == "batch":
            return [batched(first, stage, dataset.element_spec)]
        if stage.kind == "map" and self._may_call(dataset):
            return list(self._called(dataset, first, position))
        if stage.kind in ("flat_map", "interleave") and self._may_call(dataset):
            return list(self._opened(dataset, first))
        return None

    def _first(self, dataset: Any) -> Iterator[Sample]:
        """The first elements that a dataset gives."""
        flat = tensors_of(dataset.element_spec)
        for count, element in enumerate(dataset.take(MOST_SAMPLES)):
            yield Sample(flat(element))
            if count and time.monotonic() > self._until:
                return

    def _called(self, dataset: Any, before: List[Sample], position: int) -> Iterator[Sample]:
        function = datasets.function_of(dataset)
        for count, sample in enumerate(before):
            with Peak(self._everything) as peak:
                tensors = list(function(*sample.tensors))
            self.peaks[position] = max(self.peaks.get(position, 0), int(peak.rise() * sample.scale))
            yield Sample(tensors, sample.scale)
            if count and time.monotonic() > self._until:
                return

    def _opened(self, dataset: Any, before: List[Sample]) -> Iterator[Sample]:
        """The first elements of the datasets that a function makes."""
        function = datasets.function_of(dataset)
        left = MOST_SAMPLES
        for sample in before:
            (handle,) = function(*sample.tensors)
            for inner in self._first(from_handle(handle, dataset.element_spec)):
                yield inner
                left -= 1
                if not left or time.monotonic() > self._until:
                    return

    def _may_call(self, dataset: Any) -> bool:
        function = datasets.function_of(dataset)
        names = operations_of(function)
        if any(name.startswith(FILLING) for name in names):
            return False
        return self._everything or all(is_harmless(name) for name in names)


def operations_of(function: Any) -> Set[str]:
    """The names of all operations that a traced function may run."""
    graph = function.graph.as_graph_def()
    names = {node.op for node in graph.node}
    for inner in graph.library.function:
        names.update(node.op for node in inner.node_def)
    return names


def is_harmless(name: str) -> bool:
    """Whether nobody notices when this operation is run once more."""
    if name in HARMLESS:
        return True
    if "Dataset" in name:
        return name != "GeneratorDataset"
    definition = operation_definition(name)
    return definition is not None and not definition.is_stateful


class Peak:
    """How far TensorFlow's allocator rises above where it stood, in one call; where ``everything`` may be run, the process too.

    The arrays of a `numpy_function` are not TensorFlow's. How high the process was is told anew only if somebody sets it back, which the
    program itself would notice: so this is done only in a process of its own (`outlive plan`).
    """

    def __init__(self, everything: bool = False) -> None:
        self._everything = everything

    def __enter__(self) -> Peak:
        self._process = begin_anew() if self._everything else None
        self._before, self._highest = memory_of_tensorflow()
        return self

    def __exit__(self, *error: object) -> None:
        self._after = memory_of_tensorflow()[1]
        self._process_after = highest_resident() if self._process is not None else 0

    def rise(self) -> int:
        """0 when it did not rise above an earlier peak, which the program may want to read: it is not reset."""
        told = self._after - self._before if self._after > self._highest else 0
        risen = self._process_after - self._process if self._process is not None else 0
        return max(told, risen if risen > NOISE else 0)


def begin_anew() -> Optional[int]:
    """Let Linux forget how much memory the process has had at most; how much it has now, or nothing where that cannot be done."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return None
    return highest_resident()


def highest_resident() -> int:
    """The most memory that the process has had."""
    with open("/proc/self/status") as file:
        return next((int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:")), 0)


def memory_of_tensorflow() -> Tuple[int, int]:
    """Bytes that are in use, and the most that ever were; zeros where the allocator does not count."""
    try:
        told = library().config.experimental.get_memory_info("CPU:0")
        return int(told["current"]), int(told["peak"])
    except Exception:
        return 0, 0


def tensors_of(spec: Any) -> Any:
    """Turns an element into the flat list of tensors that traced functions take."""
    take_apart = structure().to_tensor_list
    return lambda element: list(take_apart(spec, element))


def bytes_of(sample: Sample, spec: Any) -> int:
    """Count the bytes of a sampled element."""
    element = structure().from_compatible_tensor_list(spec, sample.tensors)
    total = sum(
        bytes_of_tensor(tensor)
        for tensor in library().nest.flatten(element, expand_composites=True)
        if tensor is not None
    )
    return int(total * sample.scale)


def bytes_of_tensor(tensor: Any) -> int:
    """Numbers by their size, texts by their length."""
    if tensor.dtype.name == "string":
        tf = library()
        letters = int(tf.reduce_sum(tf.strings.length(tensor)).numpy())
        return letters + BYTES_OF_A_TEXT * int(tf.size(tensor).numpy())
    if tensor.dtype.name in ("variant", "resource"):
        return 0
    return int(tensor.shape.num_elements() or 0) * int(tensor.dtype.size)


def batched(samples: List[Sample], stage: Stage, spec: Any) -> Sample:
    """A batch, imagined from one or two elements. What is padded gets the sides that it was told to have, else the largest that were seen."""
    tf = library()
    told = tf.nest.flatten(spec) if stage.padded else []
    used = samples[:1] if stage.padded else samples[:MOST_STACKED]
    columns = []
    for column in range(len(samples[0].tensors)):
        tensors = [sample.tensors[column] for sample in used]
        if stage.padded:
            sides = [sample.tensors[column].shape.as_list() for sample in samples]
            largest = [
                max(seen) if wanted is None else wanted
                for seen, wanted in zip(zip(*sides), told[column].shape.as_list()[1:])
            ]
            tensors = [
                tf.pad(one, [[0, most - side] for most, side in zip(largest, one.shape.as_list())])
                for one in tensors
            ]
        columns.append(tf.stack(tensors))
    size = stage.batch or 1
    return Sample(columns, used[0].scale * size / len(used))
