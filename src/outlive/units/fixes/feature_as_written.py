"""A feature of a record that is read as it was written."""

from __future__ import annotations

import ast
import difflib

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.complaint_facts import complained
from outlive.units.unit import fix

TYPES = {"float": "float32", "int64": "int64", "string": "string"}


@fix("F125", since="0.2", heals=("record-schema-mismatch",))
def feature_as_written(case: FixCase) -> Answer:
    """The feature is read with the type and the number of values that the record has.

    ## What it changes
    Shape and type in `tf.io.FixedLenFeature`.

    ## When it is offered
    The message, or the record itself, tells what was written, and the file describes the feature in one place.

    ## What becomes of the results
    The values are those of the record. Code after it may expect others.
    """
    complaint = complained(case.evidence, "record-schema-mismatch")
    if complaint is None or complaint.variant not in ("type", "number", "missing"):
        return None
    entries = [
        value
        for table in case.source.every(ast.Dict)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == complaint.name.strip()
        and isinstance(value, ast.Call) and last_name(value.func) == "FixedLenFeature"
    ]  # fmt: skip
    if len(entries) != 1:
        return f"the feature `{complaint.name}` is described in {len(entries)} places of this file"
    call = entries[0]
    shape, kind = case.argument(call, "shape", 0), case.argument(call, "dtype", 1)
    if complaint.variant == "missing":
        return _of_a_missing_one(case, complaint.name.strip(), complaint.second, call)
    if complaint.variant == "type" and kind is not None:
        written = TYPES.get(complaint.first, complaint.first)
        prefix = case.source.names.alias("tf.int64")
        named = prefix.replace("int64", written) if prefix else f'"{written}"'
        return Patch(
            f"Read `{complaint.name}` as {written}, as it was written.",
            (case.replaced(kind, named),),
            results=f"`{complaint.name}` has the type {written} in the program, too.",
        )
    counts = {
        one.count
        for file in case.evidence.inspection.files
        for one in file.features
        if one.name == complaint.name.strip()
    }
    count = complaint.first or (str(counts.pop()) if len(counts) == 1 else "")
    if complaint.variant == "number" and count and shape is not None:
        return Patch(
            f"Read the {count} values of `{complaint.name}`.",
            (case.replaced(shape, f"[{count}]"),),
            results=f"`{complaint.name}` has the shape ({count},) in the program.",
        )
    return "the number of values in the records is not known"


def _of_a_missing_one(case: FixCase, name: str, kind: str, call: ast.Call) -> Answer:
    """Read it by the name that the records have; or give a default where only some records lack it."""
    other, look = _spelt_otherwise(case, name), case.evidence.inspection
    if other:
        keys = [key for table in case.source.every(ast.Dict) for key in table.keys]
        keys += [part.slice for part in case.source.every(ast.Subscript)]
        named = [key for key in keys if isinstance(key, ast.Constant) and key.value == name]
        return Patch(
            f"Read the feature as the records name it: {other!r}.",
            tuple(case.replaced(key, f'"{other}"') for key in named),
            results=f"The parsed example has the key {other!r}; what reads {name!r} in other files must change, too.",
        )
    if not 0 < look.bad < look.seen or case.argument(call, "default_value", 2) is not None:
        return "only the author knows whether the feature is missing on purpose"
    default = '""' if kind == "string" else "0"
    return Patch(
        f"Give `{name}` a default for the records that lack it.",
        (case.one_argument_more(call, f"default_value={default}"),),
        results=f"The {look.bad} of {look.seen} records that lack `{name}` are read with {default} in its place.",
    )


def _spelt_otherwise(case: FixCase, name: str) -> str:
    """The one feature of the records whose name is nearly this one."""
    others = [one.name for file in case.evidence.inspection.files[:1] for one in file.features]
    alike = [one for one in others if one.casefold() == name.casefold()]
    close = alike or difflib.get_close_matches(name, others, 2, 0.75)
    return close[0] if len(close) == 1 else ""
