"""Remedies that were wrong once, of other programs: each names what this one does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from made_evidence import PID, UNITS, evidence
from outlive.model.data import Feature, Held, Inspection, LookedAt, Scene
from outlive.model.events import Act, Checkpoint, Origin, Saving, Stack, Thrown
from outlive.model.findings import Finding, Place
from outlive.model.memory import Growth, Traced
from outlive.model.memory_looks import Alive, Ledger, Looks, Making, WideArray
from outlive.model.surroundings_at_death import Circumstances, Pile, Room
from outlive.units.memory_advice import advice_for

LINE = Place("job.py", 4, "work", "return work(frame, steps * gain)")


def told(slug: str, how: str | int = 1, **known: Any) -> str:
    finding = found(slug, how, **known)
    return " ".join(remedy.text for remedy in finding.remedies)


def found(slug: str, how: str | int = 1, **known: Any) -> Finding:
    findings = list(UNITS[slug].ask(evidence(how, **known)))
    assert findings, f"{slug} has nothing to say"
    return findings[0]


def thrown(message: str, kind: str = "ValueError", **known: Any) -> dict[str, Any]:
    library = Place("/v/site-packages/tensorflow/python/x.py", 9, "call", own=False)
    error = Thrown(
        kind, message, frames=(library, LINE), bases=("Exception",), origin=Origin.MAIN, pid=PID
    )
    return {"thrown": (error,), **known}


def held(*values: tuple[str, str]) -> Scene:
    return Scene(
        values=tuple(Held(name, "tf.Tensor", LINE, (1, 8, 8, 3), dtype) for name, dtype in values)
    )


@pytest.mark.parametrize(
    "message",
    [
        "Cannot set tensor: Got value of type FLOAT32 but expected type UINT8 for input 0, name: input",
        "cannot compute __inference_serve_42 as input #0(zero-based) was expected to be a uint8 tensor but is a float tensor",
    ],
)
def test_a_model_of_bytes_is_given_bytes(message: str) -> None:
    text = told("dtype-mismatch", **thrown(message, scene=held(("frame", "float32"))))

    assert "tf.cast(frame, tf.uint8)" in text
    assert "other side" not in text


def test_of_an_int_and_a_float_that_meet_the_int_is_cast() -> None:
    message = "cannot compute Mul as input #1(zero-based) was expected to be a int32 tensor but is a float tensor [Op:Mul]"
    scene = held(("steps", "int32"), ("gain", "float32"))

    assert "tf.cast(steps, tf.float32)" in told("dtype-mismatch", **thrown(message, scene=scene))


def test_what_the_wrong_value_was_made_of_is_not_converted() -> None:
    """Tokens look up embeddings and give the length of the positions: as floats they would do neither."""
    message = "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a int32 tensor [Op:AddV2]"
    tokens = Held("tokens", "tf.Tensor", LINE, (2, 3), "int32")
    known = thrown(message, "InvalidArgumentError", scene=Scene(values=(tokens,)))

    assert "tf.cast(…, tf.float32)" in told("dtype-mismatch", **known)

    steps = replace(tokens, name="steps")
    known = thrown(message, "InvalidArgumentError", scene=Scene(values=(tokens, steps)))

    assert "tf.cast(steps, tf.float32)" in told("dtype-mismatch", **known)


def records(*features: Feature, bad: int = 1, seen: int = 1) -> Inspection:
    files = tuple(LookedAt("a.tfrecord", "the pipeline", 90, "differs", n, 0, features=(one,)) for n, one in enumerate(features))  # fmt: skip
    return Inspection(files, "/data", seen, bad)


NUMBER = "Key: echo.  Can't parse serialized Example: Some float_list slice was not parsed."
MISSING = "Feature: labels (data type: int64) is required but could not be found."


def test_eight_floats_are_read_as_eight_floats() -> None:
    known = thrown(NUMBER, "InvalidArgumentError", inspection=records(Feature("echo", "float", 8)))

    assert '"echo": tf.io.FixedLenFeature([8], tf.float32)' in told("record-schema-mismatch", **known)  # fmt: skip


def test_numbers_that_differ_are_read_as_they_come() -> None:
    looked = records(Feature("echo", "float", 8), Feature("echo", "float", 5))
    known = thrown(NUMBER, "InvalidArgumentError", inspection=looked)

    assert "tf.io.VarLenFeature(tf.float32)" in told("record-schema-mismatch", **known)


def test_a_misspelt_feature_gets_no_default() -> None:
    known = thrown(
        MISSING, "InvalidArgumentError", inspection=records(Feature("label", "int64", 1))
    )
    text = told("record-schema-mismatch", **known)

    assert "call it `label`" in text
    assert "default_value" not in text


def test_a_feature_that_no_record_has_gets_no_default() -> None:
    known = thrown(
        MISSING, "InvalidArgumentError", inspection=records(Feature("price", "float", 1))
    )
    text = told("record-schema-mismatch", **known)

    assert "No record has `labels`; they have price" in text
    assert "default_value" not in text


def test_a_feature_that_some_records_lack_may_have_a_default() -> None:
    looked = records(Feature("price", "float", 1), bad=2, seen=9)

    assert "default_value=0" in told("record-schema-mismatch", **thrown(MISSING, "InvalidArgumentError", inspection=looked))  # fmt: skip


@pytest.mark.parametrize(
    ("missing", "there", "meant"),
    [
        ("shot_062.png", "shot_063.png", False),
        ("part-7-of-9.txt", "part-8-of-9.txt", False),
        ("shot_62.png", "shot_062.png", True),
        ("lables.csv", "labels.csv", True),
    ],
)
def test_another_number_of_a_series_is_not_what_was_meant(
    missing: str, there: str, meant: bool
) -> None:
    look = Inspection((LookedAt(f"/data/{missing}", "the message"),), "/data", 99, exists="/data", similar=(there,))  # fmt: skip
    known = thrown(f"[Errno 2] No such file or directory: '/data/{missing}'", "FileNotFoundError", inspection=look)  # fmt: skip

    text = told("missing-file", **known)

    assert meant == ("Did you mean" in text)
    assert meant != ("others of its series" in text)


def closed_by(thread: str, code: str) -> dict[str, Any]:
    error = Thrown("RuntimeError", "Attempted to use a closed Session.", frames=(LINE,), origin=Origin.MAIN, pid=PID, thread="MainThread")  # fmt: skip
    act = Act("closed", "session", thread, (Place("job.py", 2, "work", code),), PID)
    return {"thrown": (error,), "acts": (act,)}


def test_nobody_is_told_to_join_the_only_thread() -> None:
    within = told("session-closed", **closed_by("MainThread", "with tf.Session() as s:"))
    after = told("session-closed", **closed_by("MainThread", "s.close()"))
    threads = told("session-closed", **closed_by("Thread-1", "s.close()"))

    assert "Move line 4 into the block" in within
    assert "after line 4" in after
    assert "Join" not in within + after
    assert "Join" in threads


def traced(argument: str, *examples: str) -> dict[str, Any]:
    one = Traced("step", 90, 10, LINE, argument, examples)
    return {"how": "SIGKILL", "traced": {PID: (one,)}, **killed()}


def killed() -> dict[str, Any]:
    from made_evidence import group

    return {"groups": (group(limit=500_000_000, used=500_000_000, kills=(0, 1)),), "facts": {"memory limit": 500_000_000}}  # fmt: skip


def test_a_tensor_is_not_told_to_be_a_tensor() -> None:
    shapes = told("function-retraced", **traced("x", "float32 of shape (3, 5)", "float32 of shape (4, 5)"))  # fmt: skip
    numbers = told("function-retraced", **traced("rate", "float 0.1", "float 0.2"))

    assert "is a tensor already" in shapes
    assert "tf.TensorSpec([None, None], tf.float32)" in shapes
    assert "tf.constant" not in shapes
    assert "rate=tf.constant" in numbers


def wide(own: int, keras: bool) -> str:
    array = WideArray("x", "float64", "(9,)", 200_000_000, "float32", 100_000_000, "", LINE)
    looks = Looks((Ledger(own, 500_000_000),), arrays=(array,))
    frame = Place("/v/site-packages/keras/src/trainers/trainer.py", 3, "fit", own=False)
    stacks = (Stack("MainThread", (frame, LINE), pid=PID),) if keras else ()
    return told("widened-dtype", "SIGKILL", looks={PID: looks}, stacks=stacks, **killed())


def test_float32_is_not_enough_where_the_copy_of_keras_does_not_fit() -> None:
    assert "dtype=np.float32" in wide(450_000_000, keras=False)
    assert "dtype=np.float32" in wide(450_000_000, keras=True)
    assert "does not fit" in wide(520_000_000, keras=True)
    assert "Keras makes a copy" in wide(520_000_000, keras=True)
    assert "does not fit" not in wide(520_000_000, keras=False)


@pytest.mark.parametrize(
    ("by", "says"),
    [("Keras", "save_best_only"), ("TensorFlow", "max_to_keep"), ("", "as new ones are written")],
)
def test_who_saves_is_told_in_its_own_words(by: str, says: str) -> None:
    room = Room("/data/c", "/data", "ext4", 0, 1000, how="named", piles=(Pile("*.keras", 9, 900),))
    known = thrown("[Errno 28] No space left on device", "OSError")
    saving = Saving(saved=(Checkpoint("/data/c/1.keras", by),) if by else ())
    text = told("disk-full", circumstances=Circumstances(rooms=(room,)), saving=saving, **known)

    assert says in text
    assert ("max_to_keep" in text) == (by == "TensorFlow")


def test_the_limit_says_what_the_line_was_about_to_make() -> None:
    making = Making(LINE, "np.zeros((9, 9))", "9×9 float64", 300_000_000, "give it less", (Alive("old", "5×5 float32", 90_000_000),))  # fmt: skip
    known = {
        **killed(),
        "lines": {PID: Growth(LINE, 0.9, 250_000_000, 3.0)},
        "makings": {PID: making},
    }
    finding = found("memory-limit-reached", "SIGKILL", **known)
    text = " ".join(remedy.text for remedy in finding.remedies)

    assert "which makes `np.zeros((9, 9))`: 9×9 float64, 300 MB" in finding.says
    assert "Give it less." in text
    assert "`old` (5×5 float32, 90.0 MB)" in text
    assert "Keep less in memory at once" not in text


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x = np.load(path)", "mmap_mode"),
        ("total += loss", ".item()"),
        ("joined = left.merge(right, on='id')", "validate="),
        ("scores = model.predict(x, batch_size=900)", "batch_size=8"),
        ("frame = pd.get_dummies(frame)", "sparse=True"),
        ("dense = matrix.toarray()", "sparse"),
        ("gaps = rows[:, None] - rows[None]", "blocks of rows"),
        ("print('hello')", ""),
        ("line = ','.join(words)", ""),
        ("scaled = scaler.transform(rows)", ""),
        ("tree.fit(rows, labels)", ""),
    ],
)
def test_what_to_write_instead_of_a_known_call(code: str, says: str) -> None:
    advice = advice_for(code)

    assert says in advice
    assert bool(says) == bool(advice)


def test_a_single_picture_taken_for_a_batch_is_told_so() -> None:
    message = (
        "Exception encountered when calling Conv2D.call().\n"
        "Negative dimension size caused by subtracting 3 from 1 for '{{node conv}} = Conv2D[]'\n"
        "Arguments received by Conv2D.call():\n  • inputs=tf.Tensor(shape=(40, 40, 1, 1), dtype=float32)"
    )
    scene = Scene(values=(Held("scan", "numpy.ndarray", LINE, (40, 40, 1), "float32"),))
    line = Place("job.py", 4, "work", "model.predict(scan)")
    error = Thrown("ValueError", message, frames=(Place("/v/site-packages/keras/x.py", 1, "f", own=False), line), bases=("Exception",), origin=Origin.MAIN, pid=PID)  # fmt: skip
    finding = found("shape-mismatch", thrown=(error,), scene=scene)

    assert "single example was taken for a batch of 40" in finding.says
    assert "scan[tf.newaxis, ...]" in finding.remedies[0].text


def test_a_picture_without_a_shape_is_told_what_to_decode() -> None:
    finding = found("shape-mismatch", **thrown("'images' contains no shape."))

    assert "expand_animations=False" in finding.remedies[0].text


def test_a_check_of_scipys_is_not_answered_with_a_switch_of_tensorflows() -> None:
    library = Place("/v/site-packages/scipy/linalg/_basic.py", 9, "lstsq", own=False)
    error = Thrown("ValueError", "array must not contain infs or NaNs", frames=(library, LINE), bases=("Exception",), origin=Origin.MAIN, pid=PID)  # fmt: skip

    text = told("not-finite", thrown=(error,))

    assert "np.isfinite" in text
    assert "tf." not in text


def test_a_check_of_the_programs_own_is_answered_with_what_finds_the_operation() -> None:
    error = Thrown("ValueError", "array must not contain infs or NaNs", frames=(LINE,), bases=("Exception",), origin=Origin.MAIN, pid=PID)  # fmt: skip

    assert "enable_check_numerics" in told("not-finite", thrown=(error,))
