"""A death whose cause is proven, and has a remedy that needs no change of code, becomes a finished run; others are left alone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from limited import enter

from conftest import Outlive, skip_for_want_of
from made_evidence import evidence
from outlive.cli.run_program.request import parse
from outlive.errors import UsageError
from outlive.keep.heal.attempt import STATE_VARIABLE
from outlive.keep.heal.heal import Case, Change, State, change_for, healers
from outlive.keep.heal.importable_main import why_not
from outlive.model.data import Pipeline, Scene
from outlive.model.events import Checkpoint, Saving, Stack
from outlive.model.findings import Confidence, Ending, EndingKind, Finding, Place, Verdict
from outlive.model.waits import Forked, Standstill, Thing, Wait, Waiting
from outlive.units.unit import cause, discover

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
        assert healer.heals and set(healer.heals) <= slugs
        assert healer.doc


def test_no_two_healers_have_a_remedy_of_the_same_name() -> None:
    remedies = [
        change.remedy
        for healer in healers()
        for change in (
            healer.ask(full_case(healer.heals[0], **known))
            for known in ({}, {"batches_tried": ()}, {"brake_on": True})
        )
        if isinstance(change, Change)
    ]

    assert len(healers()) == len(set(remedies))


GUARDED = """\
import multiprocessing
def work(number):
    return number
if __name__ == "__main__":
    multiprocessing.Pool(2).map(work, [1])
