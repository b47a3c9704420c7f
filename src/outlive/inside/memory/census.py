"""When is memory in danger? Then, and only then, somebody looks at what the program's own code holds (``looking``).

Danger is half of the smallest limit above the program: of a cgroup, of the machine, of its address space. One look for each
such step of growth, a dozen on the way to the limit, bounded in time; a failure costs nothing but the answer. The modules that look
lie on a shelf until then.
"""

from __future__ import annotations

import ctypes
import os
import sys

from ..notes import links
from ..start.care import Care
from ..start.clock import Clock
from ..start.real import Real
from ..start.shelf import Shelf
from .meter import heap, private_bytes, resident_bytes, room_in_address_space

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Set, Tuple

    from ..notes.journal import Journal
    from ..notes.pipelines import Pipelines

#: Below this share of the limit nothing is in danger, and nothing is looked at.
DANGER = 0.5
#: From here on whoever looks is ready: to take the modules from the shelf takes longer than a buffer needs to fill up.
READY = 0.3
#: So near to it the last moments may have come.
NEAR = 0.85
#: One census for each such step of growth: a dozen on the way to the limit.
STEP = 0.04
#: A process with less than this is not the one that fills a limit which it shares with others.
LEAST = 0.08
#: When memory was given back, what grows next is another story.
FALL = 0.2
#: … but memory that falls again and again is a step of work that takes and gives back: from then on only new heights are looked at, or
#: the looks would be used up long before the end (a Keras model whose every step took 150 MB: 40 looks until two thirds of the limit).
MOST_FALLS = 3
MOST = 40
SECONDS_BETWEEN_LIMITS = 0.5

#: The shim considers the same in its loop (danger.c).
WHEN_IN_DANGER = {
    "danger": DANGER, "ready": READY, "near": NEAR, "step": STEP, "least": LEAST, "fall": FALL, "most_falls": MOST_FALLS, "most": MOST,
}  # fmt: skip

#: Memory that is given back to malloc may stay where it is: the process is as large as before, and full of holes. That is asked so often …
SECONDS_BETWEEN_HOLES = 0.2
#: … or so rarely that it takes less than a hundredth of the time: malloc walks along its holes to count them.
TIMES_AS_LONG = 100

#: In the order in which they need each other.
MODULES = (
    "memory.sizes",
    "memory.value_stack",
    "memory.named_containers",
    "memory.arrays",
    "memory.tensorflow_state",
    "memory.unnamed",
    "memory.heap_walk",
    "memory.tracemalloc_lines",
    "memory.look",
)

OPTIMIZED = 0x1  # co_flags: the locals are not a dictionary of the program's own

#: A function that uses one of these may hold on to the dictionary of its locals.
ASKS_FOR_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir", "f_locals"})

#: References to a dictionary of locals that nobody else has: the frame's, ours, and the argument's.
NOBODY_ELSE = 3

#: Dictionaries that were emptied by us, by their ids.
EMPTIED: Set[int] = set()
MOST_EMPTIED = 10_000

#: A frame begins with the head of an object and the frame before it; so many words further on all is known that is looked for.
HEAD_BYTES = 24
FRAME_WORDS = 9


