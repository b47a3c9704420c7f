"""An array that a placeholder cannot take."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R615", since="0.2", prevents=("shape-mismatch",))
def feed_does_not_fit(source: Source) -> Iterator[Finding]:
    """A session is fed an array whose shape is not that of the placeholder.

    ## Why it is bad
    `session.run` ends with "Cannot feed value of shape …" whatever the data is.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, shape=[None, 784])
            print(session.run(pixels * 2, feed_dict={pixels: np.zeros((5, 28, 28))}))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, shape=[None, 784])
            print(session.run(pixels * 2, feed_dict={pixels: np.zeros((5, 784))}))
    """
    for trouble in source.refused("feed"):
        yield Finding(
            f"{trouble.says}.",
            confidence=source.surely(trouble),
            remedies=(
                Remedy(
                    "Reshape the array as the placeholder says, or write the placeholder's shape as the array's."
                ),
            ),
            where=source.place(trouble.node),
        )
