"""The sampler's loop in the shim: what Python tells it, and when it calls back.

The loop takes stacks in one piece with the GIL, and writes them without it. Python runs in its thread only for what is rare (``WHY``), and
then the collector is held off: a destructor of the program's must not run in a thread that the program does not have.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys

from ..memory.meter import METER, PAGE_BYTES
from ..notes import links
from ..notes.format import Ring
from ..notes.masking import PIECE, forms_of, in_json, secrets_here
from ..notes.secret_shapes import SHAPES
from ..start.care import take_care_by
from ..start.frames import Shimmed
from ..start.own_thread import is_free_threaded

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple

#: Why Python is called, as in sampler.h.
RING_WANTED, UNCAUGHT, EVERY_TICK, READY, LOOK, FAULT, ASKED = (1 << bit for bit in range(7))

FUNCTIONS: Any = (
    *(gc.get_threshold, gc.set_threshold, gc.isenabled, gc.enable, gc.disable),
    *(sys.getswitchinterval, sys.setswitchinterval),
)

#: Before a text that is telling only where no letter and no digit stands before it (names.c).
AT_START = "\1"

#: What the loop has read of this process and of the supervisor's link.
READ = ("mapped", "resident", "shared", "data", "limit", "used")

U64, I32, DOUBLE, TEXT = ctypes.c_uint64, ctypes.c_int32, ctypes.c_double, ctypes.c_char_p


class Settings(ctypes.Structure):
    """``struct settings`` of sampler.h."""

    _fields_ = [
        *[(name, U64) for name in ("memory", "start", "end", "position", "sequence")],
        *[(name, U64) for name in ("main_ident", "page_bytes", "fault_device", "fault_inode")],
        *[(name, U64) for name in READ],
        *[(name, TEXT) for name in ("limit_path", "question_path")],
        ("signals", ctypes.c_void_p),
        *[(name, DOUBLE) for name in ("danger", "ready", "near", "step", "least", "fall")],
        *[(name, I32) for name in ("signal_count", "most_falls", "most", "statm", "fault")],
        *[(name, I32) for name in ("every_tick", "closed")],
    ]


class SharedRing(Ring):
    """A ring whose next place is known to the shim too. Both write in the sampler's thread only."""

    def __init__(self, settings: Settings, ring: Ring) -> None:
        self._shared: Any = settings
        super().__init__(ring._memory, ring._start, ring._end)

    @property
    def _position(self) -> int:
        return int(self._shared.position)

    @_position.setter
    def _position(self, value: int) -> None:
        self._shared.position = value

    @property
    def _sequence(self) -> int:
        return int(self._shared.sequence)

    @_sequence.setter
    def _sequence(self, value: int) -> None:
        self._shared.sequence = value


class Ticks:
    """The loop of one process. ``of`` gives none where the shim cannot do it: then the sampler is a thread of Python's."""

    def __init__(self, library: Any, held: Any) -> None:
        self._library, self._held = library, held
        self.settings: Any = Settings(page_bytes=PAGE_BYTES, fault=-1, statm=-1)
        self._called: Any = None  # the shim has their addresses
        self._telling: Any = None

    @classmethod
    def of(cls, library: Any) -> Optional[Ticks]:
        """Of a loaded shim."""
        try:
            if library is None or is_free_threaded():
                return None
            held: Any = ctypes.PyDLL(library._name, handle=library._handle)
            functions: Any = (ctypes.py_object * len(FUNCTIONS))(*FUNCTIONS)
            if not held.outlive_python_open(functions):
                return None
            held.outlive_turns_hold.restype = ctypes.c_long
            take_care_by(held)
            held.outlive_current_frames.restype = ctypes.py_object
            Shimmed.frames = held.outlive_current_frames
            return cls(library, held)
        except (AttributeError, OSError):
            return None

    def begin(self, asked: Callable[..., None], shown: Callable[[str, int], str]) -> None:
        """Before the thread is started."""
        self.settings.statm = METER.handle
        telling = ctypes.c_char_p(b"".join(text.encode() + b"\0" for text in telling_texts()))
        self._held.outlive_names_know(telling)
        self._telling = (
            telling,
            self._telling,
        )  # a thread that has not ended yet may read the old one
        self._held.outlive_sampler_begin(
            ctypes.byref(self.settings), ctypes.py_object(asked), ctypes.py_object(shown)
        )
        self._called = (
            asked,
            shown,
        )  # only now: a thread that has not ended yet may call the old ones

    def forked(self) -> None:
        """In a child: the thread is gone, and so are the parent's rings."""
        self.settings.memory = self.settings.closed = 0

    def write_into(self, ring: Optional[Ring]) -> Optional[Ring]:
        """Write stacks there from now on; gives the ring to use in its place."""
        self.settings.closed = int(ring is None)
        if ring is None:
            return None
        shared = SharedRing(self.settings, ring)
        self.settings.start, self.settings.end = ring._start, ring._end
        self.settings.memory = ctypes.addressof(ring._memory.obj)
        return shared

    def told(self) -> Tuple[int, ...]:
        """What was read at this tick; to read it anew gives the GIL away, and the program sees what we hold."""
        return tuple(getattr(self.settings, name) for name in READ)

    def watch(self, fault: int, identity: Any) -> None:
        """The file of the fault handler: whether its number still means that."""
        self.settings.fault = fault
        self.settings.fault_device, self.settings.fault_inode = identity or (0, 0)

    def know(self, folder: str, question: str, signals: Any, constants: Any) -> None:
        """Set what does not change during the run."""
        self.settings.limit_path = os.fsencode(links.link_in(folder, links.LIMIT))
        self.settings.question_path = os.fsencode(question)
        self.settings.signals = ctypes.addressof(signals)
        self.settings.signal_count = len(signals)
        for name, value in constants.items():
            setattr(self.settings, name, value)


def telling_texts() -> List[str]:
    """Texts without which the name of a file holds no secret, as the shim writes them: the beginnings of shapes, and all that is known by
    its value. See names.c."""
    starts = [(shape.startswith(letters.replace(".", r"\.")), letters) for letters, shape in SHAPES]
    found = [AT_START * at_start + letters for at_start, letters in starts]
    for value in secrets_here():
        found += [in_json(form, True) for form in (*forms_of(value), value[:PIECE], value[-PIECE:])]
    return found


def given(name: str) -> str:
    """A name as the shim writes it: in ASCII, escaped as in JSON."""
    plain = name.encode("ascii").decode("unicode_escape")
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
