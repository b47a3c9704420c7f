"""Two dtypes that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.at_fault import complained, fact_of, facts_of_complaint, line_of, values_of_dtype
from outlive.complaints import Complaint
from outlive.data_use import Held
from outlive.evidence import Evidence
from outlive.model import Finding, Remedy
from outlive.unit import cause

#: TensorFlow's words for dtypes in its C++ messages.
NAMES = {"float": "float32", "double": "float64", "half": "float16", "string": "string"}


@cause(
    "D502",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "was expected to be a float tensor but is a double tensor",
        "Tensor conversion requested dtype float32 for Tensor with dtype float64",
        "Value passed to parameter has DataType not in list of allowed values",
        "Cannot set tensor: Got value of type FLOAT32 but expected type UINT8",
    ),
)
def dtype_mismatch(evidence: Evidence) -> Iterator[Finding]:
    """An operation or model was given a dtype that it does not take.

    ## What happened
    TensorFlow converts nothing by itself: an int32 position added to a float32 embedding, a float image for a model that takes uint8, float64
    from NumPy beside float32, texts or `None` in an array of numbers.

    ## How we know
    The operation names both dtypes. Which of the program's variables have them, and where they were made, was read from the program as it ended.

    ## What to do
    Convert one side: `tf.cast(x, tf.float32)`, `array.astype("float32")`; for a model with a uint8 input give it the picture as it was
    read, without dividing by 255.
    """
    complaint = complained(evidence, "dtype-mismatch")
    if complaint is None:
        return
    first, second = NAMES.get(complaint.first, complaint.first), _wanted(complaint)
    concerned = values_of_dtype(evidence, first, second)
    yield Finding(
        _says(complaint, first, second),
        (
            *facts_of_complaint(evidence, complaint),
            *(fact_of(held) for held in concerned[:4]),
        ),
        evidence.sure_of_fatal_error,
        (Remedy(_remedy(complaint, first, second, concerned)),),
        where=line_of(evidence, complaint),
    )


def _wanted(complaint: Complaint) -> str:
    words = [NAMES.get(word.strip(), word.strip()) for word in complaint.second.split(",")]
    if len(words) > 2:
        return "float32" if "float32" in words else words[-1]
    return words[0]


def _says(complaint: Complaint, first: str, second: str) -> str:
    what = complaint.name.removeprefix("_Mkl")
    if what.startswith("__inference"):
        what = "the model"
    if complaint.variant == "signature":
        return f"The model was called with {first}; it takes {second}."
    if first and second and what:
        told = f"`{what}`" if " " not in what else what[0].upper() + what[1:]
        told = f"Input {what}" if what.isdigit() else told
        return f"{told} was given {first} where {second} is expected."
    if first and second:
        return f"A value of type {first} was given where {second} is expected."
    return f"A dtype does not fit: {complaint.words}."


def _remedy(complaint: Complaint, first: str, second: str, concerned: tuple[Held, ...]) -> str:
    given = next((held for held in concerned if held.dtype == first), None)
    name = given.name if given is not None else "x"
    if first in ("object", "str", "string") or first.startswith(("str", "<U", "'", "[")):
        return (
            "Make numbers of the texts first (a label dictionary, tf.strings.to_number, pandas.to_numeric), "
            "and find what is not a number."
        )
    # Of an int and a float the int is converted, whichever came second: the other way round would cut digits off.
    if first.startswith("float") and second.startswith(("int", "uint")) and not complaint.variant:
        other = next((held for held in concerned if held.dtype == second), None)
        return f"Convert the other side: tf.cast({other.name if other else 'the int'}, tf.{first})."
    if not second:
        return "Convert it to the dtype that this operation takes: tf.cast(x, …), array.astype(…)."
    scale = (
        " (a picture with values 0 to 1 must be multiplied by 255 first)"
        if second == "uint8" and first.startswith("float")
        else ""
    )
    return f"Convert it first: tf.cast({name}, tf.{second}){scale}."
