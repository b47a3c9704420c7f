"""A death whose cause is proven, and has a remedy that needs no change of code, becomes a finished run; others are left alone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from limited import enter, memory_group, parent_group

from conftest import Outlive
from making import evidence
from outlive.data_use import Pipeline, Scene
from outlive.errors import UsageError
from outlive.keep.healing import Case, Change, State, change_for, healers
from outlive.model import Confidence, Ending, EndingKind, Finding, Verdict
from outlive.running import parse
from outlive.unit import cause, discover

pytestmark = pytest.mark.timeout(
    300
)  # attempts, one after the other, on a machine that may be busy


def died(
    slug: str, confidence: Confidence = Confidence.PROVEN, kind: EndingKind = EndingKind.SIGNAL
) -> Verdict:
    return Verdict(
        "run", Ending(kind, signal="SIGKILL"), (Finding("so", (), confidence, slug=slug),)
    )


def case(slug: str, confidence: Confidence = Confidence.PROVEN, **known: Any) -> Case:
    view = evidence("SIGKILL", **known.pop("evidence", {}))
    verdict = known.pop("verdict", died(slug, confidence))
    return Case(verdict, view, "/runs/first", **known)


def test_every_healer_serves_causes_that_there_are() -> None:
    slugs = {unit.slug for unit in discover(cause)}
    found = healers()

    assert len(found) >= 6
    for healer in found:
        assert set(healer.SLUGS) <= slugs
        assert healer.__doc__


def test_no_two_healers_have_a_remedy_of_the_same_name() -> None:
    remedies = [
        change.remedy
        for healer in healers()
        if (change := healer.heal(full_case(healer.SLUGS[0]))) is not None
    ]

    assert len(remedies) == len(healers()) == len(set(remedies))


def full_case(slug: str) -> Case:
    """A death around which everything is known."""
    from outlive.circumstances import Circumstances, OpenFiles

    files = OpenFiles(count=100, limit=100, hard=5000)
    view = evidence(
        "SIGKILL",
        scene=Scene(pipeline=Pipeline(())),
        circumstances=Circumstances(files=files),
    )
    return Case(died(slug), view, "/runs/first", (100, 5000), (256,))


@pytest.mark.parametrize(
    ("slug", "remedy"),
    [
        ("shuffle-buffer-too-large", "bounded pipelines"),
        ("prefetch-too-deep", "bounded pipelines"),
        ("fragmented-heap", "trimmed heap"),
        ("too-many-open-files", "more open files"),
        ("too-many-threads", "fewer threads"),
        ("corrupt-image", "skipped bad input"),
        ("memory-limit-reached", "batch below 256"),
    ],
)
def test_what_is_proven_gets_its_remedy_and_never_twice(slug: str, remedy: str) -> None:
    found = change_for(full_case(slug), ())
    assert isinstance(found, Change) and remedy == found.remedy

    again = change_for(full_case(slug), (remedy,))
    assert f"{remedy} was tried already, and did not help" == again


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (case("shuffle-buffer-too-large", Confidence.LIKELY), "is likely, not proven (to try it all the same: outlive run --bound …)"),
        (case("kept-in-container"), "no remedy that needs no change of code"),
        (case("interrupted"), "no remedy that needs no change of code"),
        (case("terminated-by-process"), "no remedy that needs no change of code"),
        (case("corrupt-image"), "no remedy that would help here"),  # no pipeline
        (case("memory-limit-reached"), "no remedy that would help here"),  # no adaptive step
        (case("too-many-open-files", open_files=(100, 100)), "no remedy that would help here"),
        (case("", verdict=Verdict("run", Ending(EndingKind.SIGNAL))), "nobody knows why it died"),
        (case("shuffle-buffer-too-large", verdict=died("shuffle-buffer-too-large", kind=EndingKind.HANG)), "it hangs"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_cannot_be_healed_is_said(asked: Case, reason: str) -> None:
    found = change_for(asked, ())

    assert isinstance(found, str) and reason in found


def test_the_state_is_handed_from_attempt_to_attempt() -> None:
    state = State(2, ("trimmed heap",), "20261116-000000-0", {"trim": "on"}, 17)

    assert state == State.read(state.written(), 9)
    assert State(9) == State.read("", 9)


def test_the_option_takes_a_number_or_none_and_never_the_next_word() -> None:
    assert 3 == parse(["--heal", "5"]).numbers["--heal"]
    assert 5 == parse(["--heal=5", "train.py"]).numbers["--heal"]
    assert "--heal" not in parse(["train.py", "--heal"]).numbers
    for text in ("0", "-1", "x", "1.5", ""):
        with pytest.raises(UsageError):
            parse([f"--heal={text}", "train.py"])


# Real deaths

OPENS = """\
import sys
kept = [open("/dev/null") for _ in range(300)]
print("opened", len(kept), sys.stdin.read())
"""


def run_limited(outlive: Outlive, *words: str, limit: Callable[[], None], **options: Any) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "outlive", "run", *words],
        cwd=outlive.folder, env=outlive.environment, preexec_fn=limit, capture_output=True, text=True,
        timeout=200, check=False, **({"stdin": subprocess.DEVNULL} | options),
    )  # fmt: skip


def few_files() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 4000))


@pytest.mark.death
def test_a_program_with_too_many_files_gets_more_and_finishes(outlive: Outlive) -> None:
    script = outlive.script("opens.py", OPENS)
    (outlive.folder / "input").write_text("all of it")
    with (outlive.folder / "input").open() as given:
        given.seek(4)

        done = run_limited(outlive, "--heal", str(script), limit=few_files, stdin=given)

    assert (0, "opened 300 of it\n") == (done.returncode, done.stdout), done.stderr
    assert "healing: the program may have 4000 files open instead of 100" in done.stderr
    assert "it ended well, healed by: more open files" in done.stderr
    first, second = outlive.runs
    rows = [json.loads(line) for line in outlive("runs", "--json").stdout.splitlines()]
    assert [first.name, None] == [row.get("healed_from") for row in rows]
    assert [None, second.name] == [row.get("tried_again_as") for row in rows]
    assert f"outlive why {second.name}" in outlive("why", first.name).stdout


@pytest.mark.death
def test_without_the_option_or_with_a_pipe_for_input_nothing_is_started_again(
    outlive: Outlive,
) -> None:
    script = outlive.script("opens.py", OPENS)

    bare = run_limited(outlive, str(script), limit=few_files)
    piped = run_limited(outlive, "--heal", str(script), limit=few_files, stdin=None, input="text")

    assert (1, 1) == (bare.returncode, piped.returncode)
    assert "healed" not in bare.stderr
    assert "not healed: it may have read its input, which is a pipe" in piped.stderr
    assert 2 == len(outlive.runs)


@pytest.mark.death
def test_what_no_remedy_serves_ends_as_it_ended(outlive: Outlive) -> None:
    script = outlive.script("dies.py", "import os\nos.kill(os.getpid(), 11)\n")

    done = run_limited(outlive, "--heal", str(script), limit=lambda: None)

    assert -11 == done.returncode
    assert "not healed: " in done.stderr and "no remedy" in done.stderr
    assert 1 == len(outlive.runs)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> Iterator[Path]:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory control group can be made")
        pytest.skip("no memory control group can be made here")
    with memory_group(request.param) as made:
        yield made


HOLES = """\
import os, time
kept = []
for length in (2_000, 30_000):
    made = [bytearray(number.to_bytes(4, "big") * (length // 4)) for number in range(190_000_000 // length)]
    kept.append(made[::10])
    del made
    time.sleep(2)  # other work: twenty ticks of the recorder
print(sum(map(len, kept)))
"""


@pytest.mark.death
@pytest.mark.parametrize("group", [300], indirect=True)
def test_a_heap_full_of_holes_is_trimmed_and_the_run_finishes(
    outlive: Outlive, group: Path
) -> None:
    done = run_limited(
        outlive, "--heal", str(outlive.script("holes.py", HOLES)), limit=lambda: enter(group)
    )

    assert (0, "10134\n") == (done.returncode, done.stdout), done.stderr
    assert "healed by: trimmed heap" in done.stderr


ADAPTS = """\
import outlive
def step(batch_size):
    return len([bytearray(b"x") * 2_000_000 for _ in range(batch_size)])
print(outlive.adaptive(step, 200, key="heal")())
"""


@pytest.mark.death
@pytest.mark.parametrize("group", [250], indirect=True)
def test_a_step_that_adapts_is_started_again_with_less(outlive: Outlive, group: Path) -> None:
    done = run_limited(
        outlive, "--heal", str(outlive.script("adapts.py", ADAPTS)), limit=lambda: enter(group)
    )

    assert 0 == done.returncode, done.stderr
    assert int(done.stdout) <= 100
    assert "healed by: batch below 200" in done.stderr


def require_tensorflow() -> None:
    if importlib.util.find_spec("tensorflow") is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: TensorFlow is not installed")
        pytest.skip("TensorFlow is not installed")


SHUFFLES = """\
import tensorflow as tf
total = 0.0
pictures = tf.data.Dataset.range(400).map(lambda number: tf.fill([512, 512, 3], tf.cast(number, tf.float32)))
for picture in pictures.shuffle(400):
    total += float(picture[0, 0, 0])
print(total)
"""

DECODES = """\
from pathlib import Path
import tensorflow as tf
good = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)).numpy()
for number in range(40):
    Path(f"{number}.jpg").write_bytes(b"" if number == 7 else good)
paths = [f"{number}.jpg" for number in range(40)]
pictures = tf.data.Dataset.from_tensor_slices(paths).map(lambda path: tf.io.decode_jpeg(tf.io.read_file(path)), 2)
print(sum(int(batch.shape[0]) for batch in pictures.batch(8).prefetch(1)))
"""


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.parametrize("group", [900], indirect=True)
def test_a_pipeline_that_does_not_fit_is_bounded_and_the_run_finishes(
    outlive: Outlive, group: Path
) -> None:
    require_tensorflow()
    script = outlive.script("shuffles.py", SHUFFLES)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: enter(group))

    assert (0, f"{sum(range(400)):.1f}\n") == (done.returncode, done.stdout), done.stderr
    assert "healed by: bounded pipelines" in done.stderr


@pytest.mark.tf
@pytest.mark.death
def test_a_picture_that_cannot_be_decoded_is_skipped_and_the_run_finishes(
    outlive: Outlive,
) -> None:
    require_tensorflow()
    script = outlive.script("decodes.py", DECODES)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: None)

    assert (0, "39\n") == (done.returncode, done.stdout), done.stderr
    assert "healed by: skipped bad input" in done.stderr
    log = re.search(r"in (\S+quarantine\.jsonl)\.", done.stderr)
    assert log is not None
    (line,) = Path(log[1]).read_text().splitlines()
    assert "7.jpg" == json.loads(line)["file"]
