"""Victims really die and are explained; their twins live and are not accused; every cause is asked about every victim."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from outlive.coroner.examine import EXPLAINED_BY_A_WORKER
from outlive.units.unit import cause, discover
from recorded_deaths import Death, Victim, play, play_together, require, victims

pytestmark = pytest.mark.death

TWINS = Path(__file__).parent.parent / "helpers/run_twins.py"

#: What a header says of a victim that needs no circumstances of its own.
NO_CIRCUMSTANCES = {"expect", "ending", "needs", "names", "example"}


def only_hangs(victim: Victim) -> bool:
    """Whether it can hang beside others."""
    fits = victim.header.keys() <= NO_CIRCUMSTANCES | {"hang_after"}
    return fits and "hang_after" in victim.header and "needs" not in victim.header


#: Those that hang stand together, so that one process is given most of them.
ALL = [pytest.param(victim, id=victim.name) for victim in sorted(victims(), key=only_hangs)]

HANG_TOGETHER = 5
TOGETHER = 13
TOGETHER_IN_A_GROUP = 4  # each leaves some memory behind


def twins_together() -> list[list[Victim]]:
    """Those that need TensorFlow, and at most a cgroup, some at a time; a victim whose twin changes TensorFlow for others says ``alone``."""
    fit: dict[str | None, list[Victim]] = {}
    for victim in victims():
        if "tensorflow" in victim.header.get("needs", "") and (
            victim.header.keys() - {"memory"} <= NO_CIRCUMSTANCES
        ):
            fit.setdefault(victim.header.get("memory"), []).append(victim)
    return [
        some[at : at + size]
        for memory, some in fit.items()
        for size in [TOGETHER if memory is None else TOGETHER_IN_A_GROUP]
        for at in range(0, len(some), size)
    ]


TWINS_TOGETHER = twins_together()
ALONE = [
    pytest.param(victim, id=victim.name)
    for victim in victims()
    if not any(victim in some for some in TWINS_TOGETHER)
]
BEHIND = {unit.slug: unit.behind for unit in discover(cause)}


def ending_of(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else str(status)


class Hanging:
    """What came of the victims that hang: of those that are asked about here, some at a time."""

    def __init__(self, asked: list[Victim], folder: Path) -> None:
        self._asked, self._folder = asked, folder
        self._ended: dict[str, Death | BaseException] = {}

    def end_of(self, victim: Victim) -> Death:
        if victim.name not in self._ended:
            left = [one for one in self._asked if one.name not in self._ended]
            at = left.index(victim)
            self._ended |= play_together(left[at : at + HANG_TOGETHER], self._folder)
        ended = self._ended[victim.name]
        if isinstance(ended, BaseException):
            raise ended
        return ended


@pytest.fixture(scope="module")
def hanging(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Hanging:
    cases = [
        item.callspec.params.get("victim")
        for item in request.session.items
        if hasattr(item, "callspec")
    ]
    asked = {one.name: one for one in cases if isinstance(one, Victim) and only_hangs(one)}
    return Hanging(list(asked.values()), tmp_path_factory.mktemp("hanging"))


@pytest.mark.parametrize("victim", ALL)
def test_a_victim_dies_and_is_explained_by_one_cause(
    victim: Victim, tmp_path: Path, hanging: Hanging
) -> None:
    require(victim)

    death = hanging.end_of(victim) if only_hangs(victim) else play(victim, "die", tmp_path)

    if death.hang is not None:
        slug, _ = victim.expected
        assert victim.header["ending"] == death.hang["ending"]["kind"], death.hang
        assert victim.header.get("ended_by", "SIGKILL").split()[-1] == ending_of(death.status)
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
    "together", [pytest.param(some, id=f"{some[0].name}…") for some in TWINS_TOGETHER]
)
def test_twins_live_and_nobody_is_accused(together: list[Victim], tmp_path: Path) -> None:
    for victim in together:
        require(victim)
    names = " ".join([str(together[0].path.parent), *(victim.name for victim in together)])

    header = {name: together[0].header[name] for name in ("memory",) if name in together[0].header}

    lives_unaccused(play(Victim(TWINS, {"argument": names, **header}), "spare", tmp_path))


def lives_unaccused(death: Death) -> None:
    assert 0 == death.status, death.stderr
    assert death.verdict["cause"] is None, death.verdict
    assert [] == death.verdict["also"]
