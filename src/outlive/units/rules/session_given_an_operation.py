"""An operation where a session takes the address of a server."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

ADDRESSES = ("tf.compat.as_bytes", "tf.compat.as_text", "tf.compat.as_str", "tf.compat.as_str_any")


@rule(
    "R647",
    since="0.2",
    needs=("Session",),
    prevents=("uncaught-exception",),
)
def session_given_an_operation(source: Source) -> Iterator[Finding]:
    """A session is made with an operation as its first argument, which is the address of a server.

    ## Why it is bad
    `Session(init)` does not run `init`: the first argument is the address of a server, and the line ends with "target must be a string".

    ## Bad
        with tf.Graph().as_default():
            start = tf.compat.v1.global_variables_initializer()
            session = tf.compat.v1.Session(start)

    ## Good
        with tf.Graph().as_default():
            start = tf.compat.v1.global_variables_initializer()
            session = tf.compat.v1.Session()
            session.run(start)
    """
    for call in source.calls("tf.Session", "tf.InteractiveSession"):
        target = source.argument(call, 0, "target")
        made = source.origins.made_by(target)
        if made and all(it.startswith("tf.") and it not in ADDRESSES for it in made):
            yield Finding(
                "The first argument of a session is the address of a server, not an operation: this line ends with TypeError.",
                remedies=(
                    Remedy("Make the session without it, then call session.run(operation)."),
                ),
                where=source.place(call),
            )
