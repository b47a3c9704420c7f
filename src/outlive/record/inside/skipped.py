"""Skip bad elements of the program's pipelines (``outlive.skip_bad``), without a change of its code. Loaded only where it was asked for.

Every way of reading a dataset from Python goes through one method of TensorFlow's, which gives the dataset that is really read. Whatever fails
here leaves the program's dataset as it was, and says so.
"""

from __future__ import annotations

import _thread
import os
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

DATASETS = "tensorflow.python.data.ops.dataset_ops"

#: What is loaded needs it.
OLDEST = (3, 10)

#: The attribute of a dataset that leads to the one that is read instead.
SKIPPING = "_outlive_skipping"


def load(log: str) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported."""
    if sys.version_info < OLDEST:
        raise RuntimeError("Python 3.10 or later is needed to skip bad elements")
    return {DATASETS: Skipping(log).wrap}


class Skipping:
    """Meets datasets where they are read."""

    def __init__(self, log: str) -> None:
        self._log = log
        self._lock = _thread.allocate_lock()
        self._within = 0  #: the thread that is at it: what it reads meanwhile is ours
        self._skip_bad: Any = None

    def wrap(self, module: Any) -> None:
        """Stand before the method through which all are read."""
        real, instead = module.DatasetV2._apply_debug_options, self.instead

        def apply_debug_options(dataset: Any) -> Any:
            return real(instead(dataset))

        module.DatasetV2._apply_debug_options = apply_debug_options

    def instead(self, dataset: Any) -> Any:
        """The dataset that is read instead of this one, the same each time; itself, if anything is in the way."""
        if self._within == _thread.get_ident():
            return dataset
        with self._lock:
            self._within = _thread.get_ident()
            try:
                held = vars(dataset).get(SKIPPING)
                if held is None:
                    held = self._skipping(dataset)
                    vars(held)[SKIPPING] = vars(dataset)[SKIPPING] = held
                return held
            except Exception as error:
                say(f"a pipeline is left as it was ({type(error).__name__}: {error})."[:300])
                return dataset
            finally:
                self._within = 0

    def _skipping(self, dataset: Any) -> Any:
        if self._skip_bad is None:
            make_findable()
            name = "outlive.keep.skipping"
            __import__(name)
            self._skip_bad = sys.modules[name].skip_bad
        return self._skip_bad(dataset, log=self._log)


def make_findable() -> None:
    """The program's Python may not have Outlive: it is then found where the recorder lies."""
    try:
        __import__("outlive")
    except ImportError:
        package = type(sys)("outlive")
        inside = os.path.dirname(os.path.abspath(__file__))
        package.__path__ = [os.path.dirname(os.path.dirname(inside))]
        sys.modules["outlive"] = package


def say(text: str) -> None:
    """Past whatever the program has made of ``sys.stderr``."""
    try:
        os.write(2, f"outlive: {text}\n".encode("utf-8", "replace"))
    except OSError:
        pass
