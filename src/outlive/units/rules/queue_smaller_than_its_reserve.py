"""A queue that is smaller than what must stay in it."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R685",
    since="0.2",
    needs=("shuffle_batch",),
    prevents=("waiting-forever", "uncaught-exception"),
)
def queue_smaller_than_its_reserve(source: Source) -> Iterator[Finding]:
    """The capacity of `shuffle_batch` is not larger than `min_after_dequeue`.

    ## Why it is bad
    So many elements have to stay in the queue for mixing that there is never one to give out: TensorFlow refuses it, or the program
    waits forever.

    ## Bad
        with tf.compat.v1.Session() as session:
            batch = tf.compat.v1.train.shuffle_batch([tf.zeros([3])], 8, capacity=100, min_after_dequeue=100)
            tf.compat.v1.train.start_queue_runners(session)

    ## Good
        with tf.compat.v1.Session() as session:
            batch = tf.compat.v1.train.shuffle_batch([tf.zeros([3])], 8, capacity=124, min_after_dequeue=100)
            tf.compat.v1.train.start_queue_runners(session)
    """
    for call in source.calls(
        "tf.train.shuffle_batch",
        "tf.train.shuffle_batch_join",
        "tf.queue.RandomShuffleQueue",
        "tf.RandomShuffleQueue",
    ):
        places = (0, 1) if source.called(call.func).endswith("Queue") else (2, 3)
        capacity = source.number(source.argument(call, places[0], "capacity"))
        reserve = source.number(source.argument(call, places[1], "min_after_dequeue"))
        if capacity is not None and reserve is not None and capacity <= reserve:
            yield Finding(
                f"{reserve:.0f} elements have to stay in a queue of {capacity:.0f}: none can be taken.",
                remedies=(Remedy("Make capacity larger: min_after_dequeue + 3 * batch_size."),),
                where=source.place(call),
            )
