"""What was asked for and cannot be done in this program (`--bound`, skipping bad input, trimming the heap): written down with the reason.

Of what acts on TensorFlow only in a program that imports it: others need nothing of it, and nobody is to be told.
"""

from __future__ import annotations

import sys

from ..start.calls import programs_own
from . import kinds
from .describe import masked
from .tf_private import DATASETS

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

    Act = Callable[[Any], None]

#: The name of the feature, as a person is told.
BOUNDING = "--bound"
SKIPPING = "skipping bad input"
TRIMMING = "trimming the heap"

TENSORFLOW = "tensorflow"
LONGEST = 300


class Unloaded:
    """Writes down why, once for each thing."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note
        self._told: Dict[str, bool] = {}

    def tell(self, what: str, why: str) -> None:
        """Write down why something has no effect."""
        if what not in self._told:
            self._told[what] = True
            self._note(kinds.UNLOADED, what=what, why=masked(why, LONGEST))

    def acts_of(self, what: str, load: Callable[[], Dict[str, Act]]) -> Dict[str, Act]:
        """Return what to do after which module was imported; if it cannot be loaded, only what tells so."""
        try:
            acts = load()
        except Exception as error:
            why = reason(error)
            return {TENSORFLOW: lambda module: self.tell(what, why)}
        watched = {name: self._watched(what, act) for name, act in acts.items()}
        return {**watched, TENSORFLOW: lambda module: self._look_for_datasets(what)}

    def _watched(self, what: str, act: Act) -> Act:
        def act_or_tell(module: Any) -> None:
            try:
                act(module)
            except Exception as error:
                if programs_own(error) is None:
                    self.tell(what, reason(error))
                raise

        return act_or_tell

    def _look_for_datasets(self, what: str) -> None:
        """Called when TensorFlow was imported: by then it has imported its module of datasets, if it has one of this name."""
        if DATASETS not in sys.modules:
            self.tell(what, f"this TensorFlow has no {DATASETS}")


def reason(error: BaseException) -> str:
    """Return an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
