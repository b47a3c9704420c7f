"""Batches that fit: halve on exhaustion, remember what fitted, grow carefully, also across the death of the process."""

from __future__ import annotations

import functools
import gc
import itertools
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

from outlive.errors import UsageError
from outlive.keep.pressure.exhaustion import is_exhaustion
from outlive.keep.pressure.remembered_sizes import Remembered
from outlive.keep.pressure.sizes import CALLS_BEFORE_GROWING, Known, would_fit
from outlive.keep.pressure.watch import pressure_now

LOG = logging.getLogger("outlive")

#: The innermost step that is under way, and its size: one step may call another.
TRYING: ContextVar[tuple[Remembered, int] | None] = ContextVar("outlive_trying", default=None)


def adaptive(
    step: Callable[..., Any],
    batch: int,
    *,
    at_least: int = 1,
    key: str | None = None,
    argument: str = "batch_size",
) -> Adaptive:
    """A step whose batch is halved when memory runs out, until it fits.

    ``outlive.adaptive(model.fit, 512)(x, y, epochs=3)`` calls ``model.fit(x, y, epochs=3, batch_size=512)``, then with 256 and so on
    when that exhausts memory (``ResourceExhaustedError``, ``MemoryError``, ``outlive.MemoryBrake``). ``outlive.adaptive(step,
    512).over(items)`` calls ``step`` with slices of the items instead, each item once, and yields the results.

    What fitted and what failed is remembered below Outlive's home by ``key`` (the line that calls this, unless one is given): a size
    that was being tried when the process was killed is not tried again at the next start.
    """
    if not callable(step) or at_least < 1 or batch < at_least:
        raise UsageError(
            f"adaptive needs something to call and a batch of at least {at_least}, not {batch!r}.",
            "For example:  outlive.adaptive(model.predict, 256)(images)",
        )
    caller = sys._getframe(1)
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
    return Adaptive(step, batch, at_least, key or f"{place} {_name_of(step)}", argument)


class Adaptive:
    """A step and the size of its batches. ``size`` is the one that the next call uses."""

    def __init__(
        self, step: Callable[..., Any], batch: int, least: int, key: str, argument: str
    ) -> None:
        self.step = step
        self._wish, self._least, self._argument = batch, least, argument
        self._memory = Remembered(key)
        base = pressure_now()
        self._base_bytes = base.used_bytes if base is not None else None
        known = self._memory.load(base.limit_bytes if base is not None else None)
        self._known = known.unless_all_failed(least)
        self.size = self._known.first(batch, least)
        self._calls = 0
        if self.size < batch:
            LOG.warning(
                "outlive: batches of %d: %d did not fit before", self.size, self._known.fails
            )

    @property
    def known(self) -> Known:
        """What has been seen of the sizes."""
        return self._known

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the step with the size that fits, as the argument ``batch_size``."""
        while True:
            size = self.size
            done, outcome = self._attempt(
                size, functools.partial(self.step, *args, **{**kwargs, self._argument: size})
            )
            if done:
                self._fitted(size)
                return outcome

    def over(self, items: Iterable[Any]) -> Iterator[Any]:
        """Call the step with one slice of the items after the other, each as large as fits; the results, in order."""
        parts = (
            _Slices(items)
            if hasattr(items, "__getitem__") and hasattr(items, "__len__")
            else _Lists(items)
        )
        while True:
            size = self.size
            part = parts.next(size)
            if part is None:
                return
            done, outcome = self._attempt(size, functools.partial(self.step, part))
            if done:
                if len(part) == size:
                    self._fitted(size)
                parts.done(part)
                del part
                yield outcome

    def _attempt(self, size: int, act: Callable[[], Any]) -> tuple[bool, Any]:
        around = TRYING.get()
        if around is not None:
            around[0].trying(
                0
            )  # should the process die now, it is this step's batch that was too large
        mark = TRYING.set((self._memory, size))
        self._memory.trying(size)
        try:
            return True, act()
        except BaseException as error:
            if not is_exhaustion(error):
                raise
            smaller = self._smaller_after(size)
            if smaller is None:
                raise
            LOG.warning(
                "outlive: a batch of %d does not fit (%s); continuing with %d",
                size, type(error).__name__, smaller,
            )  # fmt: skip
            self.size, self._calls = smaller, 0
        finally:
            self._memory.trying(0)
            TRYING.reset(mark)
            if around is not None:
                around[0].trying(around[1])
        gc.collect()  # what the failed attempt held, in its frames and in cycles
        return False, None

    def _smaller_after(self, size: int) -> int | None:
        now = pressure_now()
        self._known = self._known.failed(size, now.limit_bytes if now is not None else None)
        self._memory.save(self._known.unless_all_failed(self._least))
        return self._known.smaller(size, self._least)

    def _fitted(self, size: int) -> None:
        before, self._known = self._known, self._known.fitted(size)
        if self._known != before:
            self._memory.save(self._known)
        self._calls += 1
        if size < self._wish and self._calls >= CALLS_BEFORE_GROWING:
            self._calls = 0
            self._grow(size)

    def _grow(self, size: int) -> None:
        larger, now = self._known.larger(size, self._wish), pressure_now()
        if larger is None or now is None or self._base_bytes is None:
            return
        if would_fit(self._base_bytes, now.used_bytes, now.limit_bytes, size, larger):
            self.size = larger


class _Slices:
    """Pieces of something that can be sliced: a list, an array, a tensor."""

    def __init__(self, items: Any) -> None:
        self._items, self._at = items, 0

    def next(self, size: int) -> Any:
        """The next piece, again until it is done."""
        return self._items[self._at : self._at + size] if self._at < len(self._items) else None

    def done(self, part: Any) -> None:
        """Go on behind it."""
        self._at += len(part)


class _Lists:
    """Pieces of something that can only be gone through once, as lists."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._rest, self._waiting = iter(items), list[Any]()

    def next(self, size: int) -> list[Any] | None:
        """The next piece, again until it is done."""
        self._waiting += itertools.islice(self._rest, max(0, size - len(self._waiting)))
        return self._waiting[:size] or None

    def done(self, part: list[Any]) -> None:
        """Go on behind it."""
        del self._waiting[: len(part)]


def _name_of(step: Callable[..., Any]) -> str:
    return str(getattr(step, "__qualname__", type(step).__qualname__))
