"""`outlive detect` with a real TensorFlow, a small detector, and pictures that kill it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow.parquet
import pytest
from PIL import Image

from conftest import Outlive
from kill_storm import detect_command, make_pictures, weather, wrong
from small_detectors import DIVERGES, LEAKS, PASSWORD, TOKEN

pytestmark = [pytest.mark.tf, pytest.mark.timeout(900)]

HERE = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def detectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, in a process of its own."""
    folder = tmp_path_factory.mktemp("detectors")
    subprocess.run(
        [sys.executable, str(HERE / "helpers/small_detectors.py"), str(folder)],
        capture_output=True,
        timeout=300,
        check=True,
    )
    return folder


RESIZES = """
import sys
import tensorflow as tf
from outlive.detection.models.tensorflow_runtime import TensorFlowDetector

class Detector(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3], tf.uint8)])
    def __call__(self, pictures):
        small = tf.map_fn(lambda one: tf.image.resize(one, [96, 128]), tf.cast(pictures, tf.float32))
        layer = tf.image.resize(tf.nn.avg_pool2d(tf.tile(small, [1, 1, 1, 2]), 8, 8, "VALID"), [72, 72])
        count = tf.shape(pictures)[0]
        score = tf.reduce_mean(layer, [1, 2, 3])[:, None] / 255
        return {"detection_boxes": tf.zeros([count, 1, 4]), "detection_scores": score, "detection_classes": score + 1}

tf.saved_model.save(Detector(), sys.argv[1])
for path in sys.argv[1:]:
    print(TensorFlowDetector(path).fit.used)
"""


def test_the_size_that_a_model_gives_every_picture_is_found_in_its_graph(
    detectors: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RESIZES, tmp_path / "resizes", detectors / "any"],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip

    assert ["(96, 128)", "None"] == done.stdout.splitlines()


