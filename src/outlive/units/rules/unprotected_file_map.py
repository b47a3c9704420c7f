"""One bad file ends the whole run."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

READERS = ("tf.io.read_file", "tf.io.decode_jpeg", "tf.io.decode_png", "tf.io.decode_image", "tf.image.decode_jpeg",
           "tf.image.decode_png", "tf.image.decode_image", "tf.io.parse_single_example", "tf.io.parse_example")  # fmt: skip


@rule(
    "R110", since="0.1", needs=("read_file",), prevents=("corrupt-image", "corrupt-record", "missing-file")
)  # fmt: skip
def unprotected_file_map(source: Source) -> Iterator[Finding]:
    """A `map` reads files, and one bad file ends the run.

    ## Why it is bad
    The first file that is missing, truncated or not a picture raises an error in the middle of an epoch.
    `ignore_errors(log_warning=True)` continues with the next one and logs a warning; `outlive scan` finds such files
    beforehand.

    ## Bad
        def load(path):
            return tf.io.decode_jpeg(tf.io.read_file(path), ratio=2)

        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load)

    ## Good
        def load(path):
            return tf.io.decode_jpeg(tf.io.read_file(path), ratio=2)

        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).ignore_errors(log_warning=True)
    """
    if "ignore_errors" in source.text:
        return
    for call in source.methods("map"):
        if not call.args or not source.values.is_pipeline(source.values.stages(call)):
            continue
        function = source.names.definition(call.args[0])
        if source.values.reaches(function, ("tf.io.read_file",)) and source.values.reaches(
            function, READERS[1:]
        ):
            yield Finding(
                "One file that cannot be read or decoded ends the whole run.",
                confidence=Confidence.POSSIBLE,
                remedies=(
                    Remedy("Add .ignore_errors(log_warning=True) after this map."),
                    Remedy("Or check all files first.", ("outlive scan FOLDER",)),
                ),
                where=source.place(call),
            )
