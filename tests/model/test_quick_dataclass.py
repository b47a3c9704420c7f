"""A quick dataclass is like one of the standard library, in everything that somebody could notice."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from outlive.model.quick_dataclass import dataclass as quick

T = TypeVar("T")


@quick(frozen=True, slots=True)
class Quick:
    """A class."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)
    d: int = field(default=4, repr=False, compare=False)

    @property
    def twice(self) -> int:
        return 2 * self.a


@quick(frozen=True, slots=True)
class Below(Quick):
    """Has one more, and a representation of its own."""

    e: float = 0.5

    def __repr__(self) -> str:
        return "below"


@quick(frozen=True, slots=True)
class Of(Generic[T]):
    """Of anything."""

    value: T


@quick(frozen=True, slots=True)
class Empty:
    """Has nothing."""


def plain(cls: type) -> Any:
    """The same class, made by the standard library."""
    names = {one.name: one for one in dataclasses.fields(cls)}
    space: dict[str, Any] = {"__annotations__": {name: one.type for name, one in names.items()}}
    for name, one in names.items():
        if one.default_factory is not dataclasses.MISSING:
            space[name] = field(default_factory=one.default_factory)
        elif one.default is not dataclasses.MISSING:
            space[name] = field(default=one.default, repr=one.repr, compare=one.compare)
    return dataclasses.dataclass(frozen=True, slots=True)(type(cls.__name__, (), space))


def test_it_shows_and_compares_itself_as_the_librarys() -> None:
    theirs = plain(Quick)

    for words in ({"a": 1}, {"a": 1, "b": "x", "c": [1], "d": 9}):
        assert repr(theirs(**words)) == repr(Quick(**words))
    assert Quick(1) == Quick(1, d=9)
    assert Quick(1) != Quick(2)
    assert Quick(1) != theirs(1)
    assert hash(Of(1)) == hash(Of(1))
    assert 1 == len({Of(1), Of(1)})
    with pytest.raises(TypeError, match="unhashable"):
        hash(Quick(1))


def test_nothing_of_it_can_be_changed() -> None:
    made = Quick(1)

    with pytest.raises(dataclasses.FrozenInstanceError):
        made.a = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made.a  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.other = 2  # type: ignore[attr-defined]
    assert not hasattr(made, "__dict__")
    assert Quick(1).c is not made.c


def test_what_the_library_does_with_its_own_it_does_with_these() -> None:
    made = Below(1, e=2.5)

    assert Below(3, e=2.5) == dataclasses.replace(made, a=3)
    assert {"a": 1, "b": "b", "c": [], "d": 4, "e": 2.5} == dataclasses.asdict(made)
    assert ("a", "b", "c", "d", "e") == Below.__match_args__
    assert made == pickle.loads(pickle.dumps(made)) == copy.copy(made) == copy.deepcopy(made)
    assert 4 == pickle.loads(pickle.dumps(Quick(1))).d
    assert ("below", 2) == (repr(made), made.twice)
    assert Empty() == Empty() == pickle.loads(pickle.dumps(Empty()))


@pytest.mark.parametrize("words", [{}, {"a": 1, "z": 2}])
def test_a_wrong_call_is_refused_in_the_same_words(words: dict[str, int]) -> None:
    with pytest.raises(TypeError) as theirs:
        plain(Quick)(**words)
    with pytest.raises(TypeError) as ours:
        Quick(**words)  # type: ignore[arg-type]

    assert str(theirs.value) == str(ours.value)


def test_others_are_made_by_the_library() -> None:
    @quick
    class Loose:
        a: int = 1

    loose = Loose()
    loose.a = 2
    assert Loose(2) == loose
