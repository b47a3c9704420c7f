"""Run in the user's Python by `outlive plan`: bring a script to where its pipelines are, weigh their stages, and write down what they need.

``python -c … SCRIPT OUTPUT NAME MEMORY ARGUMENTS…``: without NAME the script is run as it is, up to the first element that it reads.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType

from ..machine.host import Host
from ..machine.memory_limit import effective_limit
from ..machine.resident import anonymous_bytes, resident_bytes
from ..notes.describe import frames_of
from ..start.code_owner import own_code
from ..tfdata import datasets as tfdata
from ..tfdata.bound import SHARE, in_words
from ..tfdata.cardinality import count_at_most
from ..tfdata.element_sampling import Sampler
from ..tfdata.fit import fit
from ..tfdata.heap import AT_FIRST, count_the_holes, holds_tensors
from ..tfdata.room import processors
from ..tfdata.stage import bytes_at_most, bytes_beyond, elements_at_most, tuned
from ..tfdata.tf_private import inputs_of, is_dataset, wrap_all_reading, wrap_building

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

    from ..tfdata.stage import Stage

#: One may take one's time: nothing waits for it but a person.
SECONDS = 10.0

#: More pipelines than this are the same one again and again.
MOST_PIPELINES = 8

ROOM_ON_DISK = 1 << 50  #: a plan may always say "to a file"


#: The name that a script has while a dataset of it is looked for.
IMPORTED = "__outlive_plan__"


class Read(BaseException):
    """The program has begun to read a dataset: the plan can be made, and the program goes no further."""


class Known(BaseException):
    """It has begun to read, and what was asked for has its value already; with all names of the script."""


class NoSuchName(Exception):
    """The script has no such variable or function."""


class Built:
    """Every stage that is built, with the line that built it."""

    def __init__(self) -> None:
        self.stages: List[Any] = []
        self.goes_on = (
            False  #: the script was stopped where it began to read; what it does then is not known
        )
        self._places: Dict[int, Tuple[str, int]] = {}

    def watch(self, reading: Callable[[Any, Any], Any]) -> None:
        """From now on. Imports TensorFlow, as the script is about to. Whoever reads a dataset calls ``reading`` with TensorFlow's method and it."""
        __import__("tensorflow")
        wrap_building(self._noting)
        wrap_all_reading(lambda method: lambda dataset: reading(method, dataset))

    def _noting(self, real: Any) -> Any:
        is_own = own_code()

        def init(dataset: Any, *args: Any, **kwargs: Any) -> None:
            real(dataset, *args, **kwargs)
            self.stages.append(dataset)
            for file, line, _ in frames_of(sys._getframe(1)):
                if is_own(file):
                    self._places[id(dataset)] = (file, line)
                    break

        return init

    def place_of(self, stage: Any) -> Optional[Tuple[str, int]]:
        """Find the user's line that made a stage."""
        return self._places.get(id(stage)) or tfdata.line_of(stage)

    def roots(self) -> List[Any]:
        """The datasets that no other one is built on or hides within it, the newest first."""
        used = {id(source) for stage in self.stages for source in inputs_of(stage)}
        used.update(id(value) for stage in self.stages for value in vars(stage).values())
        ends = [stage for stage in reversed(self.stages) if id(stage) not in used]
        return [stage for stage in ends if tfdata.is_eager(stage) and inputs_of(stage)]


def stop(method: Any, dataset: Any) -> None:
    """In place of the method through which every reading goes."""
    raise Read(dataset)


def stop_when_known(script: str, name: str) -> Callable[[Any, Any], Any]:
    """Let the script read until the dataset of this name is there for good: to read on might fill the memory that is to be planned."""
    first = name.partition(".")[0]

    def reading(method: Any, dataset: Any) -> Any:
        frame: Any = sys._getframe(1)
        while frame is not None and not is_script(frame):
            frame = frame.f_back
        known = frame is not None and is_dataset(frame.f_globals.get(first))
        if known and frame.f_lineno >= last_assigned(script, first):
            raise Known(dict(frame.f_globals))
        return method(dataset)

    return reading


def is_script(frame: Any) -> bool:
    """Whether it is the outermost frame of the script."""
    named = frame.f_globals.get("__name__")
    return bool(frame.f_code.co_name == "<module>" and named == IMPORTED)


def last_assigned(script: str, name: str) -> int:
    """The last line outside of functions that gives a name its value."""
    import ast

    with open(script, "rb") as file:
        tree = ast.parse(file.read())
    last, waiting = 0, list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            last = max(last, node.lineno)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return last


def datasets_of(script: str, name: str, arguments: List[str], built: Built) -> List[Any]:
    """Bring the script to where its datasets are: those of the name, or those that a run builds."""
    import runpy

    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    built.watch(stop_when_known(script, name) if name else stop)
    if name:
        try:
            names = runpy.run_path(script, run_name=IMPORTED)
        except Known as reached:
            names = reached.args[0]
        now_we_read()
        value = named(names, name)
        if not flattened(value):
            raise NoSuchName(
                f"does not define a dataset: {name!r} is not a dataset but a {type(value).__name__}"
            )
        return flattened(value)
    read: List[Any] = []
    try:
        runpy.run_path(script, run_name="__main__")
    except Read as reached:
        read = [reached.args[0]]
        built.goes_on = True
    except SystemExit as left:  # it came to its end without reading anything
        if left.code and not built.roots():
            raise  # for want of arguments, say
    now_we_read()
    others = [one for one in built.roots() if one is not (read or [None])[0]]
    return (read + others)[:MOST_PIPELINES]


