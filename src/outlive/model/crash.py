"""The nouns of a native crash: the frames, the address, the instruction, the stack that was used up. Frozen and picklable."""

from __future__ import annotations

import itertools

from outlive.model.findings import size
from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass

#: What every program is built on: a crash "in" them was led there by whoever called.
PLUMBING = bounded(r"^(?:libc|ld|libpthread|libm|libstdc\+\+|libgcc_s|linux-vdso|libffi)(?:[-.]|$)")
CALLS_OF_CTYPES = ("_ctypes_callproc", "PyCFuncPtr_call")
LOGGING = bounded(
    r"^(?:absl::(?:\w+::)*|tsl::internal::|tensorflow::internal::)(?:log_internal::|LogMessage)"
)
INTERPRETER = bounded(r"^(?:lib)?python[23\d.]*(?:\.so[\d.]*)?$")

#: Python's functions that run Python code.
EVALUATION = ("_PyEval_EvalFrameDefault", "_PyEval_EvalFrame", "_PyEval_Vector", "PyEval_EvalCode")

TENSORFLOW_FOLDER = bounded(r"/(?:site|dist)-packages/tensorflow/")

#: A kernel's work is done in its ``Compute``.
KERNEL = bounded(r"^tensorflow::(?:[\w{}]+::)*(\w+)::Compute(?:Async)?(?:::|$)")
FRAMES_OF_ALL_KERNELS = bounded(r"Device$|^AsyncOpKernel$")

#: So many frames of one native function within the last of the stack are recursion.
NATIVE_RECURSION = 12


@dataclass(frozen=True, slots=True)
class NativeFrame:
    """One call in native code."""

    file: str  #: the shared object, or the kernel's name for memory that is no file
    offset: int  #: of the instruction, as the file counts
    function: str = ""  #: without arguments and templates; empty when the file does not say

    @property
    def library(self) -> str:
        """The object's name without its folder."""
        return self.file.rpartition("/")[2]

    @property
    def plumbing(self) -> bool:
        """The C library and its kin, how ctypes calls, how TensorFlow's log ends a program."""
        unnamed = not self.file.startswith("/")
        passing = self.function in CALLS_OF_CTYPES or bool(LOGGING.match(self.function))
        return unnamed or passing or bool(PLUMBING.match(self.library))

    @property
    def interpreter(self) -> bool:
        """Whether the frame belongs to the Python interpreter itself."""
        return bool(INTERPRETER.match(self.library))

    def __str__(self) -> str:
        where = self.library or "code without a file"
        return f"{self.function} ({where})" if self.function else f"{where}+{self.offset:#x}"


@dataclass(frozen=True, slots=True)
class FaultAddress:
    """The address whose use was the fault, and what lies there."""

    kind: str  #: null, no-address, stack-end, unmapped, file, forbidden, memory, unknown
    address: int | None = None
    execution: bool = False  #: it was jumped to
    file: str = ""
    file_offset: int = 0
    file_bytes: int | None = None  #: how long the file is now
    deleted: bool = False  #: it had no name any more when it was used: removed, or a temporary file that never had one
    permissions: str = ""
    stack_bytes: int | None = None  #: of the stack whose end this is

    @property
    def past_the_file(self) -> bool:
        """The mapped file is too short to have this place."""
        return (
            self.kind == "file"
            and self.file_bytes is not None
            and self.file_offset >= _whole_pages(self.file_bytes)
        )

    @property
    def words(self) -> str:
        """The address of the fault and what lies there, in a few words."""
        at = f"{self.address:#x}" if self.address is not None else ""
        if self.kind == "null":
            return f"{at}, a null pointer" + (" that was called" if self.execution else "")
        if self.kind == "no-address":
            return "not a valid address: a pointer that was overwritten or never set"
        if self.kind == "stack-end":
            of = f" of {size(self.stack_bytes)}" if self.stack_bytes else ""
            return f"{at}, past the end of the thread's stack{of}"
        if self.kind == "file":
            name = self.file.rpartition("/")[2]
            if self.past_the_file:
                return f"{at}, past the end of the mapped file {name}"
            return f"{at}, in the mapped file {name} ({self.permissions})"
        if self.kind == "unmapped":
            return f"{at}, where nothing is mapped"
        if self.execution:
            return f"{at}, which is not code but was jumped to ({self.permissions})"
        if self.kind == "forbidden":
            return f"{at}, in reserved memory: a guard page, or unused address space ({self.permissions})"
        if self.kind == "memory":
            return f"{at}, in memory with permissions {self.permissions}"
        return at


