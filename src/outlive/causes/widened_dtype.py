"""An array of eight-byte numbers where fewer bytes would do."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Change, Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_GROWTH, cause

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
    """An array took eight bytes a number where its values needed one or four.

    ## What happened
    NumPy computes in `float64` unless it is told otherwise: bytes divided by 255, `astype(float)`, `np.zeros(shape)`, a list turned into an
    array. Pictures that took 1 GB as `uint8` take 8 GB, and TensorFlow then makes a `float32` copy of them.

    ## How we know
    When memory was in danger, an array with eight bytes a number held a large part of it, and either an array of the same shape with a
    narrower type was there too, or the values that were looked at (a few thousand; none was kept) all fit a narrower type. Or the line
    that ran while memory grew makes such an array out of a narrow one.

    ## What to do
    Say the type: `astype(np.float32)`, `np.zeros(shape, np.float32)`, `np.divide(pictures, 255, dtype=np.float32)`. Better, keep the
    bytes and convert one batch at a time, in the pipeline or in the model (`layers.Rescaling(1 / 255)`).
    """
    limit = evidence.room()
    for pid in evidence.exhausted():
        for array in evidence.wide_arrays(pid)[:1]:
            saved = array.bytes - array.would_be_bytes
            if limit is None or saved < WORTH_SAVING * limit:
                continue
            yield Finding(
                f"`{array.name}` of shape {array.shape} is {array.dtype} and takes {size(array.bytes)}; "
                f"{'it was' if array.by_twin else 'its values fit'} {array.was}, "
                f"and {size(array.would_be_bytes)} would do.",
                (
                    Fact("known by", array.why, "census in the program"),
                    Fact("memory that a narrower type saves", saved, "its shape"),
                    *evidence.because("memory limit", "peak memory", "last line seen"),
                ),
                Confidence.LIKELY,
                (
                    Remedy(
                        "Say the type where the array is made: dtype=np.float32.",
                        changes=_narrower(array.dtype, array.was),
                    ),
                    Remedy(
                        "Or keep the narrow array and convert batch by batch: layers.Rescaling(1 / 255)."
                    ),
                ),
                where=array.place or evidence.growing_line(pid),
            )


def _narrower(dtype: str, was: str) -> tuple[Change, ...]:
    """The type on the line, where it is written there."""
    named = FLOATS if dtype == "float64" else INTEGERS
    becomes = "float32" if dtype == "float64" else was
    return (
        Change("astype", "dtype", becomes, 0, named),
        Change("", "dtype", becomes, None, named),
    )