"""


def full_case(slug: str, **known: Any) -> Case:
    """A death around which everything is known."""
    from outlive.model.surroundings_at_death import Circumstances, OpenFiles, Threads

    files = OpenFiles(count=100, limit=100, hard=5000)
    frames = (Place("/lib/python/multiprocessing/process.py", 1, "_bootstrap", own=False),)
    worker = Waiting(Stack("MainThread", frames, pid=8), Wait.LOCK, thing=Thing("lock", 1, True))
    view = evidence(
        "SIGKILL",
        scene=Scene(pipeline=Pipeline(())),
        circumstances=Circumstances(files=files, threads=Threads(90, 20)),
        saving=Saving(("outlive.on_pressure",), True, (SAVED,)),
        standstill=Standstill(9.0, (worker,), 7, forked={8: Forked(7, 3)}),
    )
    given = {"batches_tried": (256,), "checkpoints": (SAVED.path,), "main": (GUARDED, 5)}
    return Case(died(slug), view, "/runs/first", (100, 5000), **{**given, **known})


SAVED = Checkpoint("/saved/ckpt-3", "TensorFlow")


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
        ("forked-after-threads", "spawned workers"),
    ],
)
def test_what_is_proven_gets_its_remedy_and_never_twice(slug: str, remedy: str) -> None:
    found = change_for(full_case(slug), ())
    assert isinstance(found, Change) and remedy == found.remedy

    again = change_for(full_case(slug), (remedy,))
    assert f"{remedy} was already tried and did not help" == again


def test_a_program_that_can_save_is_braked_and_then_goes_on_and_neither_twice() -> None:
    slug, brake, resume = "kept-in-container", "brake with checkpoint", "resume from checkpoint"

    first = change_for(full_case(slug, batches_tried=()), ())
    second = change_for(full_case(slug, batches_tried=(), brake_on=True), (brake,))
    third = change_for(full_case(slug, batches_tried=(), brake_on=True), (brake, resume))

    assert isinstance(first, Change) and (brake, ("--brake",)) == (first.remedy, first.switches)
    assert isinstance(second, Change) and resume == second.remedy
    assert "whether it does is not known" in second.says
    assert f"{resume} was already tried and did not help" == third


@pytest.mark.parametrize(
    ("saving", "known", "expected"),
    [
        (Saving(("outlive.on_pressure",), True), {}, "saved nothing visible"),
        (Saving(), {}, "it cannot save near the limit"),
        (Saving((), False, (SAVED,)), {}, "no remedy would help here"),  # nobody knows that it resumes
        (Saving((), False, (SAVED,)), {"checkpoints": ()}, "no remedy would help here"),  # it is gone
        (Saving((), False, (SAVED,), (SAVED,)), {}, "which it reads at startup"),
        (Saving((), False, (Checkpoint("/saved/ckpt-3", "BackupAndRestore"),)), {}, "which it reads at startup"),
        (Saving((), False, (SAVED,)), {"brake_on": True, "saved_before": {"/saved/ckpt-2": "Keras"}},
         "it saved /saved/ckpt-2, but did not read it after the restart"),
    ],
)  # fmt: skip
def test_a_program_goes_on_from_a_checkpoint_only_as_far_as_is_known(
    saving: Saving, known: dict[str, Any], expected: str
) -> None:
    view = evidence("SIGKILL", saving=saving)
    given = {"checkpoints": (SAVED.path,), **known}

    found = change_for(Case(died("memory-limit-reached"), view, "/runs/first", **given), ())

    assert expected in (found.says if isinstance(found, Change) else found)


def test_a_proven_death_is_healed_also_where_it_is_only_likely_what_filled_the_memory() -> None:
    likely = Finding("so", (), Confidence.LIKELY, slug="native-leak")
    proven = Finding("so", (), Confidence.PROVEN, slug="memory-limit-reached")
    verdict = Verdict("run", Ending(EndingKind.SIGNAL, signal="SIGKILL"), (likely, proven))
    other = replace(verdict, findings=(replace(likely, slug="interrupted"), proven))
    full = full_case("", batches_tried=())

    assert isinstance(change_for(replace(full, verdict=verdict), ()), Change)
    assert "interrupted" in str(change_for(replace(full, verdict=other), ()))


IMPORTS = "import multiprocessing, os, subprocess, threading\nimport tensorflow as tf\n"
WORKS = "def work(number):\n    return number\n"
MAIN = 'if __name__ == "__main__":\n    multiprocessing.Pool(2).map(work, [1])\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (IMPORTS + "LOCK = threading.Lock()\ntf.random.set_seed(1)\nSIZE: int = 3 * 2\n" + WORKS + MAIN, ""),
        (IMPORTS + "class Log:\n    lock = threading.Lock()\n" + WORKS + MAIN, ""),
        (IMPORTS + WORKS + "multiprocessing.Pool(2).map(work, [1])\n", "line 5 is not below"),
        (IMPORTS + WORKS + "print('begins')\n" + MAIN, "line 5 is not below"),
        (IMPORTS + WORKS + "subprocess.run(['true'])\n" + MAIN, "line 5 is not below"),
        (IMPORTS + "MODEL = tf.keras.Sequential()\n" + WORKS + MAIN, "line 3 is not below"),
        (IMPORTS + WORKS.replace("number\n", "DATA[number]\n") + MAIN.replace(":\n", ":\n    DATA = [1]\n"), "`DATA` is changed"),
        (IMPORTS + "DATA = []\n" + WORKS.replace("number\n", "DATA[number]\n") + MAIN.replace(":\n", ":\n    DATA.append(1)\n"),
         "`DATA` is changed in the main process (line 7)"),
        (IMPORTS + "STEP = 0\ndef set_step():\n    global STEP\n    STEP = 3\n" + WORKS.replace("number\n", "STEP\n") + MAIN, "`STEP` is changed"),
        ("def work(:\n", "could not be read"),
    ],
)  # fmt: skip
def test_workers_are_spawned_only_where_importing_the_main_module_changes_nothing(
    text: str, reason: str
) -> None:
    line = len(text.splitlines())

    assert reason in why_not(text, line) if reason else "" == why_not(text, line)


def test_what_the_program_decided_and_what_a_person_ended_is_left_as_it_is() -> None:
    full = full_case("forked-after-threads")
    chosen = replace(
        full.evidence,
        children=replace(full.evidence.children, forks_by_name=(Place("pool.py", 4, "run"),)),
    )
    ended = replace(
        full.evidence,
        run=replace(full.evidence.run, ending=Ending(EndingKind.SIGNAL, signal="SIGTERM")),
    )
    hang = replace(full, verdict=died("forked-after-threads", kind=EndingKind.HANG))

    assert "pool.py:4 asks for fork explicitly" in str(
        change_for(replace(full, evidence=chosen), ())
    )
    assert "ended from outside (SIGTERM)" in str(change_for(replace(full, evidence=ended), ()))
    assert "it hangs but has not died" == change_for(hang, ())
    assert isinstance(change_for(replace(hang, may_be_ended=True), ()), Change)
    assert "not a file" in str(change_for(replace(full, main=None), ()))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (case("shuffle-buffer-too-large", Confidence.LIKELY), "is likely, not proven (to try it anyway: outlive run --bound …)"),
        (case("kept-in-container"), "it cannot save near the limit"),
        (case("interrupted"), "no remedy works without a code change"),
        (case("terminated-by-process"), "no remedy works without a code change"),
        (case("corrupt-image"), "it was not read by a tf.data pipeline"),
        (case("memory-limit-reached"), "it cannot save near the limit"),  # and no adaptive step
        (case("too-many-open-files", open_files=(100, 100)), "the limit reached is not this program's own"),
        (replace(full_case("too-many-open-files"), open_files=(100, 100)), "the limit of 100 open files cannot be raised"),
        (full_case("allocation-refused", batches_tried=(1,), checkpoints=()), "not even a batch of 1 fits"),
        (case("", verdict=Verdict("run", Ending(EndingKind.SIGNAL))), "the cause is unknown"),
        (case("shuffle-buffer-too-large", verdict=died("shuffle-buffer-too-large", kind=EndingKind.HANG)), "it hangs"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_cannot_be_healed_is_said(asked: Case, reason: str) -> None:
    found = change_for(asked, ())

    assert isinstance(found, str) and reason in found


def test_the_state_is_handed_from_attempt_to_attempt() -> None:
    state = State(
        2, ("trimmed heap",), "20261116-000000-0", {"trim": "on"}, 17, {"/a": "Keras"}, (2,)
    )

    assert state == State.read(state.written(), 9)
    assert State(9) == State.read("", 9)


def test_the_option_takes_a_number_or_none_and_never_the_next_word() -> None:
    assert 3 == parse(["--heal", "5"]).options.heal
    assert 5 == parse(["--heal=5", "train.py"]).options.heal
    assert 0 == parse(["train.py", "--heal"]).options.heal
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
        cwd=outlive.folder, preexec_fn=limit, capture_output=True, text=True,
        timeout=200, check=False, **({"stdin": subprocess.DEVNULL, "env": outlive.environment} | options),
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
    assert "succeeded on attempt 2 with more open files" in done.stderr
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
    assert "not healed: it may have read its stdin, which is a pipe" in piped.stderr
    assert 2 == len(outlive.runs)


@pytest.mark.death
def test_what_no_remedy_serves_ends_as_it_ended(outlive: Outlive) -> None:
    script = outlive.script("dies.py", "import os\nos.kill(os.getpid(), 11)\n")

    done = run_limited(outlive, "--heal", str(script), limit=lambda: None)

    assert -11 == done.returncode
    assert "not healed: " in done.stderr and "no remedy" in done.stderr
    assert 1 == len(outlive.runs)


@pytest.mark.death
def test_a_signal_to_end_that_comes_between_two_attempts_is_obeyed(outlive: Outlive) -> None:
    script = outlive.script("opens.py", OPENS)
    state = State(2, ("more open files",), "20261116-000000-0").written()

    def interrupted() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    after = run_limited(
        outlive, "--heal", str(script), limit=interrupted, env=outlive.environment | {STATE_VARIABLE: state},
    )  # fmt: skip
    assert (-signal.SIGINT, "", []) == (after.returncode, after.stdout, outlive.runs)

    before = run_limited(
        outlive, "--heal", "--on-death", "kill -INT $PPID", str(script), limit=few_files
    )
    assert 1 == before.returncode
    assert "not healed: SIGINT was received" in before.stderr


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
@pytest.mark.memory(300)
def test_a_heap_full_of_holes_is_trimmed_and_the_run_finishes(
    outlive: Outlive, group: Path
) -> None:
    done = run_limited(
        outlive, "--heal", str(outlive.script("holes.py", HOLES)), limit=lambda: enter(group)
    )

    assert (0, "10134\n") == (done.returncode, done.stdout), done.stderr
    assert re.search(r"succeeded on attempt \d with trimmed heap", done.stderr), done.stderr


ADAPTS = """\
import outlive
def step(batch_size):
    return len([bytearray(b"x") * 2_000_000 for _ in range(batch_size)])
