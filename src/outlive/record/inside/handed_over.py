"""Where a dataset is handed to those who read it elsewhere than in the program's own Python: a ``tf.function``, or a strategy of ``tf.distribute``.

They build stages of their own on top before they read, so that the dataset of the program is met only where they get it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

    Instead = Callable[[Any], Any]

DATASETS = "tensorflow.python.data.ops.dataset_ops"
LOOPS = "tensorflow.python.data.ops.dataset_autograph"
STRATEGIES = "tensorflow.python.distribute.distribute_lib"


def where_handed_over(instead: Instead) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported, so that everyone who is handed a dataset gets ``instead(dataset)``."""
    return {
        DATASETS: lambda module: _wrap_arguments(module, instead),
        LOOPS: lambda module: _wrap_loops(module, instead),
        STRATEGIES: lambda module: _wrap_strategies(module, instead),
    }


def _wrap_arguments(module: Any, instead: Instead) -> None:
    """A dataset that is an argument of a ``tf.function``."""
    real = module.DatasetSpec._to_components

    def to_components(spec: Any, dataset: Any) -> Any:
        return real(spec, instead(dataset))

    module.DatasetSpec._to_components = to_components


def _wrap_loops(module: Any, instead: Instead) -> None:
    """``for element in dataset`` inside a ``tf.function``."""
    real = module._tf_ag_dataset_for_stmt

    def for_stmt(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        return real(instead(dataset), *args, **kwargs)

    module._tf_ag_dataset_for_stmt = for_stmt


def _wrap_strategies(module: Any, instead: Instead) -> None:
    """A dataset for several devices or machines."""
    for kind in (module.StrategyBase, module.StrategyV1, module.Strategy):
        real = vars(kind).get("experimental_distribute_dataset")
        if real is not None:
            kind.experimental_distribute_dataset = _distributing(real, instead)


def _distributing(real: Any, instead: Instead) -> Any:
    def experimental_distribute_dataset(
        strategy: Any, dataset: Any, *args: Any, **kwargs: Any
    ) -> Any:
        return real(strategy, instead(dataset), *args, **kwargs)

    experimental_distribute_dataset.__doc__ = real.__doc__
    return experimental_distribute_dataset
