"""The state of one dry run: what is asked, what was refused, how sure it is that a line is reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from outlive.model.quick_dataclass import dataclass
from outlive.source.dry_run.questions import Oracle, Questions, Refusal, Unaskable
from outlive.source.dry_run.things import UNKNOWN, Group, Table, Tensor

#: Expressions and statements that are followed in one file.
MOST_STEPS = 60_000
#: Questions of one file.
MOST_QUESTIONS = 2_000

ABOUT_TYPES = re.compile(r"\bd?types?\b|convert|\bDT_|\bcast\b", re.IGNORECASE)
ABOUT_SHAPES = re.compile(
    r"shape|dimension|\brank\b|ndim|\baxis\b|elements|incompatible|broadcast|\bdepth\b|\bsizes?\b|divisible|negative|cardinality", re.IGNORECASE
)  # fmt: skip

#: What Keras 2 took, and Keras 3 refuses.
OF_KERAS_2 = re.compile(
    r"A KerasTensor cannot be used as input to a TensorFlow function|Cannot convert '.*' to a shape"
)


class TooLong(Exception):
    """The program was followed for as long as is allowed."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A call that is refused."""

    kind: str  #: shape, dtype, labels, model-input, feed
    node: ast.AST
    says: str  #: in the words of who refuses it
    by: str  #: who refuses it: `TensorFlow 2.21.0`
    sure: bool  #: the line is reached, whatever the conditions around it are


@dataclass
class Run:
    """One file while it is followed."""

    questions: Questions
    troubles: list[Trouble] = field(default_factory=list)
    weights: list[tuple[ast.AST, int, str]] = field(default_factory=list)
    models: list[tuple[Any, int]] = field(default_factory=list)
    steps: int = 0
    asked: int = 0
    branch: int = 0  #: in how many conditions of unknown outcome, or loops of unknown length
    doubt: int = 0  #: in how many conditions of unknown outcome
    traced: int = 0  #: in how many functions that TensorFlow traces
    v1: bool = False  #: the program is of TensorFlow 1: `tf.layers` is that of `tf.compat.v1`

    def step(self) -> None:
        """Count; a program that is too long is left."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong

    def call(
        self,
        node: ast.AST,
        name: str,
        args: Sequence[Any],
        words: dict[str, Any] | None = None,
        *,
        kind: str = "",
        serial: bool = False,
    ) -> Any:
        """What TensorFlow makes of a call; what it refuses is noted."""
        try:
            key = self.questions.step(name, *args, serial=serial, words=words)
        except Unaskable:
            return UNKNOWN
        return self.ask(node, key, [*args, *(words or {}).values()], kind=kind)

    def ask(self, node: ast.AST, key: str, things: Sequence[Any], *, kind: str = "") -> Any:
        """Ask for a step that was written down."""
        tensors = list(tensors_in(things))
        if (
            any(it.shape is None and not it.traced for it in tensors)
            or self.asked >= MOST_QUESTIONS
        ):
            return UNKNOWN
        firm = all(it.is_whole for it in tensors)
        traced = firm and (bool(self.traced) or any(it.traced for it in tensors))
        self.asked += 1
        try:
            return self.questions.ask(key, traced=traced)
        except Refusal as refusal:
            about = kind_of(refusal, kind)
            mixed = about == "dtype" and any(
                it.kind == "array" for it in tensors
            )  # they may be converted
            if firm and about and not mixed:
                self.trouble(
                    node, about, refusal.says, f"TensorFlow {self.questions.version}".strip()
                )
            return UNKNOWN

    def trouble(self, node: ast.AST, kind: str, says: str, by: str) -> None:
        """Note what is refused."""
        found = Trouble(kind, node, says.rstrip(" ."), by, not self.doubt)
        if not any(it.node is node for it in self.troubles):
            self.troubles.append(found)

    @contextmanager
    def maybe(self, *, doubt: bool = True) -> Iterator[None]:
        """What is followed now may not be reached, or more than once."""
        self.branch += 1
        self.doubt += doubt
        try:
            yield
        finally:
            self.branch -= 1
            self.doubt -= doubt

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """What is followed now is traced by TensorFlow."""
        self.traced += 1
        try:
            yield
        finally:
            self.traced -= 1


def new_run(oracle: Oracle) -> Run:
    """A run that has not begun."""
    return Run(Questions(oracle))


def kind_of(refusal: Refusal, kind: str) -> str:
    """What a refusal is about; nothing when it is about neither shapes nor types."""
    if OF_KERAS_2.search(refusal.says):
        return "keras-2"
    shapes = ABOUT_SHAPES.search(refusal.says)
    if kind and (shapes or ABOUT_TYPES.search(refusal.says)):
        return kind
    if shapes and refusal.error != "TypeError":
        return "shape"
    return (
        "dtype"
        if ABOUT_TYPES.search(refusal.says) and "argument" not in refusal.says.partition(" ")[0]
        else ""
    )


def tensors_in(things: Sequence[Any], depth: int = 4) -> Iterator[Tensor]:
    """The tensors among things, and in lists of them."""
    for thing in things:
        if isinstance(thing, Tensor):
            yield thing
        elif isinstance(thing, Group) and depth:
            yield from tensors_in(thing.items, depth - 1)
        elif isinstance(thing, Table) and depth:
            yield from tensors_in(list(thing.items.values()), depth - 1)
