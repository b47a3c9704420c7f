"""A verdict that may be shown to strangers: paths, arguments, environment and host masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from outlive.model.findings import Fact, Finding, Place, Value, Verdict
from outlive.model.ranks.job import JobVerdict, RankRecord

MASK = "***"

#: An absolute path of two or more parts; the last part says what a reader needs.
PATH = re.compile(r"(?:(?<![\w/.])|(?<=file://))(?:~|/)(?:[^\s/:'\"]+/+)+([^\s/:'\",)]*)")

#: In quotes a path may hold spaces.
QUOTED_PATH = re.compile(r"(['\"])(?:file://)?[~/](?:[^'\"\n/]*/)+([^'\"\n/]*)\1")
#: A private value that is shorter is a part of too many words.
SHORTEST = 3
KERNEL_FILES = re.compile(r"^/(proc|sys)/")


class Stranger:
    """Says what a stranger may read: paths, user, host and secrets are masked, the rest stays."""

    def __init__(self, mask: Callable[[str], str], names: Iterable[str] = ()) -> None:
        self._mask = mask
        self._names = [
            name for name in names if len(name) > 1
        ]  #: words to hide, as the user and the host

    def text(self, text: str) -> str:
        """A text of the program's or about it."""
        text = QUOTED_PATH.sub(lambda found: f"{found[1]}…/{found[2]}{found[1]}", self._mask(text))
        text = PATH.sub(lambda found: f"…/{found[1]}", text)
        for name in self._names:
            text = re.sub(rf"\b{re.escape(name)}\b", MASK, text)
        return text

    def place(self, place: Place) -> Place:
        """A line of source: the file without its folder."""
        return replace(
            place,
            file=self.text(place.file.rpartition("/")[2]),
            function=self.text(place.function),
            code=self.text(place.code),
        )

    def fact(self, fact: Fact) -> Fact:
        """A fact; of a private one only the name and the source."""
        source = (
            KERNEL_FILES.sub(r"\1: ", fact.source).rpartition("/")[2]
            if "/" in fact.source
            else fact.source
        )
        return replace(
            fact, name=self.text(fact.name), value=self._value(fact), source=self.text(source)
        )

    def _value(self, fact: Fact) -> Value:
        if fact.private:
            return MASK
        return self.text(fact.value) if isinstance(fact.value, str) else fact.value

    def finding(self, finding: Finding) -> Finding:
        """A finding with all that it carries; what is private in one of its facts is so in its sentences, too."""
        private = [
            fact.value
            for fact in finding.because
            if fact.private and isinstance(fact.value, str) and len(fact.value) > SHORTEST
        ]
        return Stranger(self._mask, [*private, *self._names]).masked(finding)

    def masked(self, finding: Finding) -> Finding:
        """A finding of which nothing but what is known to be private is hidden."""
        return replace(
            finding,
            says=self.text(finding.says),
            where=self.place(finding.where) if finding.where else None,
            because=tuple(self.fact(fact) for fact in finding.because),
            remedies=tuple(
                replace(
                    remedy,
                    text=self.text(remedy.text),
                    commands=tuple(map(self.text, remedy.commands)),
                )
                for remedy in finding.remedies
            ),
        )

    def job(self, verdict: JobVerdict) -> JobVerdict:
        """The verdict on a job without what identifies its author."""
        return replace(
            verdict,
            job=self.text(verdict.job),
            how=tuple(map(self.text, verdict.how)),
            ranks=tuple(
                replace(it, says=self.text(it.says), record=self._rank(it.record))
                for it in verdict.ranks
            ),
        )

    def _rank(self, record: RankRecord) -> RankRecord:
        return replace(
            record,
            host=MASK if record.host else "",
            clock="",
            findings=tuple(map(self.finding, record.findings)),
            stands=self.place(record.stands) if record.stands else None,
            left_at=self.place(record.left_at) if record.left_at else None,
        )

    def verdict(self, verdict: Verdict) -> Verdict:
        """The same verdict without what identifies its author."""
        return replace(
            verdict,
            ending=replace(verdict.ending, detail=self.text(verdict.ending.detail)),
            findings=tuple(self.finding(finding) for finding in verdict.findings),
            warnings=tuple(self.finding(finding) for finding in verdict.warnings),
            gaps={name: self.text(why) for name, why in verdict.gaps.items()},
            failures=tuple(
                replace(broken, error=self.text(broken.error)) for broken in verdict.failures
            ),
        )