def now_we_read() -> None:
    """The script has been brought to where it shall be."""
    wrap_all_reading(lambda method: lambda dataset: dataset)


def names_in(names: Dict[str, Any]) -> List[str]:
    """What a script has defined itself, as far as can be said: modules are what it has imported."""
    return sorted(
        name
        for name, value in names.items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    )


def named(names: Dict[str, Any], name: str) -> Any:
    """``dataset``, ``make_dataset`` or ``loader.train``: a value, or what a function without arguments gives."""
    first, *rest = name.split(".")
    if first not in names:
        raise NoSuchName(f"does not define {first!r}", names_in(names))
    value = names[first]
    for attribute in rest:
        if not hasattr(value, attribute):
            raise NoSuchName(f"does not define {name!r}: {first!r} has no {attribute!r}")
        value = getattr(value, attribute)
    if is_dataset(value) or not callable(value):
        return value
    if needs_arguments(value):
        raise NoSuchName(
            f"cannot be asked for {name!r}, which needs arguments: name a function that needs none"
        )
    return value()


def needs_arguments(function: Any) -> bool:
    """Whether it cannot be called as it is; a function that does not tell is tried."""
    import inspect

    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:
        return False
    return False


def flattened(value: Any) -> List[Any]:
    """The datasets in a tuple, list or dictionary, as people return them."""
    if is_dataset(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in flattened(part)]
    return []


def plan_of(dataset: Any, built: Built, room: int) -> Dict[str, Any]:
    """The stages of one pipeline, what each may hold, and what to change."""
    cpus, _ = processors()
    objects, stages = tfdata.walk(dataset)
    Sampler(everything=True, seconds=SECONDS).weigh(objects, stages)
    count_at_most(objects, stages)
    if holds_tensors():
        count_the_holes(stages, AT_FIRST)
    for stage, one in zip(stages, objects):
        stage.place = built.place_of(one)
    rows = [row(stages, position, cpus) for position in range(len(stages))]
    fitted = fit(stages, int(SHARE * room), cpus, ROOM_ON_DISK)
    beyond = bytes_beyond(stages)
    total = sum(one["bytes"] or 0 for one in rows) + beyond
    return {
        "stages": rows,
        "beyond_bytes": beyond,
        "total_bytes": total,
        "unknown": [one["stage"] for one in rows if one["bytes"] is None],
        "ram_budget": fitted.ram_budget,
        "changes": [
            {
                "position": change.position,
                "parameter": change.parameter,
                "before": change.before,
                "after": change.after,
                "says": in_words(stages, change, cpus),
            }
            for change in fitted.changes
        ],
    }


def row(stages: List[Stage], position: int, cpus: int) -> Dict[str, Any]:
    """One stage as plain data."""
    stage = stages[position]
    named = {
        "buffer_size": stage.size,
        "num_parallel_calls": stage.calls,
        "batch_size": stage.batch,
        "cycle_length": stage.cycle if stage.kind == "interleave" else None,
        "block_length": stage.block if stage.kind == "interleave" else None,
    }
    return {
        "stage": stage.title,
        "kind": stage.kind,
        "file": stage.place[0] if stage.place else None,
        "line": stage.place[1] if stage.place else None,
        "parameters": {name: value for name, value in named.items() if value is not None},
        "tuned": tuned(stage),
        "element_bytes": stage.element_bytes,
        "call_bytes": stage.call_bytes,
        "elements": elements_at_most(stages, position, cpus),
        "bytes": bytes_at_most(stages, position, cpus),
    }


def main(script: str, output: str, name: str, memory: str, *arguments: str) -> None:
    """Write the plan; what goes wrong in the script ends this process as it would end the script."""
    built = Built()
    try:
        datasets = datasets_of(script, name, list(arguments), built)
    except NoSuchName as error:
        problem, *known = error.args
        write(output, {"unknown_name": problem, "names": known[0] if known else []})
    except Exception as error:
        show(error)
        sys.exit(1)
    held = (
        anonymous_bytes()
    )  # by the interpreter, TensorFlow, and what the script has loaded; their files can go
    left = effective_limit(Host()).left_bytes or 0
    room = max(0, int(memory) - held) if memory else left
    plans = [plan_of(dataset, built, room) for dataset in datasets]
    write(
        output,
        {
            "resident_bytes": resident_bytes(),
            "held_bytes": held,
            "goes_on": built.goes_on,
            "room_bytes": room,
            "pipelines": plans,
        },
    )


def show(error: BaseException) -> None:
    """As Python would, but from the script on: how it was brought there is nobody's business."""
    import runpy
    import traceback

    hidden = (__file__, runpy.__file__, "<string>", "<frozen runpy>")
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in hidden:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def write(output: str, found: Dict[str, Any]) -> NoReturn:
    """The last act: threads of the script's must not keep this process."""
    with open(output, "w", encoding="utf-8") as file:
        json.dump(found, file)
    sys.stdout.flush()
    os._exit(0)
