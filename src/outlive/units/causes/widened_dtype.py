"""An array of eight-byte numbers where fewer bytes would do."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_A_NARROWER_TYPE_WOULD_SAVE,
    MEMORY_LIMIT,
    PEAK_MEMORY,
)
from outlive.model.findings import Change, Confidence, Fact, Finding, Remedy, size
from outlive.model.memory_looks import WideArray
from outlive.units.unit import BEHIND_GROWTH, cause

#: Of the limit: an array that would free less was not what filled it.
WORTH_SAVING = 0.2

#: How people write the types of eight bytes.
FLOATS = ("float64", "double", "float_", "float")
INTEGERS = ("int64", "longlong", "int_", "int")


@cause(
    "D125",
    since="0.2",
    behind=BEHIND_GROWTH,
    searched=(
        "numpy array float64 uses too much memory",
        "uint8 image to float64 memory",
        "divide by 255 memory explodes",
    ),
)
def widened_dtype(evidence: Evidence) -> Iterator[Finding]:
    """An array took eight bytes per number although its values fit into one or four.

    ## What happened
    NumPy computes in `float64` by default: bytes divided by 255, `astype(float)`, `np.zeros(shape)`, a list turned into an
    array. Pictures that took 1 GB as `uint8` take 8 GB, and TensorFlow then makes a `float32` copy of them.

    ## How we know
    When memory was high, an array with eight bytes per number held a large part of it, and either an
    array of the same shape with a narrower type was there too, or the sampled values (a few thousand; none was stored)
    all fit a narrower type. Or the line that ran while memory grew makes such an array out of a narrow one.

    ## What to do
    State the type: `astype(np.float32)`, `np.zeros(shape, np.float32)`, `np.divide(pictures, 255, dtype=np.float32)`.
    Better, keep the bytes and convert one batch at a time, in the pipeline or in the model (`layers.Rescaling(1 /
    255)`).
    """
    limit = evidence.memory.room()
    for pid in evidence.memory.exhausted():
        for array in evidence.growth.wide_arrays(pid)[:1]:
            saved = array.bytes - array.would_be_bytes
            if limit is None or saved < WORTH_SAVING * limit:
                continue
            yield Finding(
                f"{_named(array)} of shape {array.shape} is {array.dtype} and takes {size(array.bytes)}; "
                f"{'it was' if array.by_twin else 'its values fit'} {array.was}, "
                f"and {size(array.would_be_bytes)} would be enough.",
                (
                    Fact("known by", array.why, "in-process heap scan"),
                    Fact(MEMORY_A_NARROWER_TYPE_WOULD_SAVE, saved, "its shape"),
                    *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
                ),
                Confidence.LIKELY,
                _remedies(evidence, pid, array, limit),
                where=array.place or evidence.growth.growing_line(pid),
            )


def _named(array: WideArray) -> str:
    """The array by its name; what a line is about to make has none."""
    return (
        f"`{array.name}`" if " " not in array.name else f"{array.name[:1].upper()}{array.name[1:]}"
    )


def _narrower(dtype: str, was: str) -> tuple[Change, ...]:
    """The type on the line, where it is written there."""
    named = FLOATS if dtype == "float64" else INTEGERS
    becomes = "float32" if dtype == "float64" else was
    return (
        Change("astype", "dtype", becomes, 0, named),
        Change("", "dtype", becomes, None, named),
    )


def _remedies(evidence: Evidence, pid: int, array: WideArray, limit: int) -> tuple[Remedy, ...]:
    """Say the narrower type where that is enough; where it is not, or Keras' own copy of it is not, what is."""
    ledger = evidence.growth.last_ledger(pid)
    rest = max(0, ledger.own_bytes - array.bytes) if ledger is not None else 0
    copies = 2 if _is_given_to_keras(evidence, pid) else 1
    needed = rest + copies * array.would_be_bytes
    changes = _narrower(array.dtype, array.was)
    by_batch = "keep the narrow array and convert batch by batch: layers.Rescaling(1 / 255)"
    if needed <= limit:
        return (
            Remedy("Set the type where the array is created: dtype=np.float32.", changes=changes),
            Remedy(f"Or {by_batch}."),
        )
    copy = f", and Keras makes a copy of {size(array.would_be_bytes)} of it" if copies > 1 else ""
    return (
        Remedy(
            f"A float32 alone does not fit: it takes {size(array.would_be_bytes)}{copy}; with the rest that is {size(needed)} of {size(limit)}. "
            f'{by_batch[0].upper()}{by_batch[1:]}, or read it in parts (np.load(…, mmap_mode="r"), a tf.data.Dataset.from_generator).',
            changes=changes,
        ),
    )


def _is_given_to_keras(evidence: Evidence, pid: int) -> bool:
    """Tell whether Keras was seen at work on it: it copies a whole array that it is given."""
    return any(
        "/keras/" in frame.file
        for stack in evidence.run.stacks
        if stack.pid in (0, pid)
        for frame in stack.frames
    )
