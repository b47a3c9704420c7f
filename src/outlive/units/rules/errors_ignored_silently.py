"""Files are lost without a word."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Edit, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R111", since="0.1", needs=("ignore_errors",), prevents=("corrupt-image", "corrupt-record", "missing-file")
)  # fmt: skip
def errors_ignored_silently(source: Source) -> Iterator[Finding]:
    """`ignore_errors` drops elements silently.

    ## Why it is bad
    A missing disk, a wrong path, a typo in the function of a `map`: all become "no data", silently. The training ends
    at once or learns from what is left, and nobody knows what was lost.

    ## Bad
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).ignore_errors()

    ## Good
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).ignore_errors(log_warning=True)
    """
    calls = [*source.methods("ignore_errors"), *source.calls("tf.data.experimental.ignore_errors")]
    for call in calls:
        logging = source.argument(call, 0, "log_warning")
        silent = logging is None or (isinstance(logging, ast.Constant) and logging.value is False)
        if silent:
            yield Finding(
                "`ignore_errors` silently drops what fails.",
                remedies=(
                    Remedy(
                        "Write ignore_errors(log_warning=True): dropped elements are reported on stderr.",
                        safe=True,
                        edits=(_told(source, call, logging),),
                    ),
                ),
                where=source.place(call),
            )


def _told(source: Source, call: ast.Call, logging: ast.expr | None) -> Edit:
    if logging is not None:
        return source.replacement(logging, "True")
    text = ", log_warning=True" if call.args or call.keywords else "log_warning=True"
    return source.insertion(call.end_lineno or 0, (call.end_col_offset or 1) - 1, text)
