"""`outlive plan`: ask a child, show the table, say what to change."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlive.errors import UsageError
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import Limit, effective_limit
from outlive.keep.bound.plans import (
    SAFE_SHARE,
    VOUCHED_SHARE,
    Plan,
    PlanFailed,
    killed,
    plan_model,
    plan_pipelines,
)
from outlive.model.findings import size
from outlive.report.terminal import console_on
from outlive.report.text import visible

#: The exit status where a stage of unknown size may be what does not fit.
UNDECIDED = PlanFailed.exit_code

MODELS = (".keras", ".h5", ".hdf5", ".tflite")


def plan_target(
    target: str | None,
    arguments: Sequence[str],
    *,
    batch: int | None,
    shape: Sequence[int] | None,
    no_train: bool,
    memory: int | None,
    python: str | None,
    as_json: bool,
) -> int:
    """The whole command; returns its exit status."""
    console = console_on(sys.stdout)
    if target is None:
        _tell_the_limit(console, effective_limit(Host()), as_json)
        return 0
    chosen = python or sys.executable
    if target.endswith(MODELS) or os.path.isdir(target):
        if arguments:
            raise UsageError(
                f"A model takes no arguments: {' '.join(arguments)}.", "Give one target at a time."
            )
        plan = plan_model(chosen, target, batch, shape, memory, not no_train)
    else:
        script, _, name = target.rpartition(":") if ":" in target else (target, "", "")
        if not script.endswith(".py"):
            raise UsageError(
                f"{target} is neither a script nor a model.",
                "Give script.py, script.py:dataset, a SavedModel's folder, .keras, .h5 or .tflite.",
            )
        plan = plan_pipelines(chosen, script, name, arguments, memory)
    if as_json:
        print(json.dumps(as_data(target, plan), indent=1))
    elif "pipelines" in plan.found:
        _show_pipelines(console, plan, target.partition(":")[0])
    else:
        _show_model(console, plan)
    return {True: 0, False: 1, None: UNDECIDED}[fits(plan)]


def fits(plan: Plan) -> bool | None:
    """Whether everything fits; ``None`` where what is known does, and not everything is known."""
    if "pipelines" in plan.found:
        answers = [_fits(one, plan) for one in plan.found["pipelines"]]
        answers += [None] if plan.found.get("goes_on") else []
        return False if False in answers else None if None in answers else True
    if plan.found.get("not_loaded"):
        return False
    answers = [_fits_mode(fitted, plan) for fitted in plan.found["modes"]]
    for mode in plan.found.get("unmeasured", ()):
        points = [point for point in plan.found["points"] if point["mode"] == mode]
        answers.append(False if any(map(killed, points)) else None)
    return False if False in answers else None if None in answers else True


def _fits_mode(fitted: dict[str, Any], plan: Plan) -> bool | None:
    """Of a model: whether what was asked about, or else one input, fits with the room that two measurements differ by."""
    most = VOUCHED_SHARE * plan.bytes
    deadly = [
        point["batch"]
        for point in plan.found.get("points", ())
        if point["mode"] == fitted["mode"] and killed(point)
    ]
    if "asked" not in fitted:
        return bool(fitted["largest"] != 0 and fitted["base_bytes"] <= most)
    asked = fitted["asked"]
    if asked.get("killed") or any(batch <= asked["batch"] for batch in deadly):
        return False
    if asked.get("measured_bytes"):
        return bool(asked["measured_bytes"] <= SAFE_SHARE * plan.bytes)
    return bool(asked["predicted_bytes"] <= most)


def _fits(pipeline: dict[str, Any], plan: Plan) -> bool | None:
    """Of one pipeline, beside what the program had taken before it."""
    if pipeline["changes"] or plan.found["held_bytes"] + pipeline["total_bytes"] > plan.bytes:
        return False
    close = plan.found["held_bytes"] + pipeline["total_bytes"] > VOUCHED_SHARE * plan.bytes
    return None if pipeline["unknown"] or close else True


def as_data(target: str, plan: Plan) -> dict[str, Any]:
    """Turn a plan into data for JSON (schema `outlive.plan/1`)."""
    return {
        "schema": "outlive.plan/1",
        "target": target,
        "limit": _limit_data(plan.limit),
        "memory_bytes": plan.bytes,
        "fits": fits(plan),
        **plan.found,
    }


def _limit_data(limit: Limit) -> dict[str, Any]:
    return {
        "bytes": limit.bytes,
        "used_bytes": limit.used_bytes,
        "left_bytes": limit.left_bytes,
        "source": limit.source,
    }


def _tell_the_limit(console: Console, limit: Limit, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"schema": "outlive.plan/1", "limit": _limit_data(limit)}, indent=1))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("bound", "limit", "used"):
        table.add_column(title, justify="left" if title == "bound" else "right")
    for bound in limit.bounds:
        used = size(bound.used_bytes) if bound.used_bytes is not None else "?"
        table.add_row(bound.source, size(bound.bytes), used)
    console.print(table)
    left = size(limit.left_bytes) if limit.left_bytes is not None else "unknown"
    console.print(f"{left} of {size(limit.bytes or 0)} left.")


#: The verdict of a plan: it fits, it does not, or the sizes of some stages are not known in advance.
FITS = {
    True: "The pipeline fits: needs up to",
    False: "Does not fit: needs up to",
    None: "May not fit: needs at least",
}
#: A plan goes no further than the first element: it must not vouch for what comes after.
NOT_COUNTED = "Not counted: what the program needs after its first element (models, training, results it keeps). That is what a rehearsal measures:"
GOES_ON = "Not known whether it fits: needs at least"
TIGHT = "Too close to the limit: needs up to"  # and the program still grows beside the pipeline


def _show_pipelines(console: Console, plan: Plan, script: str) -> None:
    held = plan.found["held_bytes"]
    for number, one in enumerate(plan.found["pipelines"]):
        if number:
            console.print()
        console.print(_stages(one, plan.bytes))
        total = held + one["total_bytes"]
        colours = {True: "bold green", False: "bold red", None: "bold yellow"}
        fits = _fits(one, plan)
        if fits and plan.found.get("goes_on"):
            fits = None
            verdict = GOES_ON
        else:
            verdict = TIGHT if fits is False and total <= plan.bytes else FITS[fits]
        line = Text(
            f"{verdict} {size(total)} (pipeline {size(one['total_bytes'])}, program {size(held)}), "
            f"limit {size(plan.bytes)}"
        )
        console.print(line, style=colours[fits])
        if one["unknown"]:
            unknown = visible(", ".join(one["unknown"]))
            console.print(f"Size unknown in advance, not counted: {unknown}.")
        for change in one["changes"]:
            console.print(Text(visible(_advice(one, change))))
        if fits is not False:
            console.print(NOT_COUNTED, style="dim")
            console.print(f"  outlive rehearse {script}", style="dim", highlight=False)
        if one["changes"]:
            console.print("Or keep the code unchanged:  outlive run --bound …", style="dim")


def _stages(pipeline: dict[str, Any], limit_bytes: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title, right in (
        ("stage", False), ("line", False), ("parameters", False),
        ("element", True), ("holds", True), ("max memory", True), ("% of limit", True),
    ):  # fmt: skip
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for row in pipeline["stages"]:
        file = visible(os.path.basename(row["file"]))
        place = f"{file}:{row['line']}" if file else ""
        parameters = ", ".join(
            f"{name}={_value(value)}" for name, value in row["parameters"].items()
        )
        share = f"{100 * row['bytes'] / limit_bytes:.0f} %" if row["bytes"] and limit_bytes else ""
        element = size(row["element_bytes"]) if row["element_bytes"] is not None else "?"
        held = "" if row["elements"] == 0 else "all" if row["elements"] is None else row["elements"]
        most = "?" if row["bytes"] is None else size(row["bytes"]) if row["bytes"] else ""
        if row["tuned"]:
            most += " and more"
        table.add_row(row["stage"], place, parameters, element, str(held), most, share)
    if pipeline["beyond_bytes"]:
        table.add_row("(in flight)", *[""] * 4, size(pipeline["beyond_bytes"]))
    total = pipeline["total_bytes"]
    share = f"{100 * total / limit_bytes:.0f} %" if limit_bytes else ""
    table.add_row("pipeline", *[""] * 4, size(total), share, style="bold")
    return table


def _value(value: int) -> str:
    return "AUTOTUNE" if value == -1 else str(value)


def _advice(pipeline: dict[str, Any], change: dict[str, Any]) -> str:
    """The stage to change, and to what value."""
    row = pipeline["stages"][change["position"]]
    place = f"{row['file']}:{row['line']}: " if row["file"] else ""
    if change["parameter"] == "disk":
        return f"{place}cache to a file: .cache('somewhere/on/a/disk'), or before the decoding."
    if change["parameter"] == "lean":
        return f"{place}a smaller cycle_length, or fewer elements per file at once."
    name = "num_parallel_calls" if change["parameter"] == "calls" else "buffer_size"
    return f"{place}{row['stage']}({name}={_value(change['after'])}) instead of {_value(change['before'] or 0)}"


#: What a model's memory grows with: the title for one more of it, how many that is, the title for the most of it.
GROWTH = {
    "batch": ("per batch element", 1, "largest batch"),
    "pixels": ("per megapixel", 1_000_000, "largest picture"),
    "length": ("per unit of length", 1, "largest length"),
}


def _show_model(console: Console, plan: Plan) -> None:
    modes = plan.found["modes"]
    if plan.found.get("not_loaded"):
        line = f"Does not fit: the model cannot be loaded within the limit of {size(plan.bytes)} (Linux killed the process that tried)."
        console.print(line, style="bold red")
        return
    grows_with = modes[0]["grows_with"]
    by_batch = grows_with == "batch"
    table = Table(box=None, pad_edge=False, header_style="dim")
    each, factor, largest = GROWTH[grows_with]
    for title in ("", "weights", "optimizer", "base", each, largest):
        table.add_column(title, justify="right" if title else "left")
    for one in modes:
        table.add_row(
            one["mode"],
            size(one["weights_bytes"]),
            size(one["optimizer_bytes"]) if one["optimizer_bytes"] else "",
            size(one["base_bytes"]),
            size(int(one["bytes_each"] * factor)),
            _largest(one),
        )
    console.print(table)
    console.print(f"Measured {_measured(plan)}; limit {size(plan.bytes)}.")
    for one in modes:
        if "asked" in one:
            asked = one["asked"]
            what = asked["batch"] if by_batch else "an input of " + _sides(asked["shape"])
            line = f"{one['mode']} with {what}: {size(asked['predicted_bytes'])} predicted"
            if asked.get("measured_bytes"):
                error = 100 * (asked["predicted_bytes"] / asked["measured_bytes"] - 1)
                line += f", {size(asked['measured_bytes'])} measured ({error:+.0f} %)"
            over = _fits_mode(one, plan) is False
            console.print(line, style="bold red" if over else "bold green")
    for mode in plan.found.get("unmeasured", ()):
        points = [point for point in plan.found["points"] if point["mode"] == mode]
        why = (
            "out of memory (Linux killed it)"
            if any(map(killed, points))
            else points[0].get("error", "")
        )
        console.print(Text(visible(f"{mode}: could not be measured: {why}")), style="bold red")


def _largest(fitted: dict[str, Any]) -> str:
    if fitted["largest"] is None:
        return "?"
    if fitted["grows_with"] == "pixels":
        return f"{fitted['largest'] / 1e6:.1f} megapixels"
    return str(fitted["largest"])


def _measured(plan: Plan) -> str:
    """At which batches, or with which inputs."""
    seen = [point for point in plan.found["points"] if "peak_bytes" in point]
    one = plan.found["modes"][0]
    if one["grows_with"] == "batch":
        batches = ", ".join(map(str, sorted({point["batch"] for point in seen})))
        return f"at batches of {batches} with inputs of {_sides(one['input'])}"
    inputs = dict.fromkeys(_sides(point["input"][1:]) for point in seen)
    return f"with {one['batch']} at once, as this model takes them, of {', '.join(inputs)}"


def _sides(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))
