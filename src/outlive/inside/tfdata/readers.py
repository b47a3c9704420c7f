"""Where a dataset is handed to those who read it elsewhere than in the program's own Python: a ``tf.function``, or a strategy of ``tf.distribute``.

They build stages of their own on top before they read, so that the dataset of the program is met only where they get it.
"""

from __future__ import annotations

from ..notes.tf_private import DATASETS, LOOPS, STRATEGIES, wrap_arguments, wrap_loops

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

    from ..notes.tf_private import Wrapper

    Instead = Callable[[Any], Any]


def where_handed_over(instead: Instead) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported, so that everyone who is handed a dataset gets ``instead(dataset)``."""
    return {
        DATASETS: lambda module: wrap_arguments(module, as_argument(instead)),
        LOOPS: lambda module: wrap_loops(module, as_loop(instead)),
        STRATEGIES: lambda module: _wrap_strategies(module, instead),
    }


def as_argument(instead: Instead) -> Wrapper:
    """Wrap TensorFlow's method for a dataset that is an argument of a ``tf.function``."""

    def wrapper(real: Any) -> Any:
        def to_components(spec: Any, dataset: Any) -> Any:
            return real(spec, instead(dataset))

        return to_components

    return wrapper


def as_loop(instead: Instead) -> Wrapper:
    """Wrap TensorFlow's function for ``for element in dataset`` inside a ``tf.function``."""

    def wrapper(real: Any) -> Any:
        def for_stmt(dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return real(instead(dataset), *args, **kwargs)

        return for_stmt

    return wrapper


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
