"""What a run will need, found out in a child whose Python is the user's: pipelines weighed, models measured at small batches and fitted."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import outlive.inside
from outlive.errors import OutliveError, UsageError, did_you_mean, did_you_mean_path
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import Limit, effective_limit
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: The folder under the name of its own that it has inside a program (see ``sitecustomize``), then the part that was asked for.
BOOT = """
import sys
package = type(sys)("_outlive")
package.__path__ = [sys.argv[1]]
sys.modules["_outlive"] = package
part, words = sys.argv[2], sys.argv[3:]
sys.argv = [""]
__import__("_outlive.plan." + part)
sys.modules["_outlive.plan." + part].main(*words)
"""

#: A peak grows with the batch in a straight line once it is large enough for the tensors to be more than the rest.
BATCHES = (2, 4, 8)

#: The same of the pixels, for a model that takes pictures of any size and always as many at once. At 640 a detector's 18 bytes a pixel are
#: lost among what it takes anyway (7 of 660 MB).
SIDES = (320, 1024, 1920)

#: Names of a script that are listed when another one was asked for.
MOST_NAMES = 12

#: Of the memory there is, so much may be planned for: between two measurements of one model lie some per cent.
SAFE_SHARE = 0.9


#: Of it, so much may be predicted where it is said to fit: the largest errors that were measured were 11 % too little for a pipeline (pictures
#: of many sizes), 15 % for a step of training (docs/figures.md).
VOUCHED_SHARE = 0.8


class PlanFailed(OutliveError):
    """The program or model could not be planned; the message says why."""


class OutOfMemory(PlanFailed):
    """It needs more than the limit already to be planned: that is the answer."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What was found, as plain data, and the limit that it is held against."""

    limit: Limit
    memory_bytes: int | None  #: that was asked for instead
    found: dict[str, Any]

    @property
    def bytes(self) -> int:
        """The memory that there is for the whole program."""
        return self.memory_bytes or self.limit.bytes or 0


def plan_pipelines(
    python: str, script: str, name: str, arguments: Sequence[str], memory: int | None
) -> Plan:
    """The pipelines of a script that is given these arguments, or the one that it calls by this name."""
    found = _ask(python, "pipelines", script, name, str(memory or ""), *arguments)
    if "unknown_name" in found:
        raise UsageError(f"{script} {found['unknown_name']}.", _other_names(script, name, found))
    if not found["pipelines"]:
        raise PlanFailed(
            f"{script} built no tf.data pipeline that could be measured.",
            "Name the dataset, or the function that returns it:  outlive plan script.py:dataset",
        )
    return Plan(effective_limit(Host()), memory, found)


def _other_names(script: str, name: str, found: Mapping[str, Any]) -> str:
    """Suggest what to name instead."""
    known = [str(one) for one in found.get("names", ())]
    if not known:
        return f"For example:  outlive plan {script}:dataset"
    some = ", ".join(known[:MOST_NAMES]) + (" …" if len(known) > MOST_NAMES else "")
    return did_you_mean(name, known, f"It defines: {some}")


def plan_model(
    python: str,
    model: str,
    batch: int | None,
    shape: Sequence[int] | None,
    memory: int | None,
    training: bool,
) -> Plan:
    """A model: measured at small batches, fitted, and measured at the batch that was asked for, if it is likely to fit.

    One that takes always as many inputs at once is measured at small sizes of them, and asked about by its shape.
    """
    plan = Plan(effective_limit(Host()), memory, {})
    modes = ["predict", "train"] if training else ["predict"]
    room = memory or plan.limit.left_bytes or 0
    asked = {
        "modes": modes,
        "batches": list(BATCHES),
        "sides": list(SIDES),
        "shape": list(shape) if shape else None,
        "most": room // 2,
        "batch": batch,
    }
    kills = _kills()
    found = _ask(python, "model", model, json.dumps(asked))
    found["out_of_memory"] = _kills() > kills
    always = (found["shape"] or [None])[0]
    if always is not None and batch not in (None, always):
        raise UsageError(
            f"{model} always takes {always} at once, not a batch of {batch}.",
            "Drop --batch; use --shape 1200,1600,3 for an input of that size.",
        )
    if not any("peak_bytes" in point for point in found["points"]):
        if found["out_of_memory"]:
            return Plan(plan.limit, memory, {**found, "modes": [], "not_loaded": True})
        hint = "Unknown input sides are taken as 224; change that with --shape 320,320,3."
        loaded = found["shape"] is not None
        raise PlanFailed(
            f"{model} could not be {'run' if loaded else 'loaded'}: {found['points'][0].get('error', 'nothing was measured')}",
            hint if loaded else "",
        )
    found["modes"] = [
        fitted
        for mode in modes
        if (fitted := fit_mode(found["points"], mode, plan.bytes, found["shape"]))
    ]
    for fitted in found["modes"]:
        question = _question(fitted, found["shape"], batch, shape)
        if question is not None:
            fitted["asked"] = question
            if question["predicted_bytes"] < SAFE_SHARE * room:
                batches = [question["batch"]]
                asked.update(modes=[fitted["mode"]], batches=batches, sides=[], most=room)
                (point,) = _ask(python, "model", model, json.dumps(asked))["points"]
                question["measured_bytes"] = point.get("peak_bytes")
                question["killed"] = killed(point)
    found["unmeasured"] = [
        mode
        for mode in sorted({point["mode"] for point in found["points"]})
        if not any(point["mode"] == mode and "peak_bytes" in point for point in found["points"])
    ]
    return Plan(plan.limit, memory, found)


