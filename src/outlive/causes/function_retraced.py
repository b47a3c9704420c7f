"""tf.function traces anew at every call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, Wrap, size
from outlive.unit import BEHIND_GROWTH, cause

#: A few shapes are normal.
MANY_TRACES = 20

#: Fewer are enough when the memory grew with them: TensorFlow itself warns at five, and chance does not add a trace at each of so many looks.
SOME_TRACES = 5
ENOUGH_LOOKS = 4

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
    """A `tf.function` was traced again and again; every trace keeps a graph for ever.

    ## What happened
    `tf.function` makes a new graph for each new Python value, shape or dtype of its arguments, and keeps them all. Called with a Python
    number that changes at every step, it grows by some hundred kilobytes a step (and by every constant it captures), and gets slower.

    ## How we know
    When memory was in danger, TensorFlow's own count of traces of this function was high, and higher at the next look; or it was not so
    high, but each time that memory had grown by another step there were new traces: then each of them is heavy.

    ## What to do
    Pass numbers as tensors (`tf.constant(rate)`), give an `input_signature`, or `reduce_retracing=True`. Create the function once, outside
    the loop.
    """
    for pid in evidence.exhausted():
        often = [
            traced
            for traced in evidence.traced.get(pid, ())
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
        weight = (
            f"; memory grew by {size(traced.bytes_a_trace)} with each"
            if traced.count < MANY_TRACES
            else ""
        )
        yield Finding(
            f"TensorFlow traced `{traced.place.function}` {traced.count} times, and keeps a graph for each{weight}{differs}.",
            (
                Fact(
                    "traces at the first look", traced.first_count, "experimental_get_tracing_count"
                ),
                Fact("traces at the last look", traced.count, "experimental_get_tracing_count"),
                Fact("looks with more traces than before", traced.rises, "the looks at its memory"),
                *_argument(traced.argument, traced.examples),
                *evidence.because("memory limit", "peak memory", "last line seen"),
            ),
            Confidence.LIKELY,
            (
                Remedy(
                    f"Pass what changes as a tensor: {traced.argument or 'value'}=tf.constant(…), "
                    "not a Python number or a new object.",
                    changes=_as_tensor(traced.place.function, traced.argument, traced.examples),
                ),
                Remedy(
                    "Or fix the signature: @tf.function(input_signature=[…]), or reduce_retracing=True."
                ),
            ),
            where=traced.place,
        )


def _argument(name: str, examples: tuple[str, ...]) -> tuple[Fact, ...]:
    """The argument that differs, if it is known."""
    if not name:
        return ()
    return (Fact(f"argument `{name}`", ", ".join(examples), "the function's traces"),)


def _as_tensor(function: str, argument: str, examples: tuple[str, ...]) -> tuple[Wrap, ...]:
    """Where the argument is a number: what becomes a tensor as it is."""
    numbers = [example for example in examples if NUMBER.fullmatch(example)]
    if not argument or not examples or len(numbers) < len(examples):
        return ()
    return (Wrap(function.rpartition(".")[2], argument, "tf.constant"),)
