"""`outlive run --bound`: fit every pipeline that the program reads to the memory there is, without a change of its code.

Loaded into the program only where it was asked for. Every way of reading a dataset goes through one method of TensorFlow's
(``_apply_debug_options``), which gives the dataset that is really read; loops inside ``tf.function`` and ``tf.distribute`` build their own
stages on top first and are met where they begin. Whatever fails here leaves the program's dataset as it was.
"""

from __future__ import annotations

import _thread
import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

DATASETS = "tensorflow.python.data.ops.dataset_ops"
LOOPS = "tensorflow.python.data.ops.dataset_autograph"
STRATEGIES = "tensorflow.python.distribute.distribute_lib"

#: The attribute of a dataset that was made here.
ROOT = "_outlive_root"


class Switch:
    """The places where datasets are met, and what is done with them there."""

    def __init__(
        self,
        say: Callable[[str], None],
        place_of: Callable[[Any], Optional[Tuple[str, int]]],
        folders: List[str],
    ) -> None:
        self._say = say
        self._place_of = place_of
        self._folders = folders  #: where a cache may go
        self._bounder: Any = None
        self._lock = _thread.allocate_lock()
        self._within = 0  #: the thread that is at it: what it reads meanwhile is ours
        self._said: Dict[str, bool] = {}

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """The modules to wrap when they are imported."""
        return {
            DATASETS: self._wrap_reading,
            LOOPS: self._wrap_loops,
            STRATEGIES: self._wrap_strategies,
        }

    def _wrap_reading(self, module: Any) -> None:
        real, bounded = module.DatasetV2._apply_debug_options, self.bounded

        def apply_debug_options(dataset: Any) -> Any:
            return bounded(real(dataset))

        module.DatasetV2._apply_debug_options = apply_debug_options

    def _wrap_loops(self, module: Any) -> None:
        """``for element in dataset`` inside a ``tf.function``."""
        real, bounded = module._tf_ag_dataset_for_stmt, self.bounded

        def for_stmt(dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return real(bounded(dataset), *args, **kwargs)

        module._tf_ag_dataset_for_stmt = for_stmt

    def _wrap_strategies(self, module: Any) -> None:
        """A dataset that is handed to several devices or machines."""
        for kind in (module.StrategyBase, module.StrategyV1, module.Strategy):
            real = vars(kind).get("experimental_distribute_dataset")
            if real is not None:
                kind.experimental_distribute_dataset = self._distributing(real)

    def _distributing(self, real: Any) -> Any:
        bounded = self.bounded

        def experimental_distribute_dataset(
            strategy: Any, dataset: Any, *args: Any, **kwargs: Any
        ) -> Any:
            return real(strategy, bounded(dataset), *args, **kwargs)

        experimental_distribute_dataset.__doc__ = real.__doc__
        return experimental_distribute_dataset

    def bounded(self, dataset: Any, budget: Optional[int] = None) -> Any:
        """The dataset that is read instead of this one; itself, if anything is in the way. Without a budget, for what there is."""
        if self._within == _thread.get_ident():
            return dataset
        with self._lock:
            self._within = _thread.get_ident()
            try:
                return self._fitted(dataset, budget)
            except Exception as error:
                self._once(f"a pipeline is left as it was ({type(error).__name__}: {error}).")
                return dataset
            finally:
                self._within = 0

    def _fitted(self, dataset: Any, budget: Optional[int]) -> Any:
        from .bounding import SHARE
        from .room import room_for_pipelines
        from .tfdata import library, rests_on

        if rests_on(dataset, ROOT):
            return dataset  # met before: on it a loop or a strategy has built stages of its own
        with library().init_scope():
            if self._bounder is None:
                self._bounder = self._make_bounder()
            if budget is None:
                budget = int(SHARE * room_for_pipelines())
            root = self._bounder.bound(dataset, budget)
        vars(root)[ROOT] = True
        return root

    def _make_bounder(self) -> Any:
        from .bounding import Bounder
        from .room import processors
        from .spilling import Spill

        cpus, quota = processors()
        return Bounder(self._once, self._place_of, Spill(self._folders), cpus, quota)

    def _once(self, text: str) -> None:
        if text not in self._said and len(self._said) < 100:
            self._said[text] = True
            self._say(text)


def say_on_stderr(text: str) -> None:
    """Past whatever the program has made of ``sys.stderr``."""
    try:
        os.write(2, f"outlive: {text}\n".encode("utf-8", "replace"))
    except OSError:
        pass
