"""Any verdict that there could be, for Hypothesis, and what a terminal must never be sent."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from outlive.model.findings import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Remedy,
    UnitFailure,
    Verdict,
)

UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

texts = st.text(max_size=12)
places = st.none() | st.builds(Place, texts, st.integers(0, 10**6), texts, texts)
facts = st.builds(Fact, texts, texts | st.integers() | st.booleans() | st.none(), texts)
remedies = st.builds(Remedy, texts, st.lists(texts, max_size=2).map(tuple), st.booleans())
findings = st.builds(
    Finding,
    texts,
    st.lists(facts, max_size=2).map(tuple),
    st.sampled_from(list(Confidence)),
    st.lists(remedies, max_size=2).map(tuple),
    places,
    slug=texts,
)
endings = st.builds(
    Ending, st.sampled_from(list(EndingKind)), st.none() | texts, st.none() | st.integers(), st.sampled_from(list(EndedBy)), texts
)  # fmt: skip
names = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\"), max_size=12
)
verdicts = st.builds(
    Verdict,
    names,
    endings,
    st.lists(findings, max_size=3).map(tuple),
    st.dictionaries(texts, texts, max_size=2),
    st.lists(st.builds(UnitFailure, texts, texts), max_size=2, unique_by=lambda one: one.slug).map(tuple),
)  # fmt: skip
