"""Pipelines that fit the memory there is: they live where the others die, and give the same elements in the same order."""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from limited import enter, memory_group, parent_group

import outlive.inside
from conftest import UNWANTED, Outlive
from outlive.errors import UsageError
from outlive.inside.machine.memory_limit import Limit
from outlive.inside.tfdata import heap
from outlive.inside.tfdata.bound import in_words
from outlive.inside.tfdata.cache_files import Spill, mount_of
from outlive.inside.tfdata.cardinality import bytes_of_files
from outlive.inside.tfdata.fit import Change, Fit, deal, fit
from outlive.inside.tfdata.heap import count_the_holes
from outlive.inside.tfdata.stage import AUTOTUNE, Stage, bytes_at_most, elements_at_most
from outlive.keep.bound.plan_command import fits
from outlive.keep.bound.plans import Plan, fit_mode, line

PROGRAMS = Path(__file__).parent.parent / "programs"
MB = 1_000_000
INFINITE = -1  #: TensorFlow's mark

#: What is said of a stage that was changed.
STAGE = re.compile(r"outlive: (\w+) at \S+:\d+: ")


def first_word(text: str) -> str:
    return text.removeprefix("outlive: ").split()[0].strip("`")


def stage(kind: str, *sources: int, **values: Any) -> Stage:
    made = Stage(kind, kind, sources)
    made.element_bytes = MB
    made.count = 1000
    for name, value in values.items():
        setattr(made, name, value)
    return made


def changes(found: Fit) -> dict[int, tuple[str, int]]:
    return {change.position: (change.parameter, change.after) for change in found.changes}


SOURCE = stage("source")


