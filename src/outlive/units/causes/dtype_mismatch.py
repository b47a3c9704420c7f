"""Two dtypes that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.data import Held
from outlive.model.evidence import Evidence
from outlive.model.findings import Finding, Remedy
from outlive.units.complaint_facts import (
    complained,
    fact_of,
    facts_of_complaint,
    line_of,
    on_line,
    values_of_dtype,
)
from outlive.units.complaints import Complaint
from outlive.units.unit import cause

#: TensorFlow's words for dtypes in its C++ messages.
#: As LiteRT writes them.
LITERT = re.compile(r"U?INT\d{1,2}|FLOAT\d{2}")

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
    first, second = _name_of(complaint.first), _wanted(complaint)
    line, concerned = line_of(evidence, complaint), values_of_dtype(evidence, first, second)
    here = on_line(concerned, line)
    concerned = (*here, *(held for held in concerned if held not in here))
    yield Finding(
        _says(complaint, first, second),
        (
            *facts_of_complaint(evidence, complaint),
            *(fact_of(held) for held in concerned[:4]),
        ),
        evidence.errors.sure_of(complaint.thrown),
        (Remedy(_remedy(complaint, first, second, here)),),
        where=line,
    )


def _wanted(complaint: Complaint) -> str:
    words = [_name_of(word.strip()) for word in complaint.second.split(",")]
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
    return f"dtype mismatch: {complaint.words}."


def _name_of(dtype: str) -> str:
    """Name a type as TensorFlow's Python does; LiteRT writes FLOAT32."""
    known = {"FLOAT": "float32", "STRING": "string", "BOOL": "bool"}
    plain = known.get(dtype, dtype.lower() if LITERT.fullmatch(dtype) else dtype)
    return NAMES.get(plain, plain)


def _is_input(complaint: Complaint) -> bool:
    """Tell whether a model or a traced function was given the value, which takes one type only."""
    return bool(complaint.variant) or complaint.name.startswith("__inference")


def _remedy(complaint: Complaint, first: str, second: str, here: tuple[Held, ...]) -> str:
    given = next((held for held in here if held.dtype == first), None)
    if first in ("object", "str", "string") or first.startswith(("str", "<U", "'", "[")):
        return "Convert the strings to numbers first (a label dictionary, tf.strings.to_number, pandas.to_numeric), and find the values that are not numbers."
    # Of an int and a float the int is converted, whichever came second: the other way round would cut digits off. A model's input has no
    # other side: what it takes is what it was made for.
    other = next((held for held in here if held.dtype == second), None)
    if (
        first.startswith("float")
        and second.startswith(("int", "uint"))
        and not _is_input(complaint)
    ):
        if other is not None:
            return f"Convert the other side: tf.cast({other.name}, tf.{first})."
        if given is None:
            return f"Convert the {second} side to tf.{first}; a cast of the {first} side would cut its fractions off."
    if not second:
        return "Convert it to the dtype this operation takes: tf.cast(x, …), array.astype(…)."
    scale = (
        " (multiply a picture with values 0 to 1 by 255 first)"
        if second == "uint8" and first.startswith("float")
        else ""
    )
    if given is None:
        return f"Convert the {first} value on this line first: tf.cast(…, tf.{second}){scale}."
    return f"Convert it first: tf.cast({given.name}, tf.{second}){scale}."
