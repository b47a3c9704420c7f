"""Which checkpoints the program has saved and which it has read, as TensorFlow and Keras do it: whether a death can be gone on after.

Thin wrappers around the few functions that every way of saving leads through. A save that is under way is known to the brake, which
must not leave it half done. Loaded with the first of these modules.
"""

from __future__ import annotations

import os

from ..start.methods import like
from ..start.real import Real
from . import kinds
from .describe import masked
from .tf_private import KERAS_BACKUP, KERAS_BACKUP_SAVES, KERAS_SAVING

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Optional

    from .journal import Journal

#: Threads that save now, each with how often it has begun.
SAVING: Dict[int, int] = {}

#: Callers of which Keras promises that the next start resumes from what they saved.
RESUMES = "BackupAndRestore"


class Checkpoints:
    """Writes down what is saved and what is read."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def wrap(self, name: str, module: Any) -> None:
        """After this module has been imported."""
        if name == KERAS_SAVING:
            for function, place in (("save_model", 1), ("save_weights", 1)):
                self._saves(module, function, place, "Keras")
            for function, place in (("load_model", 0), ("load_weights", 1)):
                self._reads(module, function, place)
        elif name == KERAS_BACKUP:
            self._saves(module.BackupAndRestore, KERAS_BACKUP_SAVES, None, RESUMES)
        else:
            self._saves(module.TrackableSaver, "save", None, "TensorFlow")
            self._reads(module.TrackableSaver, "restore", 1)

    def _saves(self, holder: Any, function: str, place: Optional[int], by: str) -> None:
        real = getattr(holder, function)
        note = self.saved

        @like(real)
        def saving(*args: Any, **kwargs: Any) -> Any:
            begin_saving()
            try:
                result = real(*args, **kwargs)
            finally:
                end_saving()
            try:
                if place is not None:
                    path = args[place] if len(args) > place else kwargs.get("filepath")
                else:
                    path = getattr(args[0], "backup_dir", None) or text_of(result)
                note(path, by)
            except Exception:
                pass
            return result

        setattr(holder, function, saving)

    def _reads(self, holder: Any, function: str, place: int) -> None:
        real = getattr(holder, function)
        journal = self._journal

        @like(real)
        def reading(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            try:
                named = kwargs.get("filepath", kwargs.get("save_path"))
                path = args[place] if len(args) > place else named
                if path:  # TensorFlow takes None for "there is none yet"
                    journal.note(kinds.RESTORED, path=masked(absolute(path)))
            except Exception:
                pass
            return result

        setattr(holder, function, reading)

    def saved(self, path: Any, by: str) -> None:
        """A checkpoint is complete."""
        if path:
            self._journal.note(kinds.SAVED, path=masked(absolute(path)), by=by)

    def begin(self) -> None:
        """A part of Outlive saves in this thread."""
        begin_saving()

    def end(self) -> None:
        """Note that saving has ended, well or badly."""
        end_saving()

    def forked(self) -> None:
        """A child saves nothing of what its parent was saving."""
        SAVING.clear()


def begin_saving() -> None:
    """Note that this thread is saving a checkpoint; calls may nest."""
    me = Real.get_ident()
    SAVING[me] = SAVING.get(me, 0) + 1


def end_saving() -> None:
    """Note that this thread has ended one call that saves a checkpoint."""
    me = Real.get_ident()
    left = SAVING.get(me, 1) - 1
    if left:
        SAVING[me] = left
    else:
        SAVING.pop(me, None)


def is_saving(thread: int) -> bool:
    """Whether this thread is saving now."""
    return thread in SAVING


def text_of(result: Any) -> str:
    """The path that TensorFlow returns, as a tensor or as a text."""
    value = result.numpy() if hasattr(result, "numpy") else result
    return os.fsdecode(value) if isinstance(value, (str, bytes)) else ""


def absolute(path: Any) -> str:
    """As another process finds it; an address of some other file system stays what it is."""
    text = os.fsdecode(os.fspath(path))
    return text if "://" in text else os.path.abspath(text)
