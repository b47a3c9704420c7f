"""Ranking: the specific before the general when it is at least likely, else the better evidence; order does not matter."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_evidence import PID, UNITS, evidence, gathered
from outlive.coroner.examine import decide, rank
from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, EndedBy, Finding
from outlive.units.unit import Unit

POSSIBLE, LIKELY, PROVEN = Confidence.POSSIBLE, Confidence.LIKELY, Confidence.PROVEN


def answer(
    slug: str, confidence: Confidence, *, behind: tuple[str, ...] = (), by: EndedBy | None = None,
    needs: tuple[str, ...] = (), times: int = 1,
) -> Unit[Evidence]:  # fmt: skip
    """A cause that always gives this answer."""

    def ask(view: Evidence) -> Iterator[Finding]:
        for number in range(times):
            yield Finding(f"{slug} {number}.", confidence=confidence, by=by)

    return Unit(slug, "D999", "0.1", "", ask, needs, behind)


def broken(slug: str) -> Unit[Evidence]:
    def ask(view: Evidence) -> Iterator[Finding]:
        yield Finding("half an answer.", confidence=PROVEN)
        raise RuntimeError("no such fact")

    return Unit(slug, "D998", "0.1", "", ask)


def order(*units: Unit[Evidence], how: str | int = 1) -> list[str]:
    return [finding.slug for finding in decide("run", evidence(how), units).findings]


def test_the_better_evidence_goes_first() -> None:
    found = order(answer("a", POSSIBLE), answer("b", PROVEN), answer("c", LIKELY))

    assert ["b", "c", "a"] == found


@pytest.mark.parametrize(
    ("specific", "expected"),
    [
        (PROVEN, ["list", "limit"]),
        (LIKELY, ["list", "limit"]),
        (POSSIBLE, ["limit", "list"]),
    ],
)
def test_the_specific_goes_before_the_general_if_it_is_at_least_likely(
    specific: Confidence, expected: list[str]
) -> None:
    found = order(answer("limit", PROVEN), answer("list", specific, behind=("limit",)))

    assert expected == found


def test_a_chain_of_causes_is_told_from_its_beginning() -> None:
    found = order(
        answer("c", PROVEN),
        answer("a", LIKELY, behind=("b",)),
        answer("b", PROVEN, behind=("c",)),
        answer("z", PROVEN),
    )

    assert ["z", "a", "b", "c"] == found


def test_a_likely_cause_does_not_go_before_what_it_does_not_explain() -> None:
    found = order(answer("other", PROVEN), answer("a", LIKELY, behind=("b",)), answer("b", LIKELY))

    assert ["other", "a", "b"] == found


def test_causes_that_explain_each_other_are_still_ranked() -> None:
    found = order(answer("a", PROVEN, behind=("b",)), answer("b", PROVEN, behind=("a",)))

    assert ["a", "b"] == sorted(found)


def test_equal_answers_are_in_the_order_of_their_names() -> None:
    found = order(answer("b", LIKELY), answer("c", LIKELY), answer("a", LIKELY, times=2))

    assert ["a", "a", "b", "c"] == found


SLUGS = "abcde"
units = st.builds(
    answer,
    st.sampled_from(SLUGS),
    st.sampled_from(list(Confidence)),
    behind=st.lists(st.sampled_from(SLUGS), max_size=2).map(tuple),
    by=st.sampled_from([None, *EndedBy]),
)


@given(st.lists(units, max_size=5, unique_by=lambda unit: unit.slug), st.randoms())
def test_the_verdict_is_the_same_for_every_order_of_causes(
    causes: list[Unit[Evidence]], chance: object
) -> None:
    shuffled = list(causes)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    first, second = (decide("run", evidence("SIGKILL"), order) for order in (causes, shuffled))

    assert first == second
    assert sorted(unit.slug for unit in causes) == sorted(found.slug for found in first.findings)


def test_the_real_causes_give_the_same_verdict_in_any_order() -> None:
    thrown = Thrown("MemoryError", "", pid=PID)
    view = evidence(1, thrown=(thrown,), facts={"address space limit": 5})
    causes = sorted(UNITS.values(), key=lambda unit: unit.slug)
    verdicts = {
        pickle.dumps(decide("run", view, causes[turn:] + causes[:turn])) for turn in range(len(causes))
    }  # fmt: skip

    assert 1 == len(verdicts)
    assert 1 < len(pickle.loads(verdicts.pop()).findings)


def test_every_permutation_of_three_real_answers_is_ranked_alike() -> None:
    findings = [
        Finding("r", confidence=PROVEN, slug="allocation-refused"),
        Finding("u", confidence=PROVEN, slug="uncaught-exception"),
        Finding("a", confidence=LIKELY, slug="address-space-limit"),
    ]
    behind = {unit.slug: unit.behind for unit in UNITS.values()}

    orders = {
        tuple(found.slug for found in rank(some, behind))
        for some in itertools.permutations(findings)
    }

    assert {("address-space-limit", "allocation-refused", "uncaught-exception")} == orders


def test_a_cause_that_breaks_is_reported_and_hides_nobody() -> None:
    verdict = decide("run", evidence(1), (broken("z"), answer("a", LIKELY), broken("b")))

    assert [("b", "RuntimeError: no such fact"), ("z", "RuntimeError: no such fact")] == [
        (failure.slug, failure.error) for failure in verdict.failures
    ]
    assert "a" in [finding.slug for finding in verdict.findings]


def test_the_engine_writes_the_name_of_the_cause_and_not_the_cause() -> None:
    def ask(view: Evidence) -> Iterator[Finding]:
        yield Finding("I am another.", slug="somebody-else")

    verdict = decide("run", evidence(1), (Unit("mine", "D999", "0.1", "", ask),))

    assert ["mine"] == [finding.slug for finding in verdict.findings]


GAPS = {"kernel log": "not readable", "stderr": "a pipe"}


@pytest.mark.parametrize(
    ("how", "confidence", "expected"),
    [
        (1, None, {"kernel log"}),
        (1, POSSIBLE, {"kernel log"}),
        (1, LIKELY, {"kernel log"}),
        (1, PROVEN, set()),
        (0, None, set()),
        (0, LIKELY, set()),
    ],
)
def test_gaps_are_told_when_nothing_is_proven_and_a_cause_needed_them(
    how: int, confidence: Confidence | None, expected: set[str]
) -> None:
    asked = answer(
        "a", confidence or LIKELY, needs=("kernel log", "stacks"), times=bool(confidence)
    )

    verdict = decide("run", evidence(how, gaps=GAPS), (asked,))

    assert expected == set(verdict.gaps)


def test_behind_what_is_proven_only_the_likely_reason_is_open() -> None:
    causes = (
        answer("general", PROVEN, needs=("kernel log",)),
        answer("reason", LIKELY, needs=("stderr",), behind=("general",)),
    )

    verdict = decide("run", evidence(1, gaps=GAPS), causes)

    assert "reason" == verdict.findings[0].slug
    assert {"stderr"} == set(verdict.gaps)


def test_a_finding_completes_who_ended_the_program_and_the_best_one_counts() -> None:
    causes = (
        answer("a", LIKELY, by=EndedBy.PROCESS),
        answer("b", PROVEN, by=EndedBy.KERNEL_OOM),
        answer("c", PROVEN),
    )

    assert EndedBy.KERNEL_OOM is decide("run", evidence("SIGKILL"), causes).ending.by
    assert EndedBy.UNKNOWN is decide("run", evidence("SIGKILL"), causes[2:]).ending.by


def test_who_ended_the_program_is_not_overruled_when_the_kernel_said_it() -> None:
    view = gathered(killed=None, exit_code=3)
    assert EndedBy.ITSELF is view.run.ending.by

    verdict = decide("run", view, (answer("a", PROVEN, by=EndedBy.PROCESS),))

    assert EndedBy.ITSELF is verdict.ending.by


def test_a_verdict_without_findings_has_no_cause() -> None:
    assert decide("run", evidence(0), ()).cause is None


def test_a_verdict_can_be_sent_to_another_machine() -> None:
    verdict = decide("run", evidence(1, gaps=GAPS), (answer("a", LIKELY), broken("b")))

    assert verdict == pickle.loads(pickle.dumps(verdict))
