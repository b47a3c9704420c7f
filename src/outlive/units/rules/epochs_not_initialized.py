"""A count of epochs that has no first value."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

PRODUCERS = (
    "tf.train.string_input_producer", "tf.train.slice_input_producer", "tf.train.range_input_producer", "tf.train.limit_epochs",
)  # fmt: skip


@rule(
    "R686",
    since="0.2",
    needs=("num_epochs",),
    prevents=("uncaught-exception",),
)
def epochs_not_initialized(source: Source) -> Iterator[Finding]:
    """A queue counts its epochs, and nothing initializes the counter.

    ## Why it is bad
    With `num_epochs` the queue keeps a local variable, which `global_variables_initializer` does not cover: "Attempting to use uninitialized value
    …/limit_epochs/epochs".

    ## Bad
        with tf.compat.v1.Session() as session:
            names = tf.compat.v1.train.string_input_producer(["a", "b"], num_epochs=2)
            session.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.start_queue_runners(session)
            print(session.run(names.dequeue()))

    ## Good
        with tf.compat.v1.Session() as session:
            names = tf.compat.v1.train.string_input_producer(["a", "b"], num_epochs=2)
            session.run(tf.compat.v1.local_variables_initializer())
            tf.compat.v1.train.start_queue_runners(session)
            print(session.run(names.dequeue()))
    """
    if any(
        word in source.text
        for word in (
            "local_variables",
            "Supervisor",
            "Monitored",
            "Estimator",
            "managed_session",
            "slim",
        )
    ):
        return
    if not any(run.fetches for run in source.sessions.runs):
        return
    for call in source.calls(*PRODUCERS):
        epochs = source.argument(call, None, "num_epochs")
        if epochs is not None and source.number(epochs) is not None:
            yield Finding(
                "This queue counts its epochs in a local variable, and nothing gives that its first value.",
                remedies=(Remedy("Run tf.compat.v1.local_variables_initializer() first."),),
                where=source.place(call),
            )
