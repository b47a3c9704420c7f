"""`outlive shrink`: a detector as a LiteRT file, checked against TensorFlow on pictures before anybody may use it."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from outlive.detection.boxes import largest_difference
from outlive.detection.inputs import inputs_from, is_video
from outlive.detection.models.litert_runtime import BESIDE
from outlive.detection.settings import Settings, need_litert
from outlive.errors import OutliveError, UsageError
from outlive.jobs.endure import endure
from outlive.jobs.executor import TaskName
from outlive.jobs.fingerprint import fingerprint
from outlive.jobs.local_executor import LocalExecutor
from outlive.jobs.results_journal import replace_file
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.store import run_folders

#: The largest difference of a score that is let through, by kind.
TOLERANCES = {"float32": 0.001, "float16": 0.01, "int8": 0.15, "pruned": 0.15}

#: Objects that are compared.
FLOOR = 0.1

MOST_SAMPLES = 24
MADE_SAMPLES = ((320, 240), (640, 480), (500, 375), (480, 640))

#: A conversion may take long; it says nothing on the way.
SECONDS_TO_CONVERT = 3600.0


class Differs(OutliveError):
    """The converted model does not answer as the original does."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One model on the samples."""

    bytes: int
    peak_bytes: int
    seconds: float  #: for each picture


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A conversion that passed."""

    path: str
    kind: str
    before: Measured
    after: Measured
    largest_difference: float
    tolerance: float
    samples: int
    objects: int  #: that were compared


def cached_path(model: str, kind: str) -> str:
    """Where the conversion of a model is kept."""
    return os.path.join(run_folders.home(), "shrunk", f"{fingerprint(model)}-{kind}.tflite")


def is_checked(path: str) -> bool:
    """Whether there is such a conversion, and it passed."""
    try:
        with open(path + BESIDE, encoding="utf-8") as file:
            return os.path.exists(path) and "checked" in json.load(file)
    except (OSError, ValueError):
        return False


def shrink(
    model: str,
    kind: str,
    target: str,
    *,
    calibration: Sequence[str] = (),
    samples: Sequence[str] = (),
    tolerance: float | None = None,
    sparsity: float = 0.5,
    pixels: str = "0..255",
) -> Shrunk:
    """Convert, compare, and only then put it where it was asked for."""
    need_litert()
    folder = os.path.dirname(os.path.abspath(target))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".shrink-") as work:
        chosen = _pictures(calibration)
        if kind == "int8" and not chosen:
            raise UsageError("There is no picture to calibrate with.", "--calibrate photos/")
        order = {
            "model": os.path.abspath(model),
            "target": os.path.join(work, "model.tflite"),
            "kind": kind,
            "calibration": chosen,
            "sparsity": sparsity,
            "pixels": pixels,
        }
        conversions = _converted(order)
        allowed = TOLERANCES[kind] if tolerance is None else tolerance
        with _samples(samples or calibration) as pictures:
            made, shrunk = _first_that_agrees(
                model, kind, target, conversions, pictures, pixels, allowed
            )
        checked = {
            "schema": "outlive.shrunk/1",
            "suppression": conversions["suppression"],
            "made_of": fingerprint(model),
            "checked": asdict(shrunk),
        }
        replace_file(made + BESIDE, json.dumps(checked, indent=1))
        os.replace(made, target)
        os.replace(made + BESIDE, target + BESIDE)
    return shrunk


def _first_that_agrees(
    model: str,
    kind: str,
    target: str,
    conversions: Mapping[str, Any],
    pictures: Sequence[str],
    pixels: str,
    allowed: float,
) -> tuple[str, Shrunk]:
    """Compare each conversion with the original on the pictures; the first whose scores are within the tolerance."""
    before, old = _measured(model, "tf", pictures, pixels)
    objects = sum(len(value["detections"]) for value in before.values())
    if not objects:
        raise Differs(
            f"The original finds nothing in the {len(pictures)} pictures used for comparison, so it is not known whether both give the same results.",
            "Give pictures with objects in them:  outlive shrink MODEL --samples photos/",
        )
    beside = json.dumps({"suppression": conversions["suppression"]})
    apart = 0.0
    for made in conversions["paths"]:
        replace_file(made + BESIDE, beside)
        after, new = _measured(made, "litert", pictures, pixels)
        apart = largest_difference(before, after, FLOOR)
        if apart <= allowed:
            rounded = round(apart, 6)
            return made, Shrunk(target, kind, old, new, rounded, allowed, len(before), objects)
    raise Differs(
        f"The {kind} model differs from the original by {apart:.4f} in a score; the tolerance is {allowed}.",
        "Try another --to, calibrate with pictures of your own, or allow more with --tolerance.",
    )


def _converted(order: Mapping[str, Any]) -> Mapping[str, Any]:
    task = TaskName(
        "outlive.detection.models.conversion:make",
        {},
        ("tensorflow", "outlive.detection.models.conversion"),
    )
    job = LocalExecutor(task, [order], deadline=SECONDS_TO_CONVERT)
    for answers in endure(job, None, lambda item: str(item["model"])):
        for one in answers:
            if not one.good:
                first = one.says.strip().splitlines()[0][:400]
                raise OutliveError(
                    f"The model cannot be converted: {first}  [{one.cause}]",
                    "It can still be run with TensorFlow:  outlive detect --runtime tf",
                )
            found: Mapping[str, Any] = one.value
            return found
    raise OutliveError("The conversion was stopped.")


def _measured(
    model: str, runtime: str, pictures: Sequence[str], pixels: str
) -> tuple[dict[str, Any], Measured]:
    settings = Settings(model, runtime=runtime, min_score=FLOOR, pixels=pixels, batch=1)
    job = LocalExecutor(
        settings.task(), [{"path": path, "name": path} for path in pictures], most=1
    )
    values = {
        one.name: one.value
        for answers in endure(job, None, lambda item: str(item["path"]))
        for one in answers
        if one.good
    }
    progress = job.progress
    seconds = progress.busy_seconds / max(1, progress.busy_inputs)
    return values, Measured(_bytes_of(model), progress.peak_bytes, seconds)


def _bytes_of(model: str) -> int:
    if not os.path.isdir(model):
        return os.path.getsize(model)
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(model)
        for name in names
    )


def _pictures(words: Sequence[str]) -> list[str]:
    return [path for path in inputs_from(words) if not is_video(path)] if words else []


@contextmanager
def _samples(words: Sequence[str]) -> Iterator[list[str]]:
    """Some of the given pictures, spread over all; or made ones, where none are given."""
    given = _pictures(words)
    if given:
        step = max(1, len(given) // MOST_SAMPLES)
        yield given[::step][:MOST_SAMPLES]
        return
    folder = tempfile.mkdtemp(prefix="outlive-samples-")
    try:
        yield _made(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _made(folder: str) -> list[str]:
    """Coarse noise and shapes: not what the model was made for, but it answers to them."""
    image: Any = importlib.import_module("PIL.Image")
    draw: Any = importlib.import_module("PIL.ImageDraw")
    noise = random.Random(0)
    paths = []
    for number, side in enumerate(MADE_SAMPLES * 3):
        small = image.new("RGB", (16, 12))
        small.putdata([tuple(noise.randrange(256) for _ in range(3)) for _ in range(192)])
        picture = small.resize(side, image.Resampling.BICUBIC)
        pen = draw.Draw(picture)
        for _ in range(number):
            x, y = noise.randrange(side[0]), noise.randrange(side[1])
            colour = tuple(noise.randrange(256) for _ in range(3))
            pen.ellipse((x, y, x + side[0] // 4, y + side[1] // 3), fill=colour)
        paths.append(os.path.join(folder, f"{number}.png"))
        picture.save(paths[-1])
    return paths