def _whole_pages(count: int) -> int:
    return (count + 4095) & ~4095


@dataclass(frozen=True, slots=True)
class Site:
    """Where in native code a fatal signal struck."""

    frames: tuple[NativeFrame, ...] = ()  #: innermost first
    counter: int = 0
    code: str = ""  #: bytes at the program counter, hexadecimal
    repeats: int = 0  #: how often the most frequent function is among the frames
    main_thread: bool = True
    thread_stack_bytes: int | None = None  #: as the thread was given it; None: not known
    fault: FaultAddress | None = None
    instruction_set: str = ""  #: that the instruction belongs to (SIGILL)
    trap: str = ""  #: the instruction is there to stop the program
    lacking: bool | None = None  #: this machine's CPU does not have that set
    mount: str = ""  #: file system in memory that the fault's file lies on (SIGBUS)
    mount_bytes: int | None = None
    mount_free_bytes: int | None = None

    @property
    def top(self) -> NativeFrame | None:
        """The innermost frame that is not the C library's or the interpreter's, else the innermost."""
        return next(
            (frame for frame in self.call if not frame.plumbing and not frame.interpreter),
            next((frame for frame in self.frames if frame.file or frame.function), None),
        )

    @property
    def call(self) -> tuple[NativeFrame, ...]:
        """The frames of the innermost call out of Python; all of them in a thread without Python."""
        found = []
        for frame in self.frames:
            if frame.function in EVALUATION:
                break
            found.append(frame)
        return tuple(found)

    @property
    def aborted_by_python(self) -> bool:
        """Whether Python itself called abort, as ``os.abort`` does; malloc that found a fault has frames of its own in between."""
        names = [frame.function for frame in self.call]
        after = names.index("abort") + 1 if "abort" in names else len(names)
        return after < len(names) and self.call[after].interpreter

    @property
    def in_tensorflow(self) -> bool | None:
        """Whether the innermost call out of Python went into TensorFlow; None when the frames do not say."""
        telling = [frame for frame in self.call if not frame.plumbing and not frame.interpreter]
        if any(TENSORFLOW_FOLDER.search(frame.file) for frame in telling):
            return True
        return False if telling else None

    @property
    def kernel(self) -> str:
        """The class of TensorFlow's kernel that was running."""
        for frame in self.frames:
            found = KERNEL.match(frame.function)
            if found and not FRAMES_OF_ALL_KERNELS.search(found[1]):
                return found[1]
        return ""

    @property
    def recursion(self) -> bool:
        """Whether native code called itself repeatedly."""
        return self.repeats >= NATIVE_RECURSION

    @property
    def stack_used_up(self) -> bool:
        """Whether the fault was the end of the thread's stack."""
        return self.fault is not None and self.fault.kind == "stack-end"

    @property
    def place(self) -> str:
        """The code at the top, for the middle of a sentence: by name where it has one."""
        innermost = next((frame for frame in self.frames if frame.file or frame.function), None)
        shown = self.top if self.top is not None and not self.top.plumbing else innermost
        return str(shown) if shown is not None else ""

    @property
    def aborted(self) -> bool:
        """Whether native code called ``abort``, as failed checks do, rather than that the signal was sent."""
        return any(frame.function == "abort" for frame in self.call)

    def words_for_frames(self, count: int = 5) -> str:
        """The innermost frames that tell something, for a person; of an abort, those that led to it."""
        names = [frame.function for frame in self.call]
        start = names.index("abort") if "abort" in names else 0
        telling = [
            str(frame)
            for number, frame in enumerate(self.frames)
            if number >= start and ((number == start and frame.file) or not frame.plumbing)
        ]
        telling = [words for words, _ in itertools.groupby(telling)]
        return " ← ".join(telling[:count])
