"""Where TensorFlow takes its tensors from the C library's heap: the holes that they leave in it, and how to do without.

With oneDNN on, an allocator of TensorFlow's own serves large tensors and counts them. On processors for which oneDNN is off (AMD without
AVX-512, ARM) they come from malloc, whose threads have a part of the heap each: what one of them frees no other uses. A shuffle of 260 MB
took 450 MB in its first epoch and up to 1060 MB in its fourth. Where the tensors fit and the holes may not, free pages are handed back
to the kernel when memory has grown. Where not even the tensors do, malloc is told to ask the kernel for each of that size: the
shuffle then took 290 MB in all epochs. Every page is touched anew for that, which made a pipeline of such tensors take half as much CPU time again.
"""

from __future__ import annotations

from ..machine.resident import resident_bytes
from .stage import Stage, bytes_at_most
from .tf_private import library

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional

#: Bytes that a stage takes for each that it holds, in a first epoch (TensorFlow 2.21, glibc 2.36; elements of 0.1, 0.6, 3 and 8 MB): 1.5 to
#: 1.75 for a shuffle, which frees in no order, 1.5 for an interleave, whose elements are made by many threads.
AT_FIRST = {"shuffle": 1.6, "interleave": 1.5, "cache": 1.1}

#: And in later ones: it grows from epoch to epoch.
LATER = {"shuffle": 4.0, "interleave": 2.0, "cache": 1.1, "prefetch": 2.0, "map": 2.0, "batch": 2.0}

#: With every tensor apart: 1.04 to 1.13.
APART = 1.1
WITHOUT_HOLES = dict.fromkeys(LATER, APART)

#: Tensors above this never come from the heap (glibc's ``DEFAULT_MMAP_THRESHOLD_MAX``); below the other, a page for each costs too much.
BEYOND_THE_HEAP = 32 << 20
TOO_SMALL = 32 << 10

#: A stage that may take less than this share of the budget is not what memory is short of.
MATTERS = 0.05

M_MMAP_THRESHOLD = -3

#: Free pages are returned to Linux from the first share of the budget on, and again whenever memory has grown by the second.
FULL, GROWN = 0.8, 0.05

#: The fastest pipelines fill a gigabyte in a second: a twentieth of it is within what a budget leaves of the limit.
TICK_SECONDS = 0.05


def holds_tensors() -> bool:
    """Whether TensorFlow's tensors are in the heap: then its allocator does not count."""
    try:
        library().config.experimental.get_memory_info("CPU:0")
    except ValueError:
        return True
    except Exception:
        return False
    return False


def count_the_holes(stages: List[Stage], holes: Dict[str, float]) -> None:
    """Let the stages take what they take in the heap, if they are in it."""
    for stage in stages:
        if (stage.element_bytes or 0) <= BEYOND_THE_HEAP:
            stage.spread = holes.get(stage.kind, 1.0)


def hand_back() -> None:
    """Give the free pages of the heap to the kernel, if tensors lie in it."""
    if holds_tensors():
        c_library().malloc_trim(0)


class Heap:
    """Does without the holes between large tensors, once memory is too short for them."""

    def __init__(self) -> None:
        self._apart = BEYOND_THE_HEAP  #: tensors of so many bytes are
        self._trimming: Optional[Trimming] = None

    def make_room(self, stages: List[Stage], budget: int, cpus: int) -> None:
        """Let the stages take what they will take; nothing is done that is not needed."""
        if not holds_tensors():
            return
        count_the_holes(stages, LATER)
        if _takes(stages, cpus) <= budget:
            return
        count_the_holes(stages, WITHOUT_HOLES)
        if _takes(stages, cpus) <= budget:
            self._trim_beyond(resident_bytes() + int(FULL * budget), int(GROWN * budget))
            return
        count_the_holes(stages, LATER)
        self._do_without(stages, budget, cpus)

    def _do_without(self, stages: List[Stage], budget: int, cpus: int) -> None:
        takes = [bytes_at_most(stages, position, cpus) for position in range(len(stages))]
        sizes = [
            stage.element_bytes
            for stage, one in zip(stages, takes)
            if stage.element_bytes and (one is None or one > MATTERS * budget)
        ]
        large = [size for size in sizes if TOO_SMALL <= size <= BEYOND_THE_HEAP]
        if large:
            self._keep_apart(max(TOO_SMALL, min(large) // 2))  # an element may be of two tensors
        for stage in stages:
            if stage.spread > APART and (stage.element_bytes or 0) >= self._apart:
                stage.spread = APART

    def _keep_apart(self, size: int) -> None:
        if size < self._apart and c_library().mallopt(M_MMAP_THRESHOLD, size) == 1:
            self._apart = size

    def _trim_beyond(self, mark: int, step: int) -> None:
        if self._trimming is None:
            self._trimming = Trimming()
        self._trimming.mark, self._trimming.step = mark, step


class Trimming:
    """A thread that hands free pages back when the process is larger than ``mark``, and again whenever it has grown by ``step``."""

    def __init__(self) -> None:
        import threading

        from ..memory.trim_heap import Trimmer

        self.mark = self.step = 0
        self._trimmer = Trimmer()
        self._wait = threading.Event().wait
        threading.Thread(target=self._run, name="outlive-trim", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._wait(TICK_SECONDS)
            self._trimmer.consider(resident_bytes(), self.mark, self.step)


def _takes(stages: List[Stage], cpus: int) -> int:
    """All of them together; beyond every budget where one is not bounded."""
    takes = [bytes_at_most(stages, position, cpus) for position in range(len(stages))]
    return 1 << 62 if None in takes else sum(one or 0 for one in takes)


def c_library() -> Any:
    """The C library that this process runs on."""
    import ctypes

    return ctypes.CDLL(None)
