"""Something is allowed, and nobody knows why."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.source import Source
from outlive.unit import rule


@rule("R901", since="0.1", needs=("outlive:",))
def allowance_without_reason(source: Source) -> Iterator[Finding]:
    """An `# outlive: allow` has no reason, and so allows nothing.

    ## Why it is bad
    In a year nobody knows whether the reason still holds. One sentence is enough.

    ## Bad
        os._exit(0)  # outlive: allow exit-without-cleanup

    ## Good
        os._exit(0)  # outlive: allow exit-without-cleanup -- the parent flushes the log
    """
    for allowance in source.allowances:
        if not allowance.reason:
            yield Finding(
                f"`allow {', '.join(allowance.slugs)}` has no reason, and so allows nothing.",
                remedies=(Remedy("Write why, behind the name."),),
                where=source.place_of_line(allowance.line),
            )
