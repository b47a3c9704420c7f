"""What `outlive.bound` costs, and how well `outlive plan` predicts.

    python bench/bound.py [--rounds 5] [--speeds] [--pipelines] [--models [FOLDER]]

Six pipelines that hold 0.1 to 1.3 GB are read plain and bounded, each way in a process of its own, in turn; the ratio is plain by bounded, of the
same round, so 1 is as fast and more is faster. First under one limit at which the plain one lives: cgroups of what the program takes and twice the
pipeline's measured peak, where `outlive.bound` is told nothing. Then what it costs to live in 300 MB, where
the plain one, which has no limit here, would be killed. Their peaks, and those of models at a batch that was not measured for the fit, are held
against what `outlive plan` said beforehand; a SavedModel of yours in FOLDER is one more.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "demo"))

from limited import enter, memory_group, parent_group

PROGRAM = Path(__file__).parent / "workloads" / "pipelines.py"
PIPELINES = ("shuffle_heavy", "prefetch_heavy", "parallel_map", "interleaved", "cached", "ragged_photos")  # fmt: skip

#: Below what five of the six take.
SMALL = "300MB"

#: The limit below which both are read again and again, by the plain pipeline's peak. With 1.2 of it the plain one was killed the second time,
#: by the holes that the first had left in malloc's heap.
LIMIT = 2.0

#: Not among those that `outlive plan` measures.
BATCH = 24
PICTURE = "1200,1600,3"

#: Never downloaded: their weights are made up.
MODELS = {
    "MobileNetV2": "keras.applications.MobileNetV2(weights=None)",
    "EfficientNetB0": "keras.applications.EfficientNetB0(weights=None)",
    "detector": """keras.Sequential([
        keras.layers.Input((320, 320, 3)),
        *[layer for filters in (16, 32, 64, 128) for layer in (
            keras.layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu"),
            keras.layers.Conv2D(filters, 3, padding="same", activation="relu"))],
        keras.layers.Conv2D(9 * (4 + 20), 1), keras.layers.Reshape((-1, 24))])""",
}


def child(*words: str, before: Callable[[], None] | None = None) -> Any:
    done = subprocess.run(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        check=False,
        env=quiet(),
        preexec_fn=before,
    )
    lines = done.stdout.decode().strip().splitlines()
    return json.loads("\n".join(lines)) if lines else {}


def quiet() -> dict[str, str]:
    return {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}


@functools.cache
def peak_of(name: str) -> dict[str, int]:
    found: dict[str, int] = child(str(PROGRAM), "peak", name)
    return found


def speeds_where_the_plain_one_lives(rounds: int) -> None:
    if parent_group() is None:
        print("No cgroup can be made here: nothing is said of limits at which the plain ones live.")  # fmt: skip
        return
    print(header("plain and bounded below one limit"))
    for name in PIPELINES:
        peak = peak_of(name)
        limit = (peak["program_bytes"] + int(LIMIT * peak["peak_bytes"])) // 1_000_000
        with memory_group(limit) as one, memory_group(limit) as other:
            groups = {"plain": one, "bounded": other}
            starts = {way: functools.partial(enter, group) for way, group in groups.items()}
            found = in_turn(name, rounds, None, starts)
        print(ratios(f"{name}, {limit} MB", found), flush=True)


def speeds_in_little(rounds: int) -> None:
    print("\n" + header(f"plain without a limit, fitted to {SMALL}"))
    for name in PIPELINES:
        print(ratios(name, in_turn(name, rounds, SMALL, {})), flush=True)


def in_turn(
    name: str, rounds: int, memory: str | None, starts: Mapping[str, Callable[[], None]]
) -> dict[str, list[list[float]]]:
    """Wall and processor seconds of each round; nothing when one of the two was killed."""
    found: dict[str, list[list[float]]] = {"plain": [], "bounded": []}
    with contextlib.ExitStack() as stack:
        processes = {}
        for way in found:
            words = [str(PROGRAM), "rate", name, way, *([memory] if memory else [])]
            process = subprocess.Popen(
                [sys.executable, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=quiet(),
                preexec_fn=starts.get(way),
            )
            processes[way] = stack.enter_context(process)
            stack.callback(process.kill)
        if not all(answered(process) for process in processes.values()):
            return {}
        for number in range(rounds):
            for way in sorted(found, reverse=bool(number % 2)):
                line = answered(processes[way], "read it\n")
                if not line:
                    return {}
                found[way].append(json.loads(line))
    return found


def answered(process: subprocess.Popen[str], asked: str = "") -> str:
    """What it prints next; nothing when it was killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(asked)
        process.stdin.flush()
    return process.stdout.readline()


def header(title: str) -> str:
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"| {title}, {load} | plain, s | wall ratio | CPU ratio |\n|---|---|---|---|"


def ratios(title: str, found: dict[str, list[list[float]]]) -> str:
    title = title.replace("_", " ")
    if not found:
        return f"| {title} | was killed | | |"
    pairs = list(zip(found["plain"], found["bounded"], strict=True))
    columns = [spread([plain[at] / bounded[at] for plain, bounded in pairs]) for at in (0, 1)]
    seconds = statistics.median(plain[0] for plain, _ in pairs)
    return f"| {title} | {seconds:.2f} | {' | '.join(columns)} |"


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def pipelines() -> None:
    print("\n| pipeline | predicted MB | measured MB | error |\n|---|---|---|---|")
    for name in PIPELINES:
        plan = child("-m", "outlive", "plan", f"{PROGRAM}:{name}", "--json")
        predicted = plan["pipelines"][0]["total_bytes"]
        print(f"| {name.replace('_', ' ')} | {row(predicted, peak_of(name)['peak_bytes'])} |", flush=True)  # fmt: skip


def models(own: str) -> None:
    print(f"\n| model, batch {BATCH} | predicted MB | measured MB | error |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, recipe in MODELS.items():
            path = f"{folder}/{name}.keras"
            subprocess.run(
                [sys.executable, "-c", f"import keras\n({recipe}).save({path!r})"],
                check=True, env=quiet(), stderr=subprocess.DEVNULL,
            )  # fmt: skip
            model(name, path)
    if own:
        model(Path(own).name, own)


def model(name: str, path: str) -> None:
    plan = child("-m", "outlive", "plan", path, "--batch", str(BATCH), "--json")
    if not plan:  # it takes one picture at a time
        plan = child("-m", "outlive", "plan", path, "--shape", PICTURE, "--json")
    for fitted in plan["modes"]:
        asked = fitted["asked"]
        figures = row(asked["predicted_bytes"], asked.get("measured_bytes"))
        print(f"| {name}, {fitted['mode']} | {figures} |", flush=True)


def row(predicted: int, measured: int | None) -> str:
    if not measured:
        return f"{predicted / 1e6:.0f} | | |"
    error = 100 * (predicted / measured - 1)
    return f"{predicted / 1e6:.0f} | {measured / 1e6:.0f} | {error:+.0f} %"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--speeds", action="store_true", help="only how fast they are")
    parser.add_argument("--pipelines", action="store_true", help="only what plan says of pipelines")
    parser.add_argument(
        "--models", nargs="?", const="", metavar="FOLDER", help="only what plan says of models"
    )
    arguments = parser.parse_args()
    asked = (arguments.speeds, arguments.pipelines, arguments.models is not None)
    speeds, peaks, of_models = asked if any(asked) else (True, True, True)
    if speeds:
        speeds_where_the_plain_one_lives(arguments.rounds)
        speeds_in_little(arguments.rounds)
    if peaks:
        pipelines()
    if of_models:
        models(arguments.models or "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
