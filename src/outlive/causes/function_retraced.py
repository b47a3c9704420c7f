"""tf.function traces anew at every call."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import BEHIND_GROWTH, cause

#: TensorFlow itself warns at five; a few shapes are normal.
MANY_TRACES = 20


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
    When memory was in danger, TensorFlow's own count of traces of this function was high, and higher at each look.

    ## What to do
    Pass numbers as tensors (`tf.constant(rate)`), give an `input_signature`, or `reduce_retracing=True`. Create the function once, outside
    the loop.
    """
    often = [traced for pid in evidence.exhausted() for traced in evidence.traced.get(pid, ())[:1]]
    for traced in often:
        if traced.count < MANY_TRACES or traced.count <= traced.first_count:
            continue
        differs = (
            f"; `{traced.argument}` was new each time ({', '.join(traced.examples)})"
            if traced.argument
            else ""
        )
        yield Finding(
            f"TensorFlow traced `{traced.place.function}` {traced.count} times, and keeps a graph for each{differs}.",
            (
                Fact(
                    "traces at the first look", traced.first_count, "experimental_get_tracing_count"
                ),
                Fact("traces at the last look", traced.count, "experimental_get_tracing_count"),
                *_argument(traced.argument, traced.examples),
                *evidence.because("memory limit", "peak memory", "last line seen"),
            ),
            Confidence.LIKELY,
            (
                Remedy(
                    f"Pass what changes as a tensor: {traced.argument or 'value'}=tf.constant(…), "
                    "not a Python number or a new object."
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
