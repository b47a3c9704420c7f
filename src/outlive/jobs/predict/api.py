"""``outlive.predict``: results as they come, whatever the model dies of."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from outlive.errors import UsageError, did_you_mean_path
from outlive.jobs.endure import Answer, endure
from outlive.jobs.executor import Executor, TaskName
from outlive.jobs.fingerprint import fingerprint
from outlive.jobs.leases.cut import leases_of
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.local_executor import DEADLINE, PATIENCE, LocalExecutor
from outlive.jobs.predict.plain import from_plain, to_plain
from outlive.jobs.ray.cluster import address_of
from outlive.jobs.ray.executor import RayExecutor
from outlive.jobs.results_journal import Journal
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass

WORDS_OF_A_NAME = 120

#: Inputs that an actor is handed at once.
LEASE = 16

#: Of a .keras file: the part that differs each time that it is saved.
SAVED_WHEN = "metadata.json"


@dataclass(frozen=True, slots=True)
class Predicted:
    """One input and what became of it."""

    index: int  #: its place among the inputs
    item: Any
    value: Any = None
    verdict: Verdict | None = None  #: why there is no value

    @property
    def good(self) -> bool:
        """Whether there is a value."""
        return self.verdict is None


def predict(
    model: str | Callable[..., Any] | Any,
    inputs: Iterable[Any],
    *,
    batch: int = 32,
    memory: int | None = None,
    deadline: float | None = None,
    out: str | None = None,
    resume: bool = False,
    on: str = "local",
) -> Iterator[Predicted]:
    """Run a model over inputs in a worker; yield each input with its value, or with the verdict on the worker that died of it.

    ``model``: a function that takes a list of inputs and returns as many values (or its name, ``"module:function"``), the path of a
    SavedModel or Keras file, or a Keras model. A function is called in another process: what it needs must be importable there, or
    stand in the script that defines it. ``out`` keeps the results in a folder; with ``resume`` those that are there already are
    yielded first and not worked out again. The order is that in which they are done; ``index`` says where each belongs. ``on``: ``"ray"``
    or ``"ray:HOST:PORT"`` for actors on all nodes of a Ray cluster; a model is sent there, and a function must be importable there.
    """
    with tempfile.TemporaryDirectory(prefix="outlive-predict-") as folder:
        task, identity = _task(model, folder)
        journal = Journal(out, {"model": identity}, resume) if out is not None else None
        try:
            yield from _predicted(task, inputs, journal, batch, memory, deadline, on)
        finally:
            if journal is not None:
                journal.close()


def _predicted(
    task: TaskName,
    inputs: Iterable[Any],
    journal: Journal | None,
    batch: int,
    memory: int | None,
    deadline: float | None,
    on: str,
) -> Iterator[Predicted]:
    known = dict(_known(journal)) if journal is not None else {}
    waiting: dict[int, Any] = {}
    earlier: list[Predicted] = []

    def items() -> Iterator[dict[str, Any]]:
        for index, item in enumerate(inputs):
            if index in known:
                earlier.append(Predicted(index, item, known.pop(index)))
            else:
                waiting[index] = item
                yield {"index": index, "item": item}

    terms = Terms(
        task,
        _name,
        _path_of,
        most=batch,
        deadline=deadline or DEADLINE,
        patience=PATIENCE if deadline is None else 1.0,
        budget=memory,
    )
    job = _on_this_machine(terms, items()) if on == "local" else _on_ray(terms, items(), on)
    encoded = journal is not None
    for answers in endure(
        job,
        journal,
        _name,
        _path_of,
        to_plain if encoded else None,
    ):
        while earlier:
            yield earlier.pop(0)
        for one in answers:
            index = int(one.name.partition(" ")[0])
            yield _made(index, waiting.pop(index), one)
    yield from earlier


def _on_this_machine(terms: Terms, items: Iterator[dict[str, Any]]) -> Executor:
    return LocalExecutor(
        terms.task,
        items,
        most=terms.most,
        deadline=terms.deadline,
        patience=terms.patience,
        budget=terms.budget,
    )


def _on_ray(terms: Terms, items: Iterator[dict[str, Any]], on: str) -> Executor:
    files = {name: terms.task.arguments.get(name, "") for name in ("path", "script")}
    parcels = {name: path for name, path in files.items() if path}
    return RayExecutor(terms, leases_of(items, _name, LEASE), address_of(on), parcels=parcels)


def _made(index: int, item: Any, answer: Answer) -> Predicted:
    return Predicted(index, item, answer.value, answer.verdict)


def _known(journal: Journal) -> Iterator[tuple[int, Any]]:
    for record in journal.records():
        for name, value in record["done"]:
            yield int(name.partition(" ")[0]), from_plain(value)


def _name(item: dict[str, Any]) -> str:
    """Its place, and what it is, as far as that can be said in a line."""
    thing = item["item"]
    words = thing if isinstance(thing, str) else f"{type(thing).__name__}"
    return f"{item['index']} {words[:WORDS_OF_A_NAME]}"


def _path_of(item: dict[str, Any]) -> str:
    thing = item["item"]
    return str(thing) if isinstance(thing, (str, os.PathLike)) and os.path.isfile(thing) else ""


def _task(model: Any, folder: str) -> tuple[TaskName, str]:
    """What the worker loads, and a name by which a job is known again."""
    arguments: dict[str, Any]
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        if os.path.exists(path):
            arguments, heavy = {"path": os.path.abspath(path)}, True
            identity = fingerprint(path)
        elif ":" in path:
            arguments, heavy, identity = {"function": path}, _uses_tensorflow(), path
        else:
            raise UsageError(
                f"There is no model at {path!r}.",
                did_you_mean_path(path, "Give a path, or 'module:function' for a function."),
            )
    elif hasattr(model, "save") and hasattr(model, "predict"):
        path = os.path.join(folder, "model.keras")
        model.save(path)
        arguments, heavy = {"path": path}, True
        identity = _of_keras(path)
    elif callable(model):
        arguments, identity = _of_function(model)
        heavy = _uses_tensorflow()
    else:
        raise UsageError(
            f"{type(model).__name__} is neither a model nor a function.",
            "Give a path, a Keras model, a function or 'module:function'.",
        )
    imports = ("tensorflow", "numpy") if heavy else ()
    return (
        TaskName(
            "outlive.jobs.predict.task:make",
            arguments,
            (*imports, "outlive.jobs.predict.task", "outlive.jobs.worker"),
        ),
        identity,
    )


def _of_keras(path: str) -> str:
    """A model that was saved just now, without the time at which that was."""
    found = hashlib.sha256()
    with zipfile.ZipFile(path) as archive:
        for name in sorted(set(archive.namelist()) - {SAVED_WHEN}):
            found.update(name.encode())
            with archive.open(name) as file:
                while data := file.read(1 << 20):
                    found.update(data)
    return found.hexdigest()[:16]


def _of_function(function: Callable[..., Any]) -> tuple[dict[str, Any], str]:
    """How another process finds a function: by its module, or by the script that it stands in."""
    name = getattr(function, "__qualname__", "")
    module = getattr(function, "__module__", "")
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if "<" in name or not name:
        reason = "a lambda, or a function inside another one"
    elif module != "__main__":
        return {"function": f"{module}:{name}"}, f"{module}:{name}"
    elif script is None:
        reason = "typed into a notebook or a console"
    else:
        path = os.path.abspath(script)
        return {"script": path, "function": name}, f"{path}:{name}"
    raise UsageError(
        f"The function {name or function!r} cannot be found by another process: it is {reason}.",
        "Put it at the top level of a module and import it from there.",
    )


def _uses_tensorflow() -> bool:
    """Whether it pays to import it once, for all workers."""
    return "tensorflow" in sys.modules and importlib.util.find_spec("tensorflow") is not None
