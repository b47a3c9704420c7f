"""How much the brake leaves to be asked for, when what all use is known only a tick later."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from outlive.inside.memory import brake as module
from outlive.inside.memory.brake import Brake, headroom_of

LIMIT = 500_000_000


class Memory:
    """What the brake reads, and the limit that it sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told = self.own = 0
        self.soft = 0
        self.now = 100.0
        monkeypatch.setattr(module.METER, "limit", lambda path: (LIMIT, self.told))
        monkeypatch.setattr(module.METER, "data", lambda: self.own)
        monkeypatch.setattr(module, "private_bytes", lambda: self.own)
        monkeypatch.setattr(module.resource, "setrlimit", self._set)
        monkeypatch.setattr(module.Clock, "monotonic", lambda: self.now)

    def _set(self, which: int, limits: tuple[int, int]) -> None:
        assert resource.RLIMIT_DATA == which
        self.soft = limits[0]

    @property
    def room(self) -> int:
        return self.soft - self.own


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    return Memory(monkeypatch)


@pytest.fixture
def brake(tmp_path: Path) -> Brake:
    return Brake(str(tmp_path), lambda file: True, lambda *args, **kwargs: None)


def test_what_was_just_given_back_may_be_asked_for_again(memory: Memory, brake: Brake) -> None:
    memory.told, memory.own = 490_000_000, 450_000_000
    brake._keep_headroom()
    assert 0 == memory.room

    memory.own = 50_000_000  # ``del kept``; the supervisor has not looked yet
    brake._keep_headroom()

    assert LIMIT - 90_000_000 - headroom_of(LIMIT) == memory.room


def test_a_word_that_comes_after_what_was_given_back_may_be_older_than_it(
    memory: Memory, brake: Brake
) -> None:
    memory.told, memory.own = 490_000_000, 450_000_000
    brake._keep_headroom()

    memory.told, memory.own = 480_000_000, 50_000_000  # sampled before ``del kept``, seen after it
    brake._keep_headroom()

    assert LIMIT - 80_000_000 - headroom_of(LIMIT) == memory.room


def test_a_word_that_stands_counts_as_it_is(memory: Memory, brake: Brake) -> None:
    memory.told, memory.own = 490_000_000, 450_000_000
    brake._keep_headroom()
    memory.told, memory.own = 480_000_000, 50_000_000  # the neighbour has taken what we gave back
    brake._keep_headroom()

    memory.now += module.SECONDS_OF_DOUBT
    brake._keep_headroom()

    assert 0 == memory.room


def test_what_was_taken_since_is_never_lent_again(memory: Memory, brake: Brake) -> None:
    memory.told, memory.own = 100_000_000, 90_000_000
    brake._keep_headroom()
    memory.own = 480_000_000

    brake._keep_headroom()

    assert 0 == memory.room
