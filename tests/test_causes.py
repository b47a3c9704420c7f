"""Victims really die and are explained; their twins live and are not accused; every cause is asked about every victim."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from deaths import Death, Victim, play, require, victims
from outlive.examine import EXPLAINED_BY_A_WORKER
from outlive.unit import cause, discover

pytestmark = pytest.mark.death

TWINS = Path(__file__).parent / "twins.py"

ALL = [pytest.param(victim, id=victim.name) for victim in victims()]

#: What a header says of a victim that needs no circumstances of its own.
NO_CIRCUMSTANCES = {"expect", "ending", "needs", "names", "example"}
TOGETHER = 6


def twins_together() -> list[list[Victim]]:
    """Those that only need TensorFlow, some at a time; a victim whose twin changes TensorFlow for others says ``alone``."""
    fit = [
        victim
        for victim in victims()
        if "tensorflow" in victim.header.get("needs", "")
        and victim.header.keys() <= NO_CIRCUMSTANCES
    ]
    return [fit[at : at + TOGETHER] for at in range(0, len(fit), TOGETHER)]


ALONE = [
    pytest.param(victim, id=victim.name)
    for victim in victims()
    if victim not in [one for some in twins_together() for one in some]
]
BEHIND = {unit.slug: unit.behind for unit in discover(cause)}


def ending_of(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else str(status)


@pytest.mark.parametrize("victim", ALL)
def test_a_victim_dies_and_is_explained_by_one_cause(victim: Victim, tmp_path: Path) -> None:
    require(victim)

    death = play(victim, "die", tmp_path)

    if death.hang is not None:
        slug, _ = victim.expected
        assert victim.header["ending"] == death.hang["ending"]["kind"], death.hang
        assert "SIGKILL" == death.verdict["ending"]["signal"]
        ended = death.verdict["cause"]
        assert slug == "nothing" or (ended or {}).get("slug") == slug, death.verdict
        judge(victim, death.hang, death.stderr)
        return
    assert victim.header["ending"] == ending_of(death.status), f"it ended otherwise: {death.stderr}"
    judge(victim, death.verdict, death.stderr)


def judge(victim: Victim, verdict: dict, stderr: str) -> None:
    """The expected cause comes first, with its confidence and its line, and nobody else claims proof."""
    slug, confidence = victim.expected
    first = verdict["cause"]
    if slug == "nothing":
        assert first is None
        return
    assert first is not None, f"nothing was found: {verdict}"
    assert (slug, confidence) == (first["slug"], first["confidence"]), verdict
    if victim.lines:
        assert first["where"] is not None, verdict
        assert first["where"]["line"] in victim.lines, first["where"]
        assert victim.path.name == Path(first["where"]["file"]).name
    if "names" in victim.header:  # the file that an expert would name
        told = [str(fact["value"]) for fact in first["because"]]
        assert any(value.endswith("/" + victim.header["names"]) for value in told), told
    assert slug in stderr
    # PROVEN means that no other known cause leaves this trace, but for the general ones that it explains.
    claims = {other["slug"] for other in verdict["also"] if other["confidence"] == "proven"}
    explained = set(BEHIND[slug])
    if first["says"].startswith("In a worker process"):
        explained |= set(EXPLAINED_BY_A_WORKER)
    assert claims <= explained, verdict["also"]


@pytest.mark.parametrize("victim", ALONE)
def test_the_twin_lives_and_nobody_is_accused(victim: Victim, tmp_path: Path) -> None:
    require(victim)

    lives_unaccused(play(victim, "spare", tmp_path))


@pytest.mark.parametrize(
    "together", [pytest.param(some, id=f"{some[0].name}…") for some in twins_together()]
)
def test_twins_live_and_nobody_is_accused(together: list[Victim], tmp_path: Path) -> None:
    for victim in together:
        require(victim)
    names = " ".join([str(together[0].path.parent), *(victim.name for victim in together)])

    lives_unaccused(play(Victim(TWINS, {"argument": names}), "spare", tmp_path))


def lives_unaccused(death: Death) -> None:
    assert 0 == death.status, death.stderr
    assert death.verdict["cause"] is None, death.verdict
    assert [] == death.verdict["also"]
