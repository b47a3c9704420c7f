"""A verdict that may be shown to strangers: paths, arguments, environment and host masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from outlive.model import Fact, Finding, Place, Value, Verdict

MASK = "***"

#: An absolute path of two or more parts; the last part says what a reader needs.
PATH = re.compile(r"(?:(?<![\w/.])|(?<=file://))(?:~|/)(?:[^\s/:'\"]+/+)+([^\s/:'\",)]*)")

#: In quotes a path may hold spaces.
QUOTED_PATH = re.compile(r"(['\"])(?:file://)?[~/](?:[^'\"\n/]*/)+([^'\"\n/]*)\1")
KERNEL_FILES = re.compile(r"^/(proc|sys)/")


def shared(verdict: Verdict, mask: Callable[[str], str], names: Iterable[str] = ()) -> Verdict:
    """The same verdict without what identifies its author; ``names`` are words to hide, as the user and the host."""
    hidden = [name for name in names if len(name) > 1]

    def clean(text: str) -> str:
        text = QUOTED_PATH.sub(lambda found: f"{found[1]}…/{found[2]}{found[1]}", mask(text))
        text = PATH.sub(lambda found: f"…/{found[1]}", text)
        for name in hidden:
            text = re.sub(rf"\b{re.escape(name)}\b", MASK, text)
        return text

    def value_of(fact: Fact) -> Value:
        if fact.private:
            return MASK
        return clean(fact.value) if isinstance(fact.value, str) else fact.value

    def place_of(place: Place | None) -> Place | None:
        if place is None:
            return None
        return replace(
            place,
            file=clean(place.file.rpartition("/")[2]),
            function=clean(place.function),
            code=clean(place.code),
        )

    def fact_of(fact: Fact) -> Fact:
        source = (
            KERNEL_FILES.sub(r"\1: ", fact.source).rpartition("/")[2]
            if "/" in fact.source
            else fact.source
        )
        return replace(fact, value=value_of(fact), source=clean(source))

    def finding_of(finding: Finding) -> Finding:
        return replace(
            finding,
            says=clean(finding.says),
            where=place_of(finding.where),
            because=tuple(fact_of(fact) for fact in finding.because),
            remedies=tuple(
                replace(
                    remedy, text=clean(remedy.text), commands=tuple(map(clean, remedy.commands))
                )
                for remedy in finding.remedies
            ),
        )

    return replace(
        verdict,
        ending=replace(verdict.ending, detail=clean(verdict.ending.detail)),
        findings=tuple(finding_of(finding) for finding in verdict.findings),
        gaps={name: clean(why) for name, why in verdict.gaps.items()},
        failures=tuple(replace(broken, error=clean(broken.error)) for broken in verdict.failures),
    )
