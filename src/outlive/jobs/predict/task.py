"""What the worker of ``outlive.predict`` does: call a function, or a model, with a list of inputs."""

from __future__ import annotations

import importlib
import os
import runpy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready, named

MOST = 500

#: The name under which the user's script is run to find a function in it: its ``if __name__ == "__main__"`` stays shut.
AS_MODULE = "__outlive_main__"


def make(
    budget: int | None = None, path: str = "", function: str = "", script: str = ""
) -> PredictTask:
    """The worker's task; named by the parent."""
    if path:
        return PredictTask(_model(path))
    if script:
        return PredictTask(_attribute(runpy.run_path(script, run_name=AS_MODULE), function))
    return PredictTask(named(function))


class PredictTask:
    """A function over lists of inputs."""

    most = MOST
    room_bytes = None
    facts: Mapping[str, Any] = {}

    def __init__(self, function: Callable[[Sequence[Any]], Any]) -> None:
        self._function = function

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Only inputs of one shape go together."""
        thing = item["item"]
        key = (str(getattr(thing, "dtype", "")), tuple(getattr(thing, "shape", ())))
        return Ready(thing, key, held=int(getattr(thing, "nbytes", 0)))

    def run(self, things: Sequence[Any]) -> list[Any]:
        """One value for each."""
        answer = self._function(list(things))
        if hasattr(answer, "numpy"):
            answer = answer.numpy()
        values = list(answer)
        if len(values) != len(things):
            raise Unfit(
                "shape-mismatch",
                f"The function returned {len(values)} values for {len(things)} inputs; it must return one for each.",
            )
        return values


def _model(path: str) -> Callable[[Sequence[Any]], Any]:
    tf: Any = importlib.import_module("tensorflow")
    numpy: Any = importlib.import_module("numpy")
    if os.path.isdir(path):
        loaded = tf.saved_model.load(path)
        chosen = loaded.signatures[
            "serving_default"
            if "serving_default" in loaded.signatures
            else next(iter(loaded.signatures))
        ]
        _, arguments = chosen.structured_input_signature
        ((name, spec),) = arguments.items()

        def call(things: Sequence[Any]) -> Any:
            batch = tf.cast(tf.convert_to_tensor(numpy.stack(things)), spec.dtype)
            return _split(chosen(**{name: batch}), len(things), loaded)

        return call
    model = tf.keras.models.load_model(path, compile=False)

    def run(things: Sequence[Any]) -> Any:
        return _split(model.predict_on_batch(numpy.stack(things)), len(things), model)

    return run


def _split(answer: Any, count: int, kept: Any) -> list[Any]:
    """The answer for each input; of several outputs a dictionary or a list for each. ``kept`` is only held alive meanwhile."""
    if isinstance(answer, dict):
        names = {name: _array(value) for name, value in answer.items()}
        if len(names) == 1:
            return list(next(iter(names.values())))
        return [{name: value[at] for name, value in names.items()} for at in range(count)]
    if isinstance(answer, (list, tuple)):
        several = [_array(value) for value in answer]
        return [[value[at] for value in several] for at in range(count)]
    return list(_array(answer))


def _array(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def _attribute(names: Mapping[str, Any], function: str) -> Callable[..., Any]:
    first, *rest = function.split(".")
    found = names[first]
    for part in rest:
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]  # the user's own