@pytest.mark.parametrize(
    ("one", "elements"),
    [
        (stage("shuffle", 0, size=100), 100),
        (stage("shuffle", 0, size=5000), 1000),
        (stage("shuffle", 0, size=5000, count=INFINITE), 5000),
        (stage("shuffle", 0, size=-1), 1000),
        (stage("prefetch", 0, size=7), 7),
        (stage("prefetch", 0, size=AUTOTUNE), 2),
        (stage("cache", 0), 1000),
        (stage("cache", 0, count=INFINITE), None),
        (stage("map", 0, calls=64), 64),
        (stage("map", 0, calls=AUTOTUNE), 4),
        (stage("map", 0), 0),
        (stage("interleave", 0, calls=8, cycle=16, block=2), 240),
        (stage("interleave", 0, calls=8, cycle=16, block=2, count=10), 50),
        (stage("interleave", 0, cycle=16, block=2), 0),
        (stage("window", 0, size=30, element_bytes=None, input_bytes=MB), 30),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_stage_holds_so_many_elements_at_most(one: Stage, elements: int | None) -> None:
    assert elements == elements_at_most([SOURCE, one], 1, 4)


def test_a_map_right_before_a_batch_holds_whole_batches() -> None:
    wide = stage("map", 0, calls=20)
    batch = stage("batch", 1, batch=16, element_bytes=16 * MB, input_bytes=MB)

    assert 32 == elements_at_most([SOURCE, wide, batch], 1, 4)
    assert 16 * MB == bytes_at_most([SOURCE, wide, batch], 2, 4), "written right into it"


def test_temporaries_count_for_the_calls_that_run() -> None:
    wide = stage("map", 0, calls=20, call_bytes=11 * MB)

    assert (20 + 4 * 10) * MB == bytes_at_most([SOURCE, wide], 1, 4)


def test_the_holes_beside_an_element_count_for_those_that_are_large_and_held() -> None:
    shuffle = stage("shuffle", 0, size=500)
    batch = stage("batch", 1, batch=64, element_bytes=64 * MB)
    count_the_holes([SOURCE, shuffle, batch], {"shuffle": 2.0, "batch": 2.0})

    assert 1000 * MB == bytes_at_most([SOURCE, shuffle, batch], 1, 4)
    assert 1.0 == batch.spread, "malloc takes such a tensor from the kernel"
    assert {1: ("size", 49)} == changes(fit([SOURCE, shuffle], 101 * MB, 2))


@pytest.mark.parametrize(
    ("budget", "measure"), [(500 * MB, None), (150 * MB, "trim"), (80 * MB, "apart")]
)
def test_nothing_dearer_is_done_about_holes_than_is_needed(
    budget: int, measure: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shuffle that holds 100 MB, takes up to 400 with its holes, and 110 without."""
    done: list[str] = []
    monkeypatch.setattr(heap, "holds_tensors", lambda: True)
    monkeypatch.setattr(heap.Heap, "_trim_beyond", lambda *words: done.append("trim"))
    monkeypatch.setattr(heap.Heap, "_keep_apart", lambda *words: done.append("apart"))
    shuffle = stage("shuffle", 0, size=100)

    heap.Heap().make_room([SOURCE, shuffle], budget, 2)

    assert ([measure] if measure else []) == done


def test_what_tunes_itself_is_told_of_elements_without_holes() -> None:
    tuned = stage("prefetch", 0, size=AUTOTUNE, spread=2.0)

    assert 50 * MB == fit([SOURCE, tuned], 100 * MB, 2).ram_budget


def test_what_fits_is_left_as_it_is() -> None:
    stages = [SOURCE, stage("shuffle", 0, size=100), stage("prefetch", 1, size=10)]

    assert {} == changes(fit(stages, 200 * MB, 2))


def test_who_wants_little_gets_all_of_it() -> None:
    stages = [SOURCE, stage("shuffle", 0, size=500), stage("prefetch", 1, size=10)]

    found = fit(stages, 100 * MB, 2)

    assert {1: ("size", 89)} == changes(found)
    assert found.total_bytes <= 100 * MB


def test_the_rest_is_shared_evenly() -> None:
    assert {0: 10, 1: 45, 2: 45} == deal(100, {0: 10, 1: 500, 2: 90}, {0: 1, 1: 1, 2: 1})


def test_a_cache_goes_to_a_disk_whole_or_not_at_all() -> None:
    stages = [SOURCE, stage("cache", 0), stage("prefetch", 1, size=5)]

    assert {1: ("disk", 1000 * MB)} == changes(fit(stages, 100 * MB, 2, disk_bytes=2000 * MB))
    full = fit(stages, 100 * MB, 2, disk_bytes=MB)
    assert [(1, "there is no disk space for it either")] == full.left_out


def test_a_cache_stays_where_nothing_can_be_built_on_a_file() -> None:
    found = fit([SOURCE, stage("cache", 0)], 100 * MB, 2, disk_bytes=None)

    assert [(1, "the pipeline has an unknown stage")] == found.left_out


def test_who_wants_next_to_nothing_keeps_it_where_the_rest_does_not_fit() -> None:
    names = stage("shuffle", 0, size=500, element_bytes=100)
    batch = stage("batch", 1, batch=64, element_bytes=64 * MB)

    found = fit([SOURCE, names, batch, stage("prefetch", 2, size=5)], 20 * MB, 2)

    assert [3] == list(changes(found)), "the order of names costs nothing"


def test_a_smaller_window_says_what_it_does_to_a_part_that_is_taken_after_it() -> None:
    stages = [SOURCE, stage("shuffle", 0, size=100), stage("pass", 1), stage("prefetch", 2, size=1)]
    shrunk = Change(1, "size", 100, 10)

    assert "other elements" not in in_words(stages, shrunk, 2)
    stages[2].title = "take"
    assert "`take` after it then selects other elements" in in_words(stages, shrunk, 2)


def test_files_tell_how_many_bytes_they_have_unless_they_are_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"record" * 10)
    packed.write_bytes(gzip.compress(b"record" * 10))

    assert 120 == bytes_of_files([str(plain)] * 2)
    assert None is bytes_of_files([str(packed)])
    assert None is bytes_of_files([str(tmp_path / "missing")])


def test_a_cache_that_is_read_twice_at_once_stays() -> None:
    stages = [SOURCE, stage("cache", 0), stage("zip", 1, 1)]

    found = fit(stages, 100 * MB, 2, disk_bytes=2000 * MB)

    assert [(1, "it is read twice at the same time")] == found.left_out


def test_an_element_of_unknown_size_is_not_guessed() -> None:
    unknown = {"element_bytes": None}
    stages = [
        SOURCE,
        stage("shuffle", 0, size=50, **unknown),
        stage("prefetch", 1, size=9, **unknown),
    ]

    found = fit(stages, 100 * MB, 2)

    assert {2: ("size", AUTOTUNE)} == changes(found), "which weighs what it holds"
    assert [1] == [position for position, _ in found.left_out]


def test_what_was_decided_stays() -> None:
    stages = [SOURCE, stage("shuffle", 0, size=500, settled=True)]

    assert {} == changes(fit(stages, 100 * MB, 2))


def test_what_tunes_itself_begins_with_as_much_as_fits() -> None:
    stages = [SOURCE, stage("map", 0, calls=AUTOTUNE, element_bytes=40 * MB, call_bytes=40 * MB)]

    assert (
        2 == fit(stages, 100 * MB, 32).initial_parallelism or fit(stages, 100 * MB, 32).ram_budget
    )
    assert 1 == fit(stages, 10 * MB, 2).initial_parallelism


def test_a_cache_does_not_go_where_files_lie_in_memory(tmp_path: Path) -> None:
    kinds = {"/": "ext4", "/dev/shm": "tmpfs"}

    assert "/dev/shm" == mount_of("/dev/shm/some/folder", kinds)
    assert "/" == mount_of("/home/somebody", kinds)
    assert 0 == Spill([str(tmp_path / "missing")]).room()


def test_a_line_is_laid_through_what_was_measured() -> None:
    assert pytest.approx((300, 20)) == line([(2, 340), (4, 380), (8, 460)])
    assert (340, 0) == line([(2, 340)])


def test_the_largest_batch_leaves_some_of_the_limit() -> None:
    points = [
        {"mode": "predict", "batch": batch, "peak_bytes": 300 + 20 * batch, "weights_bytes": 1,
         "optimizer_bytes": 0, "input": [batch, 4]}
        for batch in (2, 4, 8)
    ]  # fmt: skip

    assert 25 == fit_mode(points, "predict", 1010)["largest"]
    assert {} == fit_mode(points, "train", 1000)


def test_a_line_that_falls_is_noise() -> None:
    points = [
        {"mode": "predict", "batch": 1, "peak_bytes": peak, "weights_bytes": 1, "optimizer_bytes": 0, "input": [1, side, side, 3]}
        for side, peak in ((10, 660), (20, 650))
    ]  # fmt: skip

    fitted = fit_mode(points, "predict", 1000, [1, None, None, 3])

    assert (660, 0.0, None) == (fitted["base_bytes"], fitted["bytes_each"], fitted["largest"])


def test_only_datasets_are_bounded() -> None:
    with pytest.raises(UsageError, match=r"tf\.data\.Dataset"):
        outlive.bound([1, 2, 3])


FOLDER = Path(outlive.inside.__file__).parent
INSIDE = sorted(
    [*FOLDER.glob("tfdata/*.py"), *FOLDER.glob("machine/*.py"), *FOLDER.glob("plan/*.py")]
)


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: str(path.relative_to(FOLDER)))
def test_what_is_loaded_into_the_program_needs_no_more_than_an_old_python(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 9))

    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            roots.add((node.module or "").partition(".")[0])
    assert roots <= set(sys.stdlib_module_names)


def tensorflow_environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return kept | {"OUTLIVE_HOME": str(tmp_path / "home"), "TF_CPP_MIN_LOG_LEVEL": "2"}


def last_line(text: str) -> Any:
    return json.loads(text.strip().splitlines()[-1])


@pytest.mark.tf
@pytest.mark.timeout(400)
def test_every_shape_gives_the_same_elements_and_every_way_of_reading_is_met(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "pipeline_shapes.py")],
        env=tensorflow_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=390,
        check=False,
    )

    assert 0 == done.returncode, done.stderr[-3000:]
    found = last_line(done.stdout)
    assert [] == found.pop("different")
    assert 280 == found.pop("python calls"), "the program's own Python is never called once more"
    assert [50, 5, 50] == found.pop("shared stages"), (
        "one cache, also for what is built on it later"
    )
    assert [False, False] == found.pop("left behind")
    assert [2450, 1225] == found.pop("cache on a disk"), "read twice at once, and later"
    assert {780.0} == {total for total, _ in found.values()}, found
    for way, (_, said) in found.items():
        assert "prefetch" in said[0], way
    assert "it was built inside a tf.function" in found["built_in_a_function"][1][1]


@pytest.mark.tf
@pytest.mark.timeout(200)
def test_what_was_met_in_programs_of_others(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "bounded_corners.py"), str(tmp_path / "data")],
        env=tensorflow_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=190,
        check=False,
    )

    assert 0 == done.returncode, done.stderr[-3000:]
    found = last_line(done.stdout)
    assert [] == found["different"]
    assert [29, 60, 3, 3, 30] == found["built on"], "each reader has a file of its own"
    said = found["said"]
    assert ["shuffle", "prefetch"] == [first_word(text) for text in said["one line"]]
    assert [] == said["records that fit"], "their files are small"
    assert ["cache", "shuffle"] == [first_word(text) for text in said["records"]]
    assert "cached to a file (" in said["records"][0], "how much is known by its files"
    assert [] == said["filtered"], "no more than came in"
    assert ["prefetch"] == [first_word(text) for text in said["padded to a told side"]]
    assert ["shuffle"] == [first_word(text) for text in said["without a label"]]
    assert "from 6 to" in said["batches of a generator"][0], "the size is known"


@pytest.fixture
def small_group() -> Iterator[Path]:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")
    with memory_group(700) as made:
        yield made


def in_a_group(group: Path, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env=tensorflow_environment(tmp_path),
        preexec_fn=lambda: enter(group),
        capture_output=True,
        text=True,
        timeout=390,
        check=False,
    )


FAT = str(PROGRAMS / "fat_pipelines.py")


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.timeout(400)
def test_pipelines_that_are_killed_bare(tmp_path: Path, small_group: Path) -> None:
    done = in_a_group(small_group, tmp_path, FAT, "bare")

    assert 0 == done.returncode, done.stderr[-3000:]
    assert {signal.SIGKILL} == set(last_line(done.stdout).values()), done.stdout


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.timeout(400)
def test_the_same_pipelines_finish_when_they_are_bounded(tmp_path: Path, small_group: Path) -> None:
    done = in_a_group(small_group, tmp_path, "-m", "outlive", "run", "--bound", FAT, "all")

    assert 0 == done.returncode, done.stderr[-3000:]
    found = last_line(done.stdout)
    numbers = list(range(60))
    assert [numbers, numbers] == [sorted(one) for one in found["shuffled"]]
    assert found["shuffled"][0] != found["shuffled"][1] != numbers
    for name in ("prefetched", "cached", "mapped"):
        assert [numbers, numbers] == found[name], name
    assert [[30, 31, 32] * 20] * 2 == found["ragged"]
    told = [text for text in done.stderr.splitlines() if STAGE.match(text)]
    assert ["shuffle", "prefetch", "cache", "map", "prefetch"] == [
        first_word(text) for text in told
    ]
    marked = Path(FAT).read_text().splitlines().index("    return pictures().shuffle(COUNT)  # <- shuffle")  # fmt: skip
    assert f"at fat_pipelines.py:{marked + 1}:" in told[0]


TEMPORARY = """
import numpy as np
import tensorflow as tf

def mean(number):
    return np.ones((150, 1000, 1000), "float32").mean() + number

data = tf.data.Dataset.range(50).map(lambda number: tf.numpy_function(mean, [number], tf.float64))
"""

WIDE_MODEL = "import keras; keras.Sequential([keras.Input((9000,)), keras.layers.Dense(9000)]).save('wide.keras')"


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.timeout(400)
def test_what_cannot_even_be_measured_does_not_fit(tmp_path: Path, small_group: Path) -> None:
    (tmp_path / "train.py").write_text(TEMPORARY)
    subprocess.run(
        [sys.executable, "-c", WIDE_MODEL], cwd=tmp_path, check=True, capture_output=True
    )

    function = in_a_group(small_group, tmp_path, "-m", "outlive", "plan", str(tmp_path / "train.py:data"))  # fmt: skip
    model = in_a_group(small_group, tmp_path, "-m", "outlive", "plan", str(tmp_path / "wide.keras"))

    assert 1 == function.returncode, function.stderr
    assert "train.py does not fit: Linux killed it" in function.stderr
    assert 1 == model.returncode, model.stderr
    assert "the model cannot be loaded within the limit of 700 MB" in model.stdout


SCRIPT = """
import sys
import tensorflow as tf

def picture(number):
    return tf.fill([400, 250, 3], tf.cast(number, tf.float32))

def make():
    numbers = tf.data.Dataset.range(1000)
    pictures = numbers.map(picture, num_parallel_calls=8)
    mixed = pictures.shuffle(500)
    return mixed.batch(10).prefetch(2)

if __name__ == "__main__":
    print("the program runs")
    for batch in make():
        sys.exit("it is read")
"""


@pytest.mark.tf
@pytest.mark.timeout(300)
@pytest.mark.parametrize("target", ["fat.py:make", "fat.py"])
def test_a_plan_names_the_stage_to_change_and_its_line(outlive: Outlive, target: str) -> None:
    outlive.script("fat.py", SCRIPT)

    done = outlive("plan", target, "--memory", "1GB", "--json", seconds=290)

    assert 1 == done.status, done.stderr
    plan = json.loads(done.stdout)
    (pipeline,) = plan["pipelines"]
    shuffle = next(row for row in pipeline["stages"] if row["stage"] == "shuffle")
    assert (11, 1_200_000, 500) == (
        shuffle["line"], shuffle["element_bytes"], shuffle["elements"],
    )  # fmt: skip
    assert shuffle["bytes"] in (600_000_000, 960_000_000), "without holes, or with malloc's"
    assert ["shuffle"] == [
        pipeline["stages"][change["position"]]["stage"] for change in pipeline["changes"]
    ]
    assert ("the program runs" in done.stderr) == (target == "fat.py")
    assert "it is read" not in done.stderr


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("missing.py", "There is no missing.py"),
        ("fat.txt", "neither a script nor a model"),
        ("fat.py:make", "was killed by SIGKILL"),
        ("model.keras extra", "takes no arguments"),
    ],
)
def test_what_cannot_be_planned_is_said(outlive: Outlive, target: str, said: str) -> None:
    outlive.script("fat.py", SCRIPT)
    deadly = outlive.script("deadly", "#!/bin/sh\nkill -9 $$\n")
    deadly.chmod(0o700)

    done = outlive("plan", *target.split(), "--python", str(deadly))

    assert 2 <= done.status <= 3
    assert said in done.stderr


def test_a_python_that_is_not_there_is_said(outlive: Outlive) -> None:
    outlive.script("fat.py", SCRIPT)

    done = outlive("plan", "fat.py", "--python", "missing/python")

    assert 2 == done.status
    assert "missing/python cannot be run" in done.stderr


def test_a_plan_in_which_something_is_not_known_claims_nothing() -> None:
    limit = Limit(())
    known = {"changes": [], "total_bytes": 10, "unknown": []}
    unknown = known | {"unknown": ["shuffle"]}

    def answer(*pipelines: dict[str, Any]) -> bool | None:
        return fits(Plan(limit, 100, {"held_bytes": 50, "pipelines": list(pipelines)}))

    assert True is answer(known)
    assert None is answer(known, unknown)
    assert False is answer(unknown, known | {"total_bytes": 60})


def test_a_plan_that_stopped_the_program_does_not_vouch_for_it() -> None:
    known = {"changes": [], "total_bytes": 10, "unknown": []}

    def answer(held: int, goes_on: bool) -> bool | None:
        found = {"held_bytes": held, "pipelines": [known], "goes_on": goes_on}
        return fits(Plan(Limit(()), 100, found))

    assert True is answer(50, goes_on=False)
    assert None is answer(50, goes_on=True)
    assert None is answer(85, goes_on=False), "less than a fifth would be left"
    assert False is answer(95, goes_on=True)


def test_a_model_fits_only_where_every_mode_was_measured() -> None:
    predict = {"mode": "predict", "batch": 2, "peak_bytes": 40}
    fitted = {"mode": "predict", "largest": 9, "base_bytes": 30}
    killed = {"mode": "train", "batch": 2, "error": "ended by signal 9", "signal": 9}
    failed = {"mode": "train", "batch": 2, "error": "ValueError: no loss"}

    def answer(points: list[Any], modes: list[Any], **more: Any) -> bool | None:
        return fits(Plan(Limit(()), 100, {"points": points, "modes": modes, **more}))

    assert True is answer([predict], [fitted])
    assert False is answer([predict, killed], [fitted], unmeasured=["train"])
    assert None is answer([predict, failed], [fitted], unmeasured=["train"])
    assert False is answer([killed], [], not_loaded=True)
    for asked in (
        {"batch": 4, "predicted_bytes": 85},
        {"batch": 4, "predicted_bytes": 50, "measured_bytes": 92},
        {"batch": 4, "predicted_bytes": 50, "measured_bytes": None, "killed": True},
    ):
        assert False is answer([predict], [fitted | {"asked": asked}])
    of_four = {"mode": "predict", "batch": 4, "signal": 9}
    asked = {"batch": 8, "predicted_bytes": 50}
    assert False is answer([predict, of_four], [fitted | {"asked": asked}])


WITH_ARGUMENTS = """
import argparse
import tensorflow as tf

options = argparse.ArgumentParser()
options.add_argument("--files", required=True)
chosen = options.parse_args()
dataset = tf.data.TFRecordDataset([chosen.files]).shuffle(100)
for record in dataset:
    pass
"""


@pytest.mark.tf
@pytest.mark.timeout(200)
def test_a_script_gets_its_arguments_and_shows_no_pipeline_of_names(outlive: Outlive) -> None:
    outlive.script("asks.py", WITH_ARGUMENTS)

    given = outlive("plan", "asks.py", "--json", "--", "--files", "missing", seconds=190)

    (pipeline,) = json.loads(given.stdout)["pipelines"]
    assert ["TFRecordDataset", "shuffle"] == [row["stage"] for row in pipeline["stages"]]
    assert (3, None) == (given.status, json.loads(given.stdout)["fits"])


def test_a_plan_of_nothing_tells_the_limit(outlive: Outlive) -> None:
    done = outlive("plan", "--json")

    limit = json.loads(done.stdout)["limit"]
    assert 0 < limit["left_bytes"] <= limit["bytes"]
    assert limit["source"].startswith("/")


ONE_PICTURE_AT_A_TIME = """
import sys, tensorflow as tf
class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([1, None, None, 3], tf.uint8, "picture")])
    def __call__(self, picture):
        wide = tf.repeat(tf.cast(picture, tf.float32), 10, axis=3)
        return {"mean": tf.reduce_mean(tf.sqrt(wide + 1.0))}
model = Model()
tf.saved_model.save(model, sys.argv[1], signatures=model.__call__)
"""


READS_WHEN_IT_IS_IMPORTED = """
import tensorflow as tf
data = tf.data.Dataset.range(8).map(lambda n: tf.zeros([1000]) + tf.cast(n, tf.float32))
for element in data.take(1):
    print("one", element.shape)
data = data.shuffle(5).batch(2)
for element in data:
    print("all of it")
"""


@pytest.mark.tf
def test_a_script_reads_no_further_than_to_where_the_dataset_is_known(outlive: Outlive) -> None:
    script = outlive.script("reads.py", READS_WHEN_IT_IS_IMPORTED)

    done = outlive("plan", f"{script}:data", "--json")

    assert 0 == done.status, done.stderr
    (pipeline,) = json.loads(done.stdout)["pipelines"]
    assert ["range", "map", "shuffle", "batch"] == [row["stage"] for row in pipeline["stages"]]
    assert "one (1000,)" in done.stderr and "all of it" not in done.stderr


@pytest.mark.tf
@pytest.mark.timeout(300)
def test_a_model_that_takes_one_picture_at_a_time_is_measured_by_its_size(
    outlive: Outlive, tmp_path: Path
) -> None:
    model = str(tmp_path / "model")
    command = [sys.executable, "-c", ONE_PICTURE_AT_A_TIME, model]
    subprocess.run(command, check=True, capture_output=True, timeout=200)

    done = outlive(
        "plan", model, "--memory", "2GB", "--shape", "1000,1500,3", "--json", seconds=290
    )

    (predict,) = json.loads(done.stdout)["modes"]
    assert ("pixels", 1) == (predict["grows_with"], predict["batch"])
    assert predict["bytes_each"] > 4 * 30, "thirty numbers of four bytes"
    assert 0 < predict["largest"] < 2e9 / (4 * 30)
    asked = predict["asked"]
    assert 0.7 < asked["predicted_bytes"] / asked["measured_bytes"] < 1.4
    refused = outlive("plan", model, "--batch", "4", seconds=290)
    assert 2 == refused.status and "always takes 1 at once" in refused.stderr


@pytest.mark.tf
@pytest.mark.timeout(300)
def test_a_model_is_measured_and_the_largest_batch_told(outlive: Outlive, tmp_path: Path) -> None:
    model = tmp_path / "model.keras"
    recipe = (
        "import keras\n"
        "keras.Sequential([keras.layers.Input((128, 128, 3)), keras.layers.Conv2D(64, 3, padding='same'),"
        f" keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(10)]).save({str(model)!r})"
    )
    subprocess.run([sys.executable, "-c", recipe], check=True, capture_output=True, timeout=200)

    done = outlive("plan", str(model), "--memory", "2GB", "--json", seconds=290)

    assert 0 == done.status, done.stderr
    predict, train = json.loads(done.stdout)["modes"]
    weights = 4 * ((27 * 64 + 64) + (64 * 10 + 10))
    assert (weights, 0, [128, 128, 3]) == (
        predict["weights_bytes"], predict["optimizer_bytes"], predict["input"],
    )  # fmt: skip
    assert train["optimizer_bytes"] > 2 * weights, "two moments of each weight"
    assert 0 < train["largest"]
    output = 128 * 128 * 64 * 4
    assert predict["bytes_each"] >= 0.7 * output, "one layer; malloc may have had some left"