class Census:
    """Decides when to look."""

    def __init__(
        self,
        journal: Journal,
        folder: str,
        is_own: Callable[[str], bool],
        pipelines: Pipelines,
    ) -> None:
        self._journal = journal
        self._pipelines = pipelines
        self._limit_path = links.link_in(folder, links.LIMIT)
        self._is_own = is_own
        self._told = (0, 0)
        self._told_at = 0.0
        self._last_rss = 0
        self._count = 0
        self._falls = 0
        self._free = 0  #: in malloc's heap, when it was last asked
        self._holes_due = 0.0
        self._deep = os.path.islink(links.link_in(folder, links.DEEP))
        self._shelf = Shelf(MODULES)
        self._looker: Any = None
        self.near = False  #: the limit is so near that the next moments may be the last

    def consider(self, rss: int) -> None:
        """Called at every tick with the memory in use; nearly always returns at once."""
        limit, used = self._current_limit(rss)
        if used >= DANGER * limit:
            # The pages of libraries are given up first: 300 MB of TensorFlow's do no harm.
            rss = private_bytes()
            limit, used = self._current_limit(rss)
        if limit and used >= READY * limit:
            self._ready()
        self.near = bool(limit) and used >= NEAR * limit
        if rss < self._last_rss - FALL * limit and self._falls < MOST_FALLS:
            self._falls += 1
            self._last_rss = rss
        if not limit or used < DANGER * limit or rss < LEAST * limit or self._count >= MOST:
            return
        if rss - self._last_rss < STEP * limit and not self._has_new_holes(limit):
            return
        self._last_rss = rss
        self._count += 1
        if self._ready():
            self._looker.look(rss, limit, used)

    def _has_new_holes(self, limit: int) -> bool:
        """Whether much was given back inside the process since this was last asked."""
        now = Clock.monotonic()
        if now < self._holes_due:
            return False
        told = heap()
        self._holes_due = now + max(
            SECONDS_BETWEEN_HOLES, TIMES_AS_LONG * (Clock.monotonic() - now)
        )
        before, self._free = self._free, told[1] if told else 0
        return self._free - before >= FALL * limit

    def look_now(self, rss: int) -> None:
        """In a rehearsal, far from the limit: what grows is asked for before it is a danger.

        The limit that the looker is told lies so near that it walks the heap while there is little in it.
        """
        limit, used = self._current_limit(rss)
        own = private_bytes()
        if self._ready() and limit > used:
            self._looker.look(rss, used + min(limit - used, own), used)

    def told(self, rss: int, limit: int, used: int, look: bool) -> None:
        """The shim has considered it: be ready, or look."""
        if self._ready() and look:
            self._looker.look(rss, limit, used)

    def refused(self, error: BaseException) -> None:
        """A memory allocation was refused and ended the program: look at once, while the frames of the error are there."""
        rss = resident_bytes()
        limit, used = self._current_limit(rss)
        if self._ready():
            frames = []
            step = error.__traceback__
            while step is not None:
                frames.append(step.tb_frame)
                step = step.tb_next
            self._looker.look(rss, limit, used, frames[::-1])

    def _ready(self) -> bool:
        if self._looker is None:
            module = self._shelf.load()
            self._looker = (
                module.Looker(self._journal, self._is_own, self._pipelines, self._deep)
                if module
                else False
            )
        return bool(self._looker)

    def forked(self) -> None:
        """In a child: what was seen was the parent's."""
        self._last_rss = self._count = self._falls = self._free = 0
        self._looker = None

    def _current_limit(self, rss: int) -> Tuple[int, int]:
        """The smallest limit, and how much of it is used: by this process, or by all that share it.

        The supervisor writes both into a link: reading one opens nothing. A limit on the address space the process knows itself.
        """
        now = Clock.monotonic()
        if now - self._told_at >= SECONDS_BETWEEN_LIMITS:
            self._told_at = now
            try:
                words = Real.readlink(self._limit_path).split()
                self._told = (int(words[0]), int(words[1]) if len(words) > 1 else 0)
            except (OSError, ValueError, IndexError):
                pass  # none is known
        limit, used = self._told[0], max(rss, self._told[1])
        room = room_in_address_space()
        if room is not None and (not limit or rss + room < limit):
            return rss + room, rss
        return limit, used


class Standstill:
    """While we look, no other thread of the program runs.

    What we hold for a moment must never become the last reference to it, or its ``__del__`` would run in this thread; and a tuple that
    is still being made must not be handed back to its maker with one reference too many (``SystemError``). Nor may the collector run: what
    it finds could be code of the program's.
    """

    def __enter__(self) -> None:
        Care.hold_turns()
        Care.stand_still()
        Care.hold_collector()

    def __exit__(self, *_: Any) -> None:
        Care.release_collector()
        Care.release_turns()


def locals_of(frame: Any) -> Dict[str, Any]:
    """The names of a running function, leaving no trace.

    Before 3.13 a frame has one dictionary of its locals, the very one that ``locals()`` returned, to the function itself or to another
    that it called: who has it is left alone. Otherwise it is ours, and is emptied again: it would keep alive what the function lets go of.
    """
    code = frame.f_code
    if not code.co_flags & OPTIMIZED:
        return dict(frame.f_globals)
    if sys.version_info >= (3, 13):
        return dict(frame.f_locals)
    if frame.f_trace is not None or not ASKS_FOR_LOCALS.isdisjoint(code.co_names):
        return {}
    before = dictionary_of(frame)
    ours = before is not None and not before and id(before) in EMPTIED
    if before is not None and not ours and sys.getrefcount(before) > NOBODY_ELSE:
        return {}
    snapshot = frame.f_locals
    names = dict(snapshot)
    # Left full it would keep alive what the function lets go of: a program was killed of 190 MB that it had given back.
    if ours or before is None or sys.getrefcount(snapshot) <= NOBODY_ELSE + 1:
        snapshot.clear()
        remember_as_emptied(snapshot)
    return names


def remember_as_emptied(snapshot: Dict[str, Any]) -> None:
    """The next look may find it in the hands of a list of all objects, which is ours as well."""
    if len(EMPTIED) >= MOST_EMPTIED:
        EMPTIED.clear()
    EMPTIED.add(id(snapshot))


def dictionary_of(frame: Any) -> Optional[Dict[str, Any]]:
    """The dictionary that a frame already has, without asking for it, which would fill it anew.

    Its place is behind the frame's globals and builtins, in either order: from 3.11 on in what the frame leads to, before in the frame itself.
    """
    at = id(frame)
    if sys.version_info >= (3, 11):
        at = ctypes.c_size_t.from_address(at + HEAD_BYTES).value
    words = list((ctypes.c_size_t * FRAME_WORDS).from_address(at))
    known = {id(frame.f_globals), id(frame.f_builtins)}
    for place in range(FRAME_WORDS - 2):
        if len(known) == 2 and set(words[place : place + 2]) == known:
            found = words[place + 2]
            held = ctypes.cast(found, ctypes.py_object).value if found else None
            return held if type(held) is dict else None
    return None


def text_of(kind: type, attribute: str) -> str:
    """``__module__`` or ``__name__`` of a class, past whatever its metaclass has put in their place."""
    try:
        return str(type.__getattribute__(kind, attribute))
    except AttributeError:
        return ""
