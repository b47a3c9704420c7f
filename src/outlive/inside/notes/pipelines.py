"""The stages of tf.data pipelines: where they were built; of those that hold elements, how many they may hold, how large one is.

One wrapper around ``DatasetV2.__init__``, which every stage calls when it is built; it costs some microseconds a stage and nothing
while data flows. What a TensorFlow does not have (see ``tf_private``) is left out.
"""

from __future__ import annotations

import os
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight
from _weakref import ref

from ..start.methods import like
from . import kinds
from .describe import frames_of
from .element_size import spec_bytes
from .journal import Journal
from .tf_private import (
    DATASETS,
    ITERATORS,
    TRACED_GRAPHS,
    batch_size_of,
    constant_value,
    holds,
    input_of,
)

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

DEEPEST = 30

#: For a text whose length nobody knows: the names and labels beside pictures are small.
A_TEXT = 1

#: Stages and graphs that are remembered; a program that builds more builds the same ones again and again.
MAX_REMEMBERED = 300
#: Of iterators the last ones are those that may still run.
MAX_ITERATORS = 30


class Pipelines:
    """Writes down every holding stage as it is built."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._built: Any = deque(maxlen=MAX_REMEMBERED)  # (weak reference, frames), oldest first
        self._traced: Any = deque(maxlen=MAX_REMEMBERED)  # weak references
        self._begun: Any = deque(maxlen=MAX_ITERATORS)  # weak references
        self._pid = os.getpid()

    @property
    def any_built(self) -> bool:
        """Whether the program has a pipeline at all."""
        return bool(self._built)

    def last_built(self) -> List[Any]:
        """The stages that are still alive, the newest first."""
        alive = [reference() for reference, _ in reversed(list(self._built))]
        return [stage for stage in alive if stage is not None]

    def frames_of_stage(self, stage: Any) -> List[Any]:
        """Where a stage was built; nothing when that is not remembered."""
        for reference, frames in reversed(list(self._built)):
            if reference() is stage:
                return list(frames)
        return []

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """The modules to wrap when they are imported."""
        return {
            DATASETS: self._wrap,
            TRACED_GRAPHS: self._wrap_graphs,
            ITERATORS: self._wrap_iterators,
        }

    def graphs(self) -> List[Any]:
        """The graphs that TensorFlow traced and that are still alive, the newest first."""
        alive = [reference() for reference in reversed(list(self._traced))]
        return [graph for graph in alive if graph is not None]

    def iterators(self) -> List[Any]:
        """The iterations that were begun and are not over, the newest first; none of a parent's, whose threads are not here."""
        if os.getpid() != self._pid:
            return []
        alive = [reference() for reference in reversed(list(self._begun))]
        return [iterator for iterator in alive if iterator is not None]

    def _wrap_iterators(self, module: Any) -> None:
        """An iterator takes milliseconds to make."""
        real, begun = module.OwnedIterator.__init__, self._begun

        @like(real)
        def init(iterator: Any, *args: Any, **kwargs: Any) -> None:
            real(iterator, *args, **kwargs)
            try:
                begun.append(ref(iterator))
            except Exception:
                pass

        module.OwnedIterator.__init__ = init

    def _wrap_graphs(self, module: Any) -> None:
        """Every trace makes a graph, which takes milliseconds; to remember it takes less than one of a thousand parts of that."""
        real, traced = module.FuncGraph.__init__, self._traced

        @like(real)
        def init(graph: Any, *args: Any, **kwargs: Any) -> None:
            real(graph, *args, **kwargs)
            try:
                traced.append(ref(graph))
            except Exception:
                pass

        module.FuncGraph.__init__ = init

    def _wrap(self, module: Any) -> None:
        real, note, built = module.DatasetV2.__init__, self._note, self._built

        @like(real)
        def init(dataset: Any, *args: Any, **kwargs: Any) -> None:
            real(dataset, *args, **kwargs)
            try:
                frames = frames_of(sys._getframe(1))
                built.append((ref(dataset), frames))
                held = holds(dataset)
                if held is not None:
                    note(dataset, frames, *held)
            except Exception:
                pass  # another TensorFlow: this stage is not known, nothing else

        module.DatasetV2.__init__ = init

    def _note(self, dataset: Any, frames: List[Any], kind: str, parameter: Any) -> None:
        eager = hasattr(parameter, "numpy")  # otherwise it is built while a function is traced
        value = parameter.numpy() if eager else constant_value(parameter)
        if kind == "cache":
            if value:  # a file: it holds nothing in memory
                return
            buffer = -1
        else:
            buffer = int(value)
        source = input_of(dataset)
        counted = eager and kind in (
            "cache",
            "shuffle",
        )  # in a trace that would be one more operation
        count = int(source.cardinality().numpy()) if counted else -1
        self._journal.note(
            kinds.STAGE,
            stage=kind,
            buffer=buffer,
            count=count,
            element=element_bytes(dataset, 0),
            frames=frames,
        )


def element_bytes(dataset: Any, depth: int) -> Optional[int]:
    """The size of one element, when its shape is known or follows from the stage before."""
    if dataset is None or depth > DEEPEST:
        return None
    total = spec_bytes(dataset.element_spec, A_TEXT)
    if total is not None:
        return total
    source = input_of(dataset)
    batch = batch_size_of(dataset)
    if batch is not None:
        inner = element_bytes(source, depth + 1)
        return inner * int(batch.numpy()) if inner is not None else None
    if source is not None and source.element_spec == dataset.element_spec:
        return element_bytes(source, depth + 1)
    return None