print(outlive.adaptive(step, 200, key="heal")())
"""


@pytest.mark.death
@pytest.mark.memory(250)
def test_a_step_that_adapts_is_started_again_with_less(outlive: Outlive, group: Path) -> None:
    done = run_limited(
        outlive, "--heal", str(outlive.script("adapts.py", ADAPTS)), limit=lambda: enter(group)
    )

    assert 0 == done.returncode, done.stderr
    assert int(done.stdout) <= 100
    assert re.search(r"succeeded on attempt \d with batch below 200", done.stderr), done.stderr


SAVES = """\
import json, os, sys, time, outlive
state = json.load(open("state")) if os.path.exists("state") else [0, 0]
def save(now):
    with open("state.new", "w") as file:
        json.dump(state, file)
    os.replace("state.new", "state")
    return "state"
outlive.on_pressure(save)
print("from", state[0], flush=True)
kept = []
while state[0] < 360:
    kept.append(bytearray(b"x") * 1_000_000)
    state = [state[0] + 1, state[1] + state[0]]
    # A step takes a while, and the recorder looks fifty times a second; where it must act there are 6 MB until memory is refused.
    time.sleep(0.004 if len(kept) < 135 else 0.04)
print(state[1])
"""


@pytest.mark.death
@pytest.mark.memory(200)
def test_a_program_that_saves_near_the_limit_is_stopped_there_and_goes_on_from_it(
    outlive: Outlive, group: Path
) -> None:
    script = outlive.script("saves.py", SAVES)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: enter(group))
    if done.returncode == -signal.SIGKILL and not done.stderr:
        # Rarely the kernel kills the supervisor with its program: then nobody is left to heal anything.
        done = run_limited(outlive, "--heal", str(script), limit=lambda: enter(group))

    *begun, total = done.stdout.splitlines()
    assert (0, str(sum(range(360)))) == (done.returncode, total), done.stderr
    steps = [int(line.split()[1]) for line in begun]
    assert 3 == len(steps) and 0 == steps[0] < steps[1] < steps[2], steps
    assert re.search(
        r"succeeded on attempt \d with brake with checkpoint, resume from checkpoint.", done.stderr
    ), done.stderr
    rows = [json.loads(line) for line in outlive("runs", "--json").stdout.splitlines()]
    assert [None, rows[0]["run"], rows[1]["run"]] == [row.get("tried_again_as") for row in rows]


def require_tensorflow() -> None:
    if importlib.util.find_spec("tensorflow") is None:
        skip_for_want_of("TensorFlow is not installed")


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
@pytest.mark.memory(900)
def test_a_pipeline_that_does_not_fit_is_bounded_and_the_run_finishes(
    outlive: Outlive, group: Path
) -> None:
    require_tensorflow()
    script = outlive.script("shuffles.py", SHUFFLES)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: enter(group))

    assert (0, f"{sum(range(400)):.1f}\n") == (done.returncode, done.stdout), done.stderr
    assert re.search(r"succeeded on attempt \d with bounded pipelines", done.stderr), done.stderr


@pytest.mark.tf
@pytest.mark.death
def test_a_picture_that_cannot_be_decoded_is_skipped_and_the_run_finishes(
    outlive: Outlive,
) -> None:
    require_tensorflow()
    script = outlive.script("decodes.py", DECODES)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: None)

    assert (0, "39\n") == (done.returncode, done.stdout), done.stderr
    assert re.search(r"succeeded on attempt \d with skipped bad input", done.stderr), done.stderr
    log = re.search(r"in (\S+quarantine\.jsonl)\.", done.stderr)
    assert log is not None
    (line,) = Path(log[1]).read_text().splitlines()
    assert "7.jpg" == json.loads(line)["file"]


TRAINS = """\
import os
import keras, numpy as np, outlive
class Leaks(keras.callbacks.Callback):
    kept = []
    def on_train_batch_end(self, batch, logs=None):
        self.kept.append(bytearray(b"x") * 2_000_000)
