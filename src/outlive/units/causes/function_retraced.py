"""tf.function traces anew at every call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_LIMIT,
    PEAK_MEMORY,
    SAMPLES_WITH_MORE_TRACES_THAN_BEFORE,
    TRACES_FIRST_SAMPLE,
    TRACES_LAST_SAMPLE,
)
from outlive.model.findings import Confidence, Fact, Finding, Remedy, Wrap, size
from outlive.model.memory import Traced
from outlive.units.unit import BEHIND_GROWTH, cause

#: A few shapes are normal.
MANY_TRACES = 20

#: Fewer are enough when the memory grew with them: TensorFlow itself warns at five, and chance does not add a trace at each of so many looks.
SOME_TRACES = 5
ENOUGH_LOOKS = 4

#: As traces show a tensor: its type, and its sides.
SHAPE = re.compile(r"(\w{1,20}) of shape \(([\dNone, ]{0,200})\)")
SIDE = re.compile(r"\d{1,20}|None")

#: As traces show a Python number that was handed over.
NUMBER = re.compile(r"(?:int|float) [-+.\de]+")


@cause(
    "D112",
    since="0.1",
    behind=BEHIND_GROWTH,
    searched=(
        "triggered tf.function retracing. Tracing is expensive",
        "5 out of the last 5 calls to triggered tf.function retracing",
        "model.predict in a loop memory leak",
        "tensorflow memory leak",
    ),
)
def function_retraced(evidence: Evidence) -> Iterator[Finding]:
    """A `tf.function` was traced again and again; every trace keeps a graph forever.

    ## What happened
    `tf.function` makes a new graph for each new Python value, shape or dtype of its arguments, and keeps them all. Called with a Python
    number that changes at every step, it grows by some hundred kilobytes a step (and by every constant it captures), and gets slower.

    ## How we know
    When memory was high, TensorFlow's own count of traces of this function was high, and higher in the next
    sample. Or the count was lower, but there were new traces each time memory had grown: then each trace is large.

    ## What to do
    Pass numbers as tensors (`tf.constant(rate)`), give an `input_signature`, or `reduce_retracing=True`. Create the function once, outside
    the loop.
    """
    for pid in evidence.memory.exhausted():
        often = [
            traced
            for traced in evidence.growth.traced.get(pid, ())
            if traced.often(MANY_TRACES, SOME_TRACES, ENOUGH_LOOKS)
        ]
        if not often:
            continue
        traced = often[0]
        differs = (
            f"; `{traced.argument}` was new each time ({', '.join(traced.examples)})"
            if traced.argument
            else ""
        )
        weight = f"; each added {size(traced.bytes_a_trace)}" if traced.count < MANY_TRACES else ""
        yield Finding(
            f"TensorFlow traced `{traced.place.function}` {traced.count} times and keeps a graph for each{weight}{differs}.",
            (
                Fact(TRACES_FIRST_SAMPLE, traced.first_count, "experimental_get_tracing_count"),
                Fact(TRACES_LAST_SAMPLE, traced.count, "experimental_get_tracing_count"),
                Fact(SAMPLES_WITH_MORE_TRACES_THAN_BEFORE, traced.rises, "in-process heap scan"),
                *_argument(traced.argument, traced.examples),
                *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
            ),
            Confidence.LIKELY,
            (*_remedies(traced),),
            where=traced.place,
        )


def _argument(name: str, examples: tuple[str, ...]) -> tuple[Fact, ...]:
    """The argument that differs, if it is known."""
    if not name:
        return ()
    return (Fact(f"argument `{name}`", ", ".join(examples), "the function's traces"),)


def _remedies(traced: Traced) -> tuple[Remedy, ...]:
    """Say what to pass instead: of a number a tensor, of tensors of many shapes one signature, of a new object always the same one."""
    signature = Remedy(
        "Or set a signature: @tf.function(input_signature=[…]), or reduce_retracing=True."
    )
    if not traced.argument:
        return (
            Remedy(
                "Create the function once, outside the loop; if it is, pass what changes as a tensor, not as a Python number or a new object."
            ),
            signature,
        )
    name, shapes = traced.argument, [SHAPE.fullmatch(one) for one in traced.examples]
    if traced.examples and all(shapes):
        ranks = {len(SIDE.findall(one[2])) for one in shapes if one}
        dtypes = {one[1] for one in shapes if one}
        sides = ", ".join(["None"] * ranks.pop()) if len(ranks) == 1 else "…"
        spec = f"tf.TensorSpec([{sides}], tf.{dtypes.pop() if len(dtypes) == 1 else '…'})"
        return (
            Remedy(
                f"`{name}` is a tensor already, and its shape is new each time. Let one trace serve all shapes: "
                f"@tf.function(reduce_retracing=True), or input_signature=[{spec}]."
            ),
            Remedy(
                "Or bring it to one shape first: pad it, or drop the smaller last batch (drop_remainder=True)."
            ),
        )
    number = all(NUMBER.fullmatch(one) for one in traced.examples)
    return (
        Remedy(
            f"Pass `{name}` as a tensor: {name}=tf.constant(…)."
            if number
            else f"Pass always the same object as `{name}`, or what changes in it as a tensor.",
            changes=_as_tensor(traced.place.function, name, traced.examples),
        ),
        signature,
    )


def _as_tensor(function: str, argument: str, examples: tuple[str, ...]) -> tuple[Wrap, ...]:
    """Where the argument is a number: what becomes a tensor as it is."""
    numbers = [example for example in examples if NUMBER.fullmatch(example)]
    if not argument or not examples or len(numbers) < len(examples):
        return ()
    return (Wrap(function.rpartition(".")[2], argument, "tf.constant"),)
