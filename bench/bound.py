"""What `outlive.bound` costs, and how well `outlive plan` predicts.

    python bench/bound.py [--rounds 5] [--pipelines] [--models]

Six pipelines that hold 0.4 to 1.3 GB are read plain and fitted to 300 MB, in turn in one process; the ratio is plain by bounded, of the same
round, so 1 is as fast and more is faster. Their peaks, and those of three models at batches that were not measured for the fit, are held
against what `outlive plan` said beforehand.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "workloads" / "pipelines.py"
PIPELINES = ("shuffle_heavy", "prefetch_heavy", "parallel_map", "interleaved", "cached", "ragged_photos")  # fmt: skip

#: Not among those that `outlive plan` measures.
BATCH = 24

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


def child(*words: str) -> Any:
    done = subprocess.run(
        [sys.executable, *words], stdout=subprocess.PIPE, check=False, env=quiet()
    )
    lines = done.stdout.decode().strip().splitlines()
    return json.loads("\n".join(lines)) if lines else {}


def quiet() -> dict[str, str]:
    return {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}


def speeds(rounds: int) -> None:
    print(
        f"| fitted to 300 MB, load {os.getloadavg()[0]:.1f} | plain, s | wall ratio | CPU ratio |\n|---|---|---|---|"
    )
    for name in PIPELINES:
        found = child(str(PROGRAM), "rate", name, str(rounds))
        pairs = list(zip(found["plain"], found["bounded"], strict=True))
        columns = [spread([plain[at] / bounded[at] for plain, bounded in pairs]) for at in (0, 1)]
        seconds = statistics.median(plain[0] for plain, _ in pairs)
        print(f"| {name.replace('_', ' ')} | {seconds:.2f} | {' | '.join(columns)} |", flush=True)


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def pipelines() -> None:
    print("\n| pipeline | predicted MB | measured MB | error |\n|---|---|---|---|")
    for name in PIPELINES:
        plan = child("-m", "outlive", "plan", f"{PROGRAM}:{name}", "--json")
        predicted = plan["pipelines"][0]["total_bytes"]
        measured = child(str(PROGRAM), "peak", name)["peak_bytes"]
        print(f"| {name.replace('_', ' ')} | {row(predicted, measured)} |", flush=True)


def models() -> None:
    print(f"\n| model, batch {BATCH} | predicted MB | measured MB | error |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, recipe in MODELS.items():
            path = f"{folder}/{name}.keras"
            subprocess.run(
                [sys.executable, "-c", f"import keras\n({recipe}).save({path!r})"],
                check=True, env=quiet(), stderr=subprocess.DEVNULL,
            )  # fmt: skip
            plan = child("-m", "outlive", "plan", path, "--batch", str(BATCH), "--json")
            for fitted in plan["fits"]:
                asked = fitted["asked"]
                figures = row(asked["predicted_bytes"], asked["measured_bytes"])
                print(f"| {name}, {fitted['mode']} | {figures} |", flush=True)


def row(predicted: int, measured: int) -> str:
    error = 100 * (predicted / measured - 1)
    return f"{predicted / 1e6:.0f} | {measured / 1e6:.0f} | {error:+.0f} %"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pipelines", action="store_true", help="only what plan says of pipelines")
    parser.add_argument("--models", action="store_true", help="only what plan says of models")
    arguments = parser.parse_args()
    everything = not arguments.pipelines and not arguments.models
    if everything:
        speeds(arguments.rounds)
    if everything or arguments.pipelines:
        pipelines()
    if everything or arguments.models:
        models()
    return 0


if __name__ == "__main__":
    sys.exit(main())
