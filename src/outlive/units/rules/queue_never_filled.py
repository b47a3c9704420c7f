"""Threads that fill a queue and are never started, or too early."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

STARTS = "tf.train.start_queue_runners"
PRODUCERS = (
    "tf.train.string_input_producer", "tf.train.slice_input_producer", "tf.train.range_input_producer", "tf.train.input_producer",
    "tf.train.batch", "tf.train.shuffle_batch", "tf.train.batch_join", "tf.train.shuffle_batch_join",
)  # fmt: skip
#: Who has one of these starts the threads in another way.
OTHER_WAYS = (
    "Supervisor",
    "Monitored",
    "managed_session",
    "create_threads",
    "QueueRunners",
    "Estimator",
    "slim.learning",
)


@rule(
    "R642",
    since="0.2",
    needs=(
        "queue",
        "batch",
        "producer",
    ),
    prevents=("waiting-forever",),
)
def queue_never_filled(source: Source) -> Iterator[Finding]:
    """A program reads from a queue of TensorFlow 1 whose threads nobody starts.

    ## Why it is bad
    `string_input_producer`, `tf.train.batch` and their kin only describe threads. Until `start_queue_runners` is called, after all of them, nothing
    fills the queue, and the first `session.run` that reads from it waits forever.

    ## Bad
        with tf.compat.v1.Session() as session:
            names = tf.compat.v1.train.string_input_producer(["a.jpg", "b.jpg"])
            print(session.run(names.dequeue()))

    ## Good
        with tf.compat.v1.Session() as session:
            names = tf.compat.v1.train.string_input_producer(["a.jpg", "b.jpg"])
            tf.compat.v1.train.start_queue_runners(session)
            print(session.run(names.dequeue()))
    """
    if any(word in source.text for word in OTHER_WAYS):
        return
    steps = source.steps
    made = [n for n, step in enumerate(steps) if source.called(step.call.func) in PRODUCERS]
    started = [n for n, step in enumerate(steps) if source.called(step.call.func) == STARTS]
    runs = {run.call for run in source.sessions.runs} | set(source.methods("eval"))
    late = [step.call for n, step in enumerate(steps) if step.call in runs and made and n > made[0]]
    session = next(source.calls("tf.Session", "tf.InteractiveSession"), None)
    if not made or not late or session is None or (started and started[-1] > made[0]):
        return
    yield Finding(
        f"Nothing fills the queue of line {source.place(steps[made[0]].call).line}: "
        + (
            "its threads are started before it is made."
            if started
            else "its threads are never started."
        ),
        remedies=(
            Remedy(
                "Call tf.compat.v1.train.start_queue_runners(session) after the queues are made; or use tf.data."
            ),
        ),
        where=source.place(steps[started[-1]].call if started else late[0]),
    )