if os.path.exists("last.keras"):
    model = keras.models.load_model("last.keras")
else:
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
done = int(model.optimizer.iterations)
print("from", done, flush=True)
left = 280 - done
model.fit(np.zeros([left, 4], "float32"), np.zeros([left, 1], "float32"), batch_size=1, verbose=0,
          callbacks=[outlive.PressureCallback("last.keras"), Leaks()])
print("done", int(model.optimizer.iterations))
"""


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.memory(600)
def test_a_training_that_leaks_finishes_from_its_checkpoints_with_every_step_done_once(
    outlive: Outlive, group: Path
) -> None:
    require_tensorflow()
    script = outlive.script("trains.py", TRAINS)

    done = run_limited(outlive, "--heal", str(script), limit=lambda: enter(group))

    *begun, total = done.stdout.splitlines()
    assert (0, "done 280") == (done.returncode, total), done.stderr
    steps = [int(line.split()[1]) for line in begun]
    assert sorted(set(steps)) == steps and 0 == steps[0], steps
    assert re.search(r"succeeded on attempt \d with brake with checkpoint", done.stderr), (
        done.stderr
    )
    if len(steps) > 2:  # by then it has been seen to read what it saved
        assert "(saved by Keras), which it reads at startup" in done.stderr


FORKS = """\
import multiprocessing
import tensorflow as tf
def work(number):
    noise = tf.random.normal([300, 300])  # on every processor shared out among threads, unlike a matmul
    return float(tf.reduce_sum(noise * 0.0)) + number
