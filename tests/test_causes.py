"""Victims really die and are explained; their twins live and are not accused; every cause is asked about every victim."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from deaths import Victim, play, require, victims
from outlive.unit import cause, discover

pytestmark = pytest.mark.death

ALL = [pytest.param(victim, id=victim.name) for victim in victims()]
BEHIND = {unit.slug: unit.behind for unit in discover(cause)}


def ending_of(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else str(status)


@pytest.mark.parametrize("victim", ALL)
def test_a_victim_dies_and_is_explained_by_one_cause(victim: Victim, tmp_path: Path) -> None:
    require(victim)

    death = play(victim, "die", tmp_path)

    assert victim.header["ending"] == ending_of(death.status), f"it ended otherwise: {death.stderr}"
    slug, confidence = victim.expected
    first = death.verdict["cause"]
    if slug == "nothing":
        assert first is None
        return
    assert first is not None, f"nothing was found: {death.verdict}"
    assert (slug, confidence) == (first["slug"], first["confidence"]), death.verdict
    if victim.lines:
        assert first["where"] is not None, death.verdict
        assert first["where"]["line"] in victim.lines, first["where"]
        assert victim.path.name == Path(first["where"]["file"]).name
    assert slug in death.stderr
    # PROVEN means that no other known cause leaves this trace, but for the general ones that it explains.
    claims = {other["slug"] for other in death.verdict["also"] if other["confidence"] == "proven"}
    assert claims <= set(BEHIND[slug]), death.verdict["also"]


@pytest.mark.parametrize("victim", ALL)
def test_the_twin_lives_and_nobody_is_accused(victim: Victim, tmp_path: Path) -> None:
    require(victim)

    death = play(victim, "spare", tmp_path)

    assert 0 == death.status, death.stderr
    assert death.verdict["cause"] is None, death.verdict
    assert [] == death.verdict["also"]