def killed(point: Mapping[str, Any]) -> bool:
    """Whether a trial was killed: Linux takes it first where memory is short."""
    return point.get("signal") == signal.SIGKILL


def _kills() -> int:
    """How many processes Linux has killed for want of memory, under the limits of this one."""
    host = Host()
    counts = [host.read_group(group).oom_kills for group in host.memory_groups()]
    return max((count for count in counts if count is not None), default=0)


def _question(
    fitted: dict[str, Any],
    open_shape: Sequence[int | None],
    batch: int | None,
    shape: Sequence[int] | None,
) -> dict[str, Any] | None:
    """What was asked about: a batch, or an input of a size of its own."""
    if fitted["grows_with"] == "batch":
        amount = batch
    else:
        amount = pixels_of(shape, open_shape) if shape else None
        batch = fitted["batch"]
    if amount is None:
        return None
    predicted = int(fitted["base_bytes"] + amount * fitted["bytes_each"])
    return {"batch": batch, "shape": shape, "predicted_bytes": predicted}


def pixels_of(sides: Sequence[int], open_shape: Sequence[int | None]) -> int:
    """How many of what the model leaves open: height by width of a picture, the length of a text."""
    return math.prod(
        side for side, known in zip(sides, open_shape[1:], strict=False) if known is None
    )


def _open_part(open_shape: Sequence[int | None]) -> str:
    """What of an input can be larger: both sides of a picture, or one side of something else."""
    return "pixels" if list(open_shape[1:]).count(None) == 2 else "length"


def fit_mode(
    points: Sequence[dict[str, Any]],
    mode: str,
    limit_bytes: int,
    open_shape: Sequence[int | None] = (None,),
) -> dict[str, Any]:
    """A straight line through the peaks of one mode, and the largest batch (or input) below the limit."""
    seen = [point for point in points if point["mode"] == mode and "peak_bytes" in point]
    if not seen:
        return {}
    by_batch = not open_shape or open_shape[0] is None
    amounts = [
        point["batch"] if by_batch else pixels_of(point["input"][1:], open_shape) for point in seen
    ]
    base, slope = line(
        [(amount, point["peak_bytes"]) for amount, point in zip(amounts, seen, strict=True)]
    )
    if slope < 0:  # nothing but noise
        base, slope = float(max(point["peak_bytes"] for point in seen)), 0.0
    room = VOUCHED_SHARE * limit_bytes - base
    return {
        "mode": mode,
        "grows_with": "batch" if by_batch else _open_part(open_shape),
        "base_bytes": int(base),
        "bytes_each": slope,
        "largest": max(0, int(room // slope)) if slope > 0 else None,
        "batch": None if by_batch else open_shape[0],
        "weights_bytes": seen[-1]["weights_bytes"],
        "optimizer_bytes": seen[-1]["optimizer_bytes"],
        "input": seen[-1]["input"][1:],
    }


def line(points: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The line of least squares: where it begins, and how steep it is."""
    count = len(points)
    middle_x = sum(x for x, _ in points) / count
    middle_y = sum(y for _, y in points) / count
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0
    return middle_y - slope * middle_x, slope


def _ask(python: str, part: str, path: str, *words: str) -> dict[str, Any]:
    """Run one of the parts in the user's Python; what the script prints goes to stderr. No bounded command: it is the user's own script, at the user's terminal."""
    if not os.path.exists(path):
        hint = did_you_mean_path(path, "Give a script, script.py:dataset, or a model.")
        raise UsageError(f"There is no {path}.", hint)
    inside = str(Path(outlive.inside.__file__).parent)
    kills = _kills()
    with tempfile.TemporaryDirectory(prefix="outlive-plan-") as folder:
        output = os.path.join(folder, "plan.json")
        try:
            done = subprocess.run(
                [python, "-c", BOOT, inside, part, path, output, *words],
                stdout=sys.stderr,
                env={"TF_CPP_MIN_LOG_LEVEL": "2", **os.environ},
                check=False,
            )
        except OSError as error:
            raise UsageError(
                f"{python} cannot be run: {error.strerror}.",
                "Give the Python that has the script's packages:  --python .venv/bin/python",
            ) from error
        try:
            found: dict[str, Any] = json.loads(Path(output).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            if done.returncode == -signal.SIGKILL and _kills() > kills:
                raise OutOfMemory(*_out_of_memory(path)) from None
            raise PlanFailed(*_how_it_ended(path, done.returncode)) from None
        return found


def _out_of_memory(path: str) -> tuple[str, str]:
    limit = size(effective_limit(Host()).bytes or 0)
    return (
        f"{path} does not fit: Linux killed it while it was measured (out of memory, limit {limit}).",
        f"Which line took it:  outlive run {path}",
    )


def _how_it_ended(path: str, status: int) -> tuple[str, str]:
    if status < 0:
        name = signal.Signals(-status).name
        return (
            f"{path} was killed by {name} before the plan was ready.",
            f"What killed it:  outlive run {path}",
        )
    return (
        f"{path} ended with status {status} before the plan was ready.",
        "See its output above. Use --python for the Python with its packages; its arguments come last:  outlive plan {path} -- --its arguments",
    )
