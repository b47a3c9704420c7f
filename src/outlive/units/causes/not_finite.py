"""A check of the program's found NaN or infinity among its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.complaint_facts import complained, facts_of_complaint, line_of
from outlive.units.complaints import Complaint
from outlive.units.unit import cause

#: Keras's TerminateOnNaN prints this and stops; the program then ends in its own way.
#: ``log_1``, ``softmaxv2_3``: the second and later ones of an operation.
NUMBERED = bounded(r"(?:v2)?(?:_\d+)?$")
TERMINATED = bounded(r"Batch (\d+): Invalid loss, terminating training")

#: Operations that make NaN or infinity of ordinary numbers, and what helps.
KNOWN = {
    "log": "Keep the argument above 0: tf.math.log(tf.maximum(x, 1e-7)), or the loss with from_logits=True.",
    "div": "Guard the division: tf.math.divide_no_nan(a, b), or add a small number to the divisor.",
    "divide": "Guard the division: tf.math.divide_no_nan(a, b), or add a small number to the divisor.",
    "realdiv": "Guard the division: tf.math.divide_no_nan(a, b), or add a small number to the divisor.",
    "sqrt": "Keep the argument at or above 0: tf.sqrt(tf.maximum(x, 0.0)).",
    "exp": "Bound the argument: tf.exp(tf.minimum(x, 80.0)).",
    "pow": "Bound base and exponent before the power.",
}


@cause(
    "D503",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "loss is nan",
        "Tensor had NaN values",
        "Tensor had Inf values",
        "tf.debugging.enable_check_numerics InvalidArgumentError",
    ),
)
def not_finite(evidence: Evidence) -> Iterator[Finding]:
    """A number became NaN or infinite, and a check ended the program.

    ## What happened
    A logarithm of 0 or less, a division by 0, a loss that diverged because the learning rate is too high, or NaN in the
    data itself. NaN spreads through everything it touches, so the check that fails is seldom where it began.

    ## How we know
    A check says so: `tf.debugging.check_numerics`, `enable_check_numerics`, NumPy's error state, a conversion to int, Keras's
    `TerminateOnNaN`, or the program's own assertion. Which of the program's variables held NaN was read as it ended.

    ## What to do
    Find the first one: `tf.debugging.enable_check_numerics()` at the start names the operation that makes it. Then guard that operation,
    check the data (`np.isfinite(x).all()`), lower the learning rate, clip gradients (`clipnorm=1.0`).
    """
    complaint = complained(evidence, "not-finite")
    if complaint is not None:
        yield Finding(
            _says(evidence, complaint),
            (*facts_of_complaint(evidence, complaint), *_spoilt(evidence)),
            Confidence.LIKELY
            if complaint.variant == "own"
            else evidence.errors.sure_of(complaint.thrown),
            _remedies(complaint, _saw_tensorflow(evidence, complaint)),
            where=line_of(evidence, complaint),
        )
        return
    stopped = TERMINATED.search(evidence.run.log)
    if stopped is None or not evidence.run.failed or evidence.run.fatal_signal:
        return
    quit = evidence.exits.last("sys.exit")
    yield Finding(
        f"The loss became NaN or infinite at batch {stopped[1]}; training was stopped, and the program ended.",
        (Fact("log", stopped[0], "stderr"),),
        Confidence.LIKELY,
        _remedies(None, True),
        where=quit.own if quit is not None else None,
    )


def _says(evidence: Evidence, complaint: Complaint) -> str:
    spoilt = [held for held in evidence.scene.values if held.not_finite]
    if complaint.variant == "operation":
        return f"The operation `{complaint.name}` produced NaN or infinity."
    if spoilt:
        return f"`{spoilt[0].name}` holds {spoilt[0].not_finite} numbers that are NaN or infinite ({complaint.words.strip()})."
    return f"A number is NaN or infinite: {complaint.words.strip() or 'a check of the program failed'}."


def _spoilt(evidence: Evidence) -> Iterator[Fact]:
    for held in [held for held in evidence.scene.values if held.not_finite][:4]:
        made = f", made at {held.made}" if held.made is not None else ""
        yield Fact(
            f"`{held.name}`",
            f"{held.not_finite} not finite of {held.words}{made}",
            "the program's variables",
        )


def _remedies(complaint: Complaint | None, trains: bool) -> tuple[Remedy, ...]:
    name = complaint.name.rpartition("/")[2].lower() if complaint is not None else ""
    known = KNOWN.get(NUMBERED.sub("", name))
    general = Remedy(
        "To find the first operation that produces one, put tf.debugging.enable_check_numerics() at the start."
    )
    if complaint is not None and _of_another_library(complaint):
        return (
            Remedy(
                "Check what goes into this line: np.argwhere(~np.isfinite(x)) lists the NaN and infinite numbers. Fill or drop them before it (np.nan_to_num, dropna)."
            ),
        )
    if not trains and not known:
        return (
            Remedy(
                "Find where it begins: numpy.seterr(divide='raise', invalid='raise', over='raise') at the start makes NumPy stop at the first line that makes one (take numpy.errstate(all='ignore') away). Guard that line: np.maximum(divisor, 1), np.where. Where TensorFlow computes it: tf.debugging.enable_check_numerics()."
            ),
        )
    data = Remedy(
        "Check the data (np.isfinite(x).all()), lower the learning rate, clip gradients: Adam(1e-4, clipnorm=1.0)."
    )
    return (Remedy(known), data) if known else (general, data)


def _saw_tensorflow(evidence: Evidence, complaint: Complaint) -> bool:
    """Whether anything shows that TensorFlow computed: a check of its own, its frames, a word of it on stderr."""
    if complaint.variant != "own" or "tensorflow" in evidence.run.log.lower():
        return True
    frames = (
        *complaint.thrown.frames,
        *(frame for stack in evidence.run.stacks for frame in stack.frames),
    )
    return any(frame.package in ("tensorflow", "keras", "tf_keras") for frame in frames)


def _of_another_library(complaint: Complaint) -> bool:
    """Whether the check is of a library that has nothing to do with TensorFlow: its switches help nobody there."""
    frames = complaint.thrown.frames
    return (
        bool(frames)
        and not frames[0].own
        and not any(frame.package in ("tensorflow", "keras", "tf_keras") for frame in frames)
        and not complaint.thrown.type.startswith(("tensorflow", "keras"))
    )
