"""Something is allowed, and nobody knows why."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R901", since="0.1", needs=("outlive:",))
def allowance_without_reason(source: Source) -> Iterator[Finding]:
    """An `# outlive: allow` has no reason, so it is ignored.

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
                f"`allow {', '.join(allowance.slugs)}` has no reason, so it is ignored.",
                remedies=(Remedy("Write the reason after the name."),),
                where=source.place_of_line(allowance.line),
            )
