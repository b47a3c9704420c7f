"""Which batch to try next, by what is known of larger and smaller ones. Pure."""

from __future__ import annotations

from dataclasses import replace

from outlive.model.quick_dataclass import dataclass

#: So many calls must have fitted before a larger size is tried, and it must promise at least such a gain.
CALLS_BEFORE_GROWING = 8
SMALLEST_GAIN = 8

#: A size is tried again only if what it will need, in proportion to what the present one takes, leaves so much of the limit free.
FULL_ENOUGH = 0.8


@dataclass(frozen=True, slots=True)
class Known:
    """What has been seen of the sizes of one step."""

    fits: int = 0  #: the largest that fitted; 0: none yet
    fails: int | None = None  #: the smallest that did not
    limit_bytes: int | None = None  #: the memory that there was when it did not

    def fitted(self, size: int) -> Known:
        """This size was enough."""
        if self.fails is not None and size >= self.fails:
            return self  # it did not fit before: once is not always
        return replace(self, fits=max(self.fits, size))

    def failed(self, size: int, limit_bytes: int | None) -> Known:
        """This size was too large."""
        fails = size if self.fails is None else min(size, self.fails)
        return Known(self.fits if self.fits < fails else 0, fails, limit_bytes)

    def with_memory(self, limit_bytes: int | None) -> Known:
        """What failed with less memory than there is now may fit."""
        more = limit_bytes and self.limit_bytes and limit_bytes > 1.1 * self.limit_bytes
        return replace(self, fails=None, limit_bytes=None) if more else self

    def unless_all_failed(self, least: int) -> Known:
        """When even the smallest failed it was not the size: something else filled the memory, and nothing is known."""
        return Known() if self.fails is not None and self.fails <= least else self

    def first(self, wish: int, least: int) -> int:
        """Choose the batch size to begin with: the wish, or what is known to fit."""
        if self.fails is None or wish < self.fails:
            return wish
        return max(least, min(wish, self.fits or self.fails // 2))

    def smaller(self, size: int, least: int) -> int | None:
        """After a failure; nothing when it cannot be made smaller."""
        if size <= least:
            return None
        return max(least, min(size // 2, self.fits) if self.fits else size // 2)

    def larger(self, size: int, wish: int) -> int | None:
        """Halfway to what failed, doubled while nothing did; nothing when that is not worth a try."""
        if self.fails is None or self.fails > wish:
            found = min(wish, 2 * size)
        else:
            found = (size + self.fails) // 2
        return found if found - size >= max(1, size // SMALLEST_GAIN) else None


def would_fit(base_bytes: int, used_bytes: int, limit_bytes: int, size: int, larger: int) -> bool:
    """Whether a larger size leaves room: what the step takes grows with its size, what was there before does not."""
    step = max(0, used_bytes - base_bytes)
    return base_bytes + step * larger / size <= FULL_ENOUGH * limit_bytes