@pytest.fixture
def photos(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(6):
        shade = 40 * number
        Image.new("RGB", (60 + number % 2, 40), (shade, shade, shade)).save(
            folder / f"{number}.png"
        )
    (folder / "notes.txt").write_text("no picture")
    (folder / "cut.jpg").write_bytes(b"\xff\xd8\xff\xe0 and no more")
    return folder


def test_a_folder_is_detected_told_resumed_and_not_mixed(
    outlive: Outlive, detectors: Path, photos: Path
) -> None:
    out = outlive.folder / "found"
    (outlive.folder / "map.txt").write_text("spot\npicture\n")
    words = (
        "detect",
        str(detectors / "any"),
        str(photos),
        "--out",
        str(out),
        "--labels",
        "map.txt",
    )

    first = outlive(*words, "--format", "jsonl", "--min-score", "0.55", "--json", seconds=300)

    told = json.loads(first.stdout)
    assert 1 == first.status, first.stderr
    assert (7, 6, 1, True) == (told["inputs"], told["done"], told["quarantined"], told["finished"])
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    by_name = {Path(row["input"]).name: row for row in rows}
    assert {f"{number}.png" for number in range(6)} == set(by_name)
    assert (61, 40) == (by_name["1.png"]["width"], by_name["1.png"]["height"])
    assert [] == by_name["0.png"]["detections"]
    (spot,) = by_name["3.png"]["detections"]
    assert (1, "spot", 0.2, 0.5) == (spot["label"], spot["name"], spot["xmin"], spot["ymax"])
    assert abs(0.5 + 120 / 255 / 2 - spot["score"]) < 1e-4
    (bad,) = [json.loads(line) for line in (out / "quarantine.jsonl").read_text().splitlines()]
    assert ("corrupt-image", "preparing") == (bad["cause"], bad["stage"])
    assert "outlive.verdict/1" == bad["verdict"]["schema"]

    again = outlive(*words)
    assert 2 == again.status
    assert "--resume" in again.stderr

    other = outlive(*words, "--resume", "--min-score", "0.9")
    assert 2 == other.status
    assert "minimum score" in other.stderr

    nothing_left = outlive(*words, "--resume", "--format", "csv", "--min-score", "0.55")
    assert 1 == nothing_left.status, nothing_left.stderr
    assert "6 done earlier, 1 quarantined earlier" in nothing_left.stdout
    assert str(out / "quarantine.jsonl") in nothing_left.stdout
    assert 7 == len((out / "results.csv").read_text().splitlines())


def test_odd_batches_answers_and_files_cost_no_picture(
    outlive: Outlive, detectors: Path, photos: Path
) -> None:
    """A model of a fixed number of pictures; one picture for which it gives NaN; a pipe, and a link to itself, among the pictures."""
    Image.new("RGB", (60, DIVERGES)).save(photos / "nan.png")
    os.mkfifo(photos / "pipe.jpg")
    (photos / "round.jpg").symlink_to("round.jpg")

    done = outlive(
        "detect", str(detectors / "threes"), str(photos), "--out", "found", "--format", "jsonl", "--json",
        seconds=300,
    )  # fmt: skip

    assert 1 == done.status, done.stderr
    assert 0 == json.loads(done.stdout)["worker_deaths"]
    assert {f"{number}.png" for number in range(6)} == _names(outlive.folder, "results.jsonl")
    aside = (outlive.folder / "found" / "quarantine.jsonl").read_text().splitlines()
    causes = {Path(one["input"]).name: one["cause"] for one in map(json.loads, aside)}
    assert causes == {
        "cut.jpg": "corrupt-image",
        "nan.png": "not-finite",
        "pipe.jpg": "waiting-forever",
        "round.jpg": "missing-file",
    }


def test_secrets_in_the_words_of_a_worker_are_nowhere_on_the_disk_or_the_screen(
    outlive: Outlive, detectors: Path, photos: Path
) -> None:
    Image.new("RGB", (60, LEAKS)).save(photos / "leaks.png")

    done = outlive(
        "detect", str(detectors / "any"), str(photos), "--out", "found", "--format", "jsonl", seconds=300, variables={"DB_PASSWORD": PASSWORD},
    )  # fmt: skip

    assert 1 == done.status, done.stderr
    assert "refused/***/***/Assert" in done.stdout
    written = [path.read_bytes() for path in outlive.folder.rglob("*") if path.is_file()]
    everything = b"\n".join([*written, done.stdout.encode(), done.stderr.encode()])
    assert b"refused/***/***/Assert" in everything
    assert TOKEN[4:].encode() not in everything and PASSWORD.encode() not in everything


def _names(folder: Path, results: str) -> set[str]:
    lines = (folder / "found" / results).read_text().splitlines()
    return {Path(json.loads(line)["input"]).name for line in lines}


def test_a_model_that_is_no_detector_is_told_with_what_it_has(
    outlive: Outlive, detectors: Path, photos: Path
) -> None:
    done = outlive(
        "detect", str(detectors / "classifier"), str(photos), "--out", "found", seconds=300
    )

    assert 3 == done.status
    assert "features: float32 [any, 8]" in done.stderr
    assert "logits: float32" in done.stderr
    assert "detection_boxes" in done.stderr


def test_a_model_is_shrunk_checked_and_run_without_tensorflow(
    outlive: Outlive, detectors: Path, photos: Path
) -> None:
    model, light = str(detectors / "anchored"), outlive.folder / "light.tflite"

    done = outlive("shrink", model, "--out", str(light), "--json", seconds=300)

    assert 0 == done.status, done.stderr
    told = json.loads(done.stdout)
    assert told["largest_difference"] <= told["tolerance"] == 0.001
    assert told["objects"] > 20
    assert told["after"]["peak_bytes"] < told["before"]["peak_bytes"] / 2

    found = outlive("detect", str(light), str(photos), "--out", "lite", "--format", "jsonl")

    assert 1 == found.status, found.stderr
    rows = {Path(row["input"]).name: row["detections"] for row in rows_in(outlive.folder / "lite")}
    assert {f"{number}.png" for number in range(6)} == set(rows)
    bright = 1 / (1 + math.exp(3 - 6 * 200 / 255))
    assert abs(bright - rows["5.png"][0]["score"]) < 1e-3
    assert {1, 2, 3} >= {one["label"] for one in rows["5.png"]}
    assert 20 == len(rows["5.png"])
    return_with_everything(outlive, light, photos)


def return_with_everything(outlive: Outlive, light: Path, photos: Path) -> None:
    """The other options, on the model that is there already: tiles, a video, annotated copies, formats."""
    cv2 = pytest.importorskip("cv2") if not os.environ.get("OUTLIVE_NO_SKIP") else __import__("cv2")
    film = cv2.VideoWriter(str(photos / "film.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 5, (64, 48))
    for number in range(7):
        film.write(numpy.full((48, 64, 3), 30 * number, "uint8"))
    film.release()
    (photos / "broken.mp4").write_bytes(b"no video at all")
    words = ("detect", str(light), str(photos), "--out", "all", "--tile", "32", "--draw")

    done = outlive(*words, "--every", "3", "--format", "parquet", "--json")

    assert 1 == done.status, done.stderr
    told = json.loads(done.stdout)
    assert (9, 2, True) == (told["done"], told["quarantined"], told["finished"])
    table = pyarrow.parquet.read_table(outlive.folder / "all" / "results.parquet").to_pylist()
    names = sorted(Path(row["input"]).name for row in table)
    assert [*(f"{n}.png" for n in range(6)), "film.avi#0", "film.avi#3", "film.avi#6"] == names
    assert 9 == len(list((outlive.folder / "all" / "drawn").glob("*.jpg")))
    with Image.open(outlive.folder / "all" / "sheet.jpg") as sheet:
        assert sheet.width >= 3 * 256

    coco = outlive(*words, "--every", "3", "--format", "coco", "--resume")
    assert 1 == coco.status, coco.stderr
    told = json.loads((outlive.folder / "all" / "results.coco.json").read_text())
    assert 9 == len(told["images"])
    assert {one["category_id"] for one in told["annotations"]} <= {1, 2, 3}
    assert len(told["annotations"]) == sum(len(row["detections"]) for row in table)


SHRINKING = """
import json, sys
from pathlib import Path
sys.path[:0] = {path!r}
from small_detectors import make
from outlive.detection.models import conversion, shrink as shrinking; from outlive.detection import task

folder = Path(sys.argv[1])
make(folder, ["tough", "frail"])

def measured(model, runtime, pictures, pixels):
    # In this process: TensorFlow is started once for all of them.
    run = task.make(model=model, runtime=runtime, budget=None, min_score=shrinking.FLOOR, pixels=pixels)
    values = {{one: run.run([run.prepare({{"path": one, "name": one}}).thing])[0] for one in pictures}}
    return values, shrinking.Measured(shrinking._bytes_of(model), 0, 0.0)

shrinking._converted = lambda order: conversion.convert(**order)
shrinking._measured = measured
with shrinking._samples(()) as photos:
    for name, kind, tolerance in (("tough", "float16", None), ("tough", "int8", 0.02), ("tough", "pruned", None), ("frail", "pruned", None)):
        try:
            made = shrinking.shrink(str(folder / name), kind, str(folder / f"{{name}}-{{kind}}.tflite"), calibration=photos, tolerance=tolerance)
            print(json.dumps([name, kind, made.largest_difference, made.objects, made.after.bytes]))
        except shrinking.Differs as refused:
            print(json.dumps([name, kind, str(refused), 0, 0]))
"""


def test_smaller_models_pass_or_are_refused_by_how_far_they_differ(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHRINKING.format(path=sys.path), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    *passed, frail = lines
    assert [("tough", "float16"), ("tough", "int8"), ("tough", "pruned")] == [
        (name, kind) for name, kind, *_ in passed
    ], lines
    assert all(apart <= 0.02 and objects > 100 for *_, apart, objects, _ in passed), passed
    assert "pruned model differs from the original by 0." in frail[2]
    assert not (tmp_path / "frail-pruned.tflite").exists()
    assert (tmp_path / "tough-int8.tflite").exists()


def rows_in(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]


@pytest.mark.death
def test_a_job_in_a_storm_loses_nothing_and_names_every_poison(
    outlive: Outlive, detectors: Path, tmp_path: Path
) -> None:
    pictures, out = tmp_path / "pictures", tmp_path / "found"
    poison = {"truncated": 1, "html": 1, "bomb": 1, "check": 1, "eats": 1, "blocks": 1, "loops": 1}
    make_pictures(pictures, 113, poison)
    kills = [
        (4, "worker"),
        (25, "supervisor"),
        (45, "zygote"),
        (60, "worker"),
        (80, "all"),
    ]
    options = ("--memory", "1200MB", "--deadline", "12", "--format", "jsonl")

    storm = weather(
        detect_command(detectors / "any", pictures, out, *options), out, kills, outlive.environment
    )

    assert 1 == storm.status, storm.stderr
    assert Counter(worker=2, zygote=1, supervisor=1, all=1) == storm.killed
    assert 3 == storm.starts
    assert [] == wrong(pictures, out)
    assert 113 == len((out / "results.jsonl").read_text().splitlines())
