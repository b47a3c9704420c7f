"""Questions to TensorFlow: operations, layers and models on shapes and types, each with the ones that it rests on. Pure; somebody else asks."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Const,
    Group,
    Made,
    Ref,
    Shape,
    Table,
    Tensor,
)

#: One step of a question, as JSON: what is called and with what; `{"ref": key}` is the result of another step.
Step = Mapping[str, Any]

#: A literal longer than this is not sent.
MOST_ITEMS = 400

#: A list of so many whole numbers may be a shape.
MOST_SIDES = 16


class Unaskable(Exception):
    """An argument is not known, or is nothing that could be sent."""


class Oracle(Protocol):
    """Who answers: TensorFlow in a child, or what it answered before."""

    @property
    def version(self) -> str:
        """The version of TensorFlow, as people write it."""

    def begin(self) -> None:
        """Another file begins: what was made for the one before is not needed any more."""

    def answer(self, key: str, steps: Mapping[str, Step]) -> Mapping[str, Any] | None:
        """The answer to a question, given all steps so far; None when nobody can be asked."""


class Nobody:
    """No TensorFlow."""

    version = ""

    def begin(self) -> None:
        """Forget nothing."""

    def answer(self, key: str, steps: Mapping[str, Step]) -> Mapping[str, Any] | None:
        """Know nothing."""
        return None


class Refusal(Exception):
    """TensorFlow refuses a call."""

    def __init__(self, error: str, says: str) -> None:
        super().__init__(says)
        self.error = error
        self.says = says


class Questions:
    """All that one file gives to ask."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        oracle.begin()
        self._steps: dict[str, Step] = {}
        self._made: Counter[str] = Counter()
        self.unasked = 0  #: questions to which nobody knew the answer

    @property
    def version(self) -> str:
        """The version of the TensorFlow that answers."""
        return self._oracle.version

    def step(
        self, called: str, *args: Any, serial: bool = False, words: Mapping[str, Any] | None = None
    ) -> str:
        """Write a step down and give its key. Objects that were made twice alike are two: ``serial``."""
        step: dict[str, Any] = {"name": called, "args": [self.sent(it) for it in args]}
        if words:
            step["words"] = {word: self.sent(it) for word, it in sorted(words.items())}
        text = json.dumps(step, sort_keys=True)
        if serial:
            self._made[text] += 1
            step["serial"] = self._made[text]
            text = json.dumps(step, sort_keys=True)
        key = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]
        self._steps[key] = step
        return key

    def ask(self, key: str, *, traced: bool) -> Any:
        """What TensorFlow makes of a step: a thing, UNKNOWN, or a `Refusal`. ``traced``: its None is TensorFlow's own."""
        answer = self._oracle.answer(key, self._steps)
        if answer is None:
            self.unasked += 1
            return UNKNOWN
        if "refused" in answer:
            error, says = answer["refused"]
            raise Refusal(str(error), str(says))
        return self._received(answer["is"], key, traced=traced) if "is" in answer else UNKNOWN

    def _received(self, told: Any, key: str, *, traced: bool) -> Any:
        """An answer as a thing; each part of it can be handed on."""
        if not isinstance(told, Mapping):
            return UNKNOWN
        if "tensor" in told:
            shape, dtype = told["tensor"]
            sides: Shape | None = None if shape is None else tuple(shape)
            kind = "keras" if told.get("keras") else "tensor"
            return Tensor(sides, str(dtype), key, kind, traced or kind == "keras")
        for kind in ("list", "tuple"):
            if kind in told:
                whole = Ref(key)
                keys = [self.step("part", whole, Const(at)) for at in range(len(told[kind]))]
                parts = zip(told[kind], keys, strict=True)
                return Group(kind, [self._received(it, one, traced=traced) for it, one in parts])
        if "const" in told:
            return Const(told["const"])
        return Made(str(told["object"]), key) if "object" in told else UNKNOWN

    def sent(self, thing: Any) -> Any:
        """A thing as JSON; raises `Unaskable`."""
        if isinstance(thing, Const):
            return _literal(thing.value)
        if isinstance(thing, Tensor | Ref):
            return {"ref": thing.key or self._of_tensor(thing)}
        if isinstance(thing, Group) and not thing.lost and thing.kind in ("list", "tuple"):
            if len(thing.items) > MOST_ITEMS:
                raise Unaskable
            return {thing.kind: [self.sent(item) for item in thing.items]}
        if isinstance(thing, Table) and not thing.lost:
            return {"dict": [[_literal(key), self.sent(item)] for key, item in thing.items.items()]}
        if isinstance(thing, Api):
            return {"api": thing.name}
        if isinstance(thing, Made) and thing.key and not thing.lost:
            return {"ref": thing.key}
        raise Unaskable

    def _of_tensor(self, tensor: Tensor | Ref) -> str:
        if not isinstance(tensor, Tensor) or not tensor.dtype or tensor.kind == "keras":
            raise Unaskable
        shape = (
            NONE if tensor.shape is None else Group("list", [Const(side) for side in tensor.shape])
        )
        array = tensor.kind == "array" and tensor.shape is not None and None not in tensor.shape
        sides = tensor.shape or ()
        if (
            array
            and "int" in tensor.dtype
            and (not sides or (len(sides) == 1 and (sides[0] or 0) <= MOST_SIDES))
        ):
            raise Unaskable  # it may be a shape or an axis, whose numbers matter
        return self.step("array" if array else "spec", shape, Const(tensor.dtype))


def _literal(value: Any) -> Any:
    if value is None or isinstance(value, bool | int):
        return value if not isinstance(value, int) or abs(value) < 1 << 62 else _refuse()
    if isinstance(value, float):
        return value if abs(value) < 1e300 else _refuse()
    if isinstance(value, str):
        return {"text": value} if len(value) <= 1000 else _refuse()
    if value is ...:
        return {"ellipsis": 1}
    if isinstance(value, slice):
        return {"slice": [_literal(it) for it in (value.start, value.stop, value.step)]}
    return _refuse()


def _refuse() -> Any:
    raise Unaskable
