"""A callback for Keras: near the memory limit save a checkpoint, and go on with smaller batches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from outlive.errors import OutliveError
from outlive.inside.notes import kinds
from outlive.keep.pressure.recorder_link import saving, tell, tell_saved
from outlive.keep.pressure.watch import WATCHER, Pressure, Watch, checked


class BatchTooLarge(MemoryError):
    """Training was stopped near the memory limit, so that it can go on with smaller batches: `outlive.adaptive` does that."""

    __module__ = "outlive"


def PressureCallback(
    checkpoint: str | os.PathLike[str] | Callable[[Any], Any] | None = None,
    lower_batch: bool | Callable[[Pressure], Any] | Any = False,
    at: float = 0.85,
) -> Any:
    """Make a callback for ``model.fit``: when memory passes the share ``at`` of the limit, save a checkpoint and lower the batch.

    ``checkpoint``: a file for ``model.save`` (``.keras``) or ``model.save_weights`` (``.weights.h5``), or a function that is given the
    model. It is done between two batches, in the thread that trains.

    ``lower_batch``: an object with a ``batch_size`` (a ``keras.utils.PyDataset``), which is halved at the end of the epoch; a function
    to call; or ``True``, which stops training with ``outlive.BatchTooLarge``: inside ``outlive.adaptive(model.fit, …)`` it goes on with half.
    """
    return _callback_class()(checkpoint, lower_batch, at)


def _callback_class() -> Any:
    keras = sys.modules.get("keras") or sys.modules.get("tf_keras")
    if keras is None:
        try:
            keras = __import__("keras")
        except ImportError as error:
            raise OutliveError("Keras is not installed.", "pip install tensorflow") from error
    base = keras.callbacks.Callback

    class Made(_Acts, base):  # type: ignore[misc, valid-type]  # known when it is imported
        def __init__(self, checkpoint: Any, lower_batch: Any, at: float) -> None:
            base.__init__(self)
            _Acts.__init__(self, checkpoint, lower_batch, at)

    Made.__name__ = Made.__qualname__ = "PressureCallback"
    return Made


class _Acts:
    """What the callback does; Keras calls the methods by their names."""

    model: Any

    def __init__(self, checkpoint: Any, lower_batch: Any, at: float) -> None:
        self.checkpoint, self.lower_batch, self.at = checkpoint, lower_batch, checked(at)
        self.crossings = 0  #: how often memory came near the limit
        self._now: Pressure | None = None
        self._halve = False
        self._watch: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self._stop_watching()  # training that was stopped by an error never said that it ended
        self._watch = Watch(self._note, self.at, self._owes)
        WATCHER.add(self._watch)
        if self.checkpoint is not None:
            tell(kinds.CAN_SAVE, how="outlive.PressureCallback")

    def _owes(self) -> bool:
        """Told, and the batch has not ended yet."""
        return self._now is not None and self.checkpoint is not None

    def _note(self, now: Pressure) -> None:
        self._now = now

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        now = self._now
        if now is None:
            return
        self.crossings += 1
        try:
            with saving():
                saved = self._save()
        finally:
            self._now = None
        if self.lower_batch is True:
            self._stop_watching()
            raise BatchTooLarge(
                f"Stopped after batch {batch}, near the memory limit: {now}.{saved} Continue with a smaller batch_size."
            )
        if hasattr(self.lower_batch, "batch_size"):
            self._halve = True
        elif callable(self.lower_batch):
            self.lower_batch(now)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self._halve:
            self._halve = False
            self.lower_batch.batch_size = max(1, self.lower_batch.batch_size // 2)

    def on_train_end(self, logs: Any = None) -> None:
        self._stop_watching()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _save(self) -> str:
        if self.checkpoint is None:
            return ""
        if callable(self.checkpoint):
            tell_saved(self.checkpoint(self.model), "PressureCallback")
            return " A checkpoint was saved."
        path = os.fspath(self.checkpoint)
        weights = path.endswith((".weights.h5", ".ckpt"))
        (self.model.save_weights if weights else self.model.save)(path)
        return f" A checkpoint was saved in {path}."
