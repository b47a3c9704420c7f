"""In a rehearsal: how many steps the program has made, and how far its loops are. Loaded only where it was asked for.

What counts as a step is decided outside. Here is written down, some times a second, what can be counted without asking anybody: batches
and epochs of Keras, elements taken from datasets, calls of ``Session.run``, turns of the ``for`` loops of the main thread.
"""

from __future__ import annotations

import os
from _weakref import ref

from ..memory.census import Standstill
from ..memory.loop_turns import numbers_in, turns_of
from ..memory.value_stack import checked_reader
from ..notes.describe import frames_of, masked
from ..notes.format import dump
from ..notes.tf_private import ITERATORS, KERAS_CALLBACKS, SESSIONS, dataset_of
from ..start.clock import Clock
from ..start.frames import current_frames
from ..start.methods import like
from ..start.real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

#: Between two lines of the account. To look at the loops the others are held for some milliseconds.
SECONDS_BETWEEN = 0.25

#: When the heap is looked at, as parts of the time that the rehearsal has.
LOOKS_AT = (0.3, 0.45, 0.6, 0.75, 0.88)

#: Whoever calls these counts one batch.
BATCH_ENDS = ("on_train_batch_end", "on_test_batch_end", "on_predict_batch_end")


#: Iterators that are known apart; a program that makes one for each element is not asked how many there are.
MOST_ITERATORS = 64


class Steps:
    """Counts, and tells."""

    def __init__(
        self, told: str, is_own: Callable[[str], bool], look: Callable[[int], None]
    ) -> None:
        seconds, _, self._path = told.partition(" ")
        self._seconds = float(seconds)
        self._is_own = is_own
        self._look = look
        self._looks_left = list(LOOKS_AT)
        self._began = Clock.monotonic()
        self._next = 0.0
        self._reader: Any = None
        self._counted: List[Any] = []
        self._main = Real.get_ident()
        self.batches = self.elements = self.sessions = 0
        self.epoch = self.epochs = self.batches_an_epoch = self.epoch_began_at = 0
        self.taken = 0  #: elements of the dataset that is being read
        self.cardinality = -1  #: … and how many it has, where that is known
        self._read: Dict[
            int, Any
        ] = {}  # by the number of the iterator: its own, elements taken, cardinality

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """The modules to wrap when they are imported."""
        return {
            ITERATORS: self._count_elements,
            SESSIONS: self._count_sessions,
            **dict.fromkeys(KERAS_CALLBACKS, self._count_batches),
        }

    def consider(self, rss: int) -> None:
        """Called at every tick of the sampler, in its thread."""
        now = Clock.monotonic()
        if now < self._next:
            return
        self._next = now + SECONDS_BETWEEN
        if self._looks_left and now - self._began >= self._looks_left[0] * self._seconds:
            self._looks_left.pop(0)
            self._look(rss)
        self._tell()

    def _tell(self) -> None:
        line = {
            "time": Clock.time(),
            "pid": Real.getpid(),
            "batches": self.batches,
            "elements": self.elements,
            "sessions": self.sessions,
            "epoch": self.epoch,
            "epochs": self.epochs,
            "batches_an_epoch": self.batches_an_epoch,
            "epoch_began_at": self.epoch_began_at,
            "taken": self.taken,
            "cardinality": self.cardinality,
            **self._where(),
        }
        try:
            handle = Real.open(
                self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
            try:
                Real.write(handle, f"{dump(line)}\n".encode())
            finally:
                Real.close(handle)
        except OSError:
            pass

    def _where(self) -> Dict[str, Any]:
        """The main thread's own line, the file that it stands in, and how far its loops are."""
        if self._reader is None:
            self._reader = checked_reader() or False
        at: List[Any] = []
        loops: List[Any] = []
        numbers: List[Any] = []
        try:
            with Standstill():
                frame = current_frames().get(self._main)
                frames = frames_of(frame)
                loops = turns_of(frame, self._reader, self._is_own) if self._reader else []
                numbers = numbers_in(frame, self._is_own)
                del frame
            own = next((place for place in frames if self._is_own(place[0])), None)
            at = [masked(own[0]), own[1], own[2], frames[0][0]] if own is not None else []
        except Exception:
            pass
        return {
            "at": at,
            "loops": [[masked(file), *rest] for file, *rest in loops],
            "numbers": [[masked(file), *rest] for file, *rest in numbers],
        }

    def _count_elements(self, module: Any) -> None:
        real = module.OwnedIterator.__next__
        steps = self

        @like(real)
        def __next__(iterator: Any) -> Any:
            found = real(iterator)
            steps.elements += 1
            try:
                steps.note_element(iterator)
            except Exception:
                pass  # another TensorFlow
            return found

        module.OwnedIterator.__next__ = __next__

    def note_element(self, iterator: Any) -> None:
        """One element was taken from this iterator; in the program's own thread."""
        known = self._read.get(id(iterator))
        if known is None or known[0]() is not iterator:
            if len(self._read) >= MOST_ITERATORS:
                self._read.clear()
            dataset = dataset_of(iterator)
            count = int(dataset.cardinality().numpy()) if dataset is not None else -1
            known = self._read[id(iterator)] = [ref(iterator), 0, count]
        known[1] += 1
        self.taken, self.cardinality = known[1], known[2]

    def _count_sessions(self, module: Any) -> None:
        real = module.BaseSession.run
        steps = self

        @like(real)
        def run(session: Any, *args: Any, **kwargs: Any) -> Any:
            found = real(session, *args, **kwargs)
            steps.sessions += 1
            return found

        module.BaseSession.run = run

    def _count_batches(self, module: Any) -> None:
        kind: Any = getattr(module, "CallbackList", None)
        if kind is None or kind in self._counted:
            return  # Keras 3's package of callbacks hands on what its module has
        self._counted.append(kind)
        for name in BATCH_ENDS:
            setattr(kind, name, self._counting_batches(getattr(kind, name)))
        kind.on_epoch_begin = self._noting_epochs(kind.on_epoch_begin)

    def _counting_batches(self, real: Any) -> Any:
        steps = self

        @like(real)
        def batch_end(callbacks: Any, *args: Any, **kwargs: Any) -> Any:
            steps.batches += 1
            return real(callbacks, *args, **kwargs)

        return batch_end

    def _noting_epochs(self, real: Any) -> Any:
        steps = self

        @like(real)
        def epoch_begin(callbacks: Any, epoch: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                told = getattr(callbacks, "params", None) or {}
                steps.epoch = int(epoch) + 1
                steps.epoch_began_at = steps.batches
                steps.epochs = int(told.get("epochs") or 0)
                steps.batches_an_epoch = int(told.get("steps") or 0)
            except Exception:
                pass
            return real(callbacks, epoch, *args, **kwargs)

        return epoch_begin