if __name__ == "__main__":
    tf.matmul(tf.ones([300, 300]), tf.ones([300, 300]))
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, [1, 2, 3]))
"""


@pytest.mark.tf
@pytest.mark.death
def test_workers_that_hang_of_a_fork_are_ended_and_spawned_and_the_run_finishes(
    outlive: Outlive,
) -> None:
    require_tensorflow()
    script = outlive.script("forks.py", FORKS)

    done = run_limited(outlive, "--heal", "--hang-after", "4", str(script), limit=lambda: None)

    results = [1.0, 2.0, 3.0]
    assert (0, f"{results}\n") == (done.returncode, done.stdout), done.stderr
    assert "outlive: stopping it: SIGTERM" in done.stderr
    assert re.search(r"succeeded on attempt \d with spawned workers.", done.stderr), done.stderr
    first = json.loads(outlive("why", "--json", outlive.runs[0].name).stdout)
    assert ("forked-after-threads", "proven") == (
        first["cause"]["slug"],
        first["cause"]["confidence"],
    )
    assert [] == still_there(outlive.runs[0])


def still_there(folder: Path) -> list[int]:
    """Processes of a run that live on."""
    pids = {int(path.name.partition("-")[0]) for path in folder.glob("rings/*.ring")}
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


THREADS = """\
import threading
import tensorflow as tf
tf.matmul(tf.ones([300, 300]), tf.ones([300, 300]))
over = threading.Event()
for _ in range(30):
    threading.Thread(target=over.wait, daemon=True).start()
over.set()
print("started")
"""


@pytest.mark.tf
@pytest.mark.death
@pytest.mark.tasks(110)
def test_a_program_whose_libraries_take_all_threads_gets_fewer_and_finishes(
    outlive: Outlive, tasks: Path
) -> None:
    """As on a machine of many cores, which TensorFlow counts: here it is told so."""
    require_tensorflow()
    script = outlive.script("threads.py", THREADS)
    many = dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "80")

    done = run_limited(
        outlive, "--heal", str(script), limit=lambda: enter(tasks), env=outlive.environment | many
    )

    assert (0, "started\n") == (done.returncode, done.stdout), done.stderr
    assert re.search(r"succeeded on attempt \d with fewer threads", done.stderr), done.stderr
