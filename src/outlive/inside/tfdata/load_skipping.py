"""Skip bad elements of the program's pipelines (``outlive.skip_bad``), without a change of its code. Loaded only where it was asked for.

Every way of reading a dataset from Python goes through one method of TensorFlow's, which gives the dataset that is really read; a ``tf.function``
and a strategy are met where they are handed one. Whatever fails here leaves the program's dataset as it was, and says so.
"""

from __future__ import annotations

import os
import sys

from ..notes.describe import in_short
from ..notes.tf_private import DATASETS, inputs_of, wrap_reading
from ..start.real import Real
from .readers import where_handed_over

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

#: What is loaded needs it.
OLDEST = (3, 10)

#: The attribute of a dataset that leads to the one that is read instead.
SKIPPING = "_outlive_skipping"


def load(log: str) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported."""
    if sys.version_info < OLDEST:
        raise RuntimeError("skipping bad elements needs Python 3.10 or later")
    skipping = Skipping(log)
    handed_over = where_handed_over(skipping.instead)

    def wrap_datasets(module: Any) -> None:
        skipping.wrap(module)
        handed_over[DATASETS](module)

    return {**handed_over, DATASETS: wrap_datasets}


class Skipping:
    """Meets datasets where they are read."""

    def __init__(self, log: str) -> None:
        self._log = log
        self._lock = Real.allocate_lock()
        self._within = 0  #: the thread that is at it: what it reads meanwhile is ours

    def wrap(self, module: Any) -> None:
        """Stand before the method through which all are read."""
        instead = self.instead

        def wrapper(real: Any) -> Any:
            def apply_debug_options(dataset: Any) -> Any:
                return real(instead(dataset))

            return apply_debug_options

        wrap_reading(module, wrapper)

    def instead(self, dataset: Any) -> Any:
        """The dataset that is read instead of this one, the same each time; itself, if anything is in the way."""
        if self._within == Real.get_ident():
            return dataset
        with self._lock:
            self._within = Real.get_ident()
            try:
                held = vars(dataset).get(SKIPPING)
                if held is None:
                    if not self._can_be_built_again(dataset):
                        return dataset
                    held = self._skipping(dataset)
                    vars(held)[SKIPPING] = vars(dataset)[SKIPPING] = held
                return held
            except Exception as error:
                say(f"a pipeline is unchanged ({in_short(error)}).")
                return dataset
            finally:
                self._within = 0

    def _can_be_built_again(self, dataset: Any) -> bool:
        """Not what a ``tf.function`` or a strategy has built on one that was met when it was handed over, nor a handle without a story."""
        known = self._module("outlive.inside.tfdata.datasets")
        return (
            not known.is_bare(dataset)
            and bool(known.all_eager(dataset))
            and not rests_on_a_skipping_one(dataset)
        )

    def _skipping(self, dataset: Any) -> Any:
        skip_bad = self._module("outlive.keep.skip.skip_bad").skip_bad
        with sys.modules["tensorflow"].init_scope():
            return skip_bad(dataset, log=self._log)

    def _module(self, name: str) -> Any:
        if name not in sys.modules:
            make_findable()
            __import__(name)
        return sys.modules[name]


def rests_on_a_skipping_one(dataset: Any) -> bool:
    """Whether a dataset, or one before it, is one that is read instead of the program's."""
    return vars(dataset).get(SKIPPING) is dataset or any(
        rests_on_a_skipping_one(one) for one in inputs_of(dataset)
    )


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
