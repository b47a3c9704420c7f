"""The names of facts, each with the unit of its number: whoever writes a fact and whoever asks for one takes the name from here.

The texts are those of verdicts on people's disks: a text that changes goes into ``FORMER_NAMES``. Named here is every fact whose value may be a number, and every
fact that somebody asks for; one that only says something in words needs no name of its own. A cause, check or rule may keep names that
nobody else uses at the top of its own file: ``ROOM = in_bytes("room in the quota")``. The type checker lets no number pass without a unit,
and no bare text where a fact is asked for; ``tests/project/test_fact_names.py`` holds that what is asked for is written.
"""

from __future__ import annotations

import enum


class Measure(enum.Enum):
    """The units in which values are measured."""

    BYTES = "bytes"
    SECONDS = "seconds"
    COUNT = "count"
    OFFSET = "offset"  #: in a file, to the byte
    CODE = "code"  #: a number that stands for something: a user, a mode
    TEXT = "text"  #: no number


class FactName(str):
    """The name of a fact, and the unit of its value; a text for everybody but the type checker."""

    unit: Measure

    def __new__(cls, text: str, unit: Measure) -> FactName:
        """Make a name that knows its unit."""
        name = super().__new__(cls, text)
        name.unit = unit
        return name

    def __getnewargs__(self) -> tuple[str, Measure]:  # type: ignore[override]  # str has the text alone
        """Tell what a copy is made of."""
        return str(self), self.unit


def in_bytes(text: str) -> FactName:
    """Name an amount of memory, or of room on a disk."""
    return FactName(text, Measure.BYTES)


def in_seconds(text: str) -> FactName:
    """Name a time."""
    return FactName(text, Measure.SECONDS)


def counted(text: str) -> FactName:
    """Name a number of things."""
    return FactName(text, Measure.COUNT)


def in_words(text: str) -> FactName:
    """Name a fact that is asked for, and is no number."""
    return FactName(text, Measure.TEXT)


def elements_of(container: str) -> FactName:
    """Name the number of elements in one of the program's containers."""
    return counted(f"elements of `{container}`")


# The run, as it was seen from outside.
RUN_TIME = in_seconds("run time")
CPU_TIME = in_seconds("cpu time")
TIME_OF_THE_LAST_SAMPLE = in_seconds("time of the last sample")
TIME_WITHOUT_PROGRESS = in_seconds("time without progress")
PEAK_MEMORY = in_bytes("peak memory")
MEMORY_LAST_SAMPLE = in_bytes("memory, last sample")
MEMORY_USED_IN_THE_CGROUP = in_bytes("memory used in the cgroup")
ADDRESS_SPACE = in_bytes("address space")
GPU_MEMORY = in_bytes("gpu memory")
PROCESSES = counted("processes")
THREADS = counted("threads")
MOST_THREADS = counted("most threads")
OPEN_FILES = counted("open files")
OOM_KILLS_IN_THE_CGROUP = counted("OOM kills in the cgroup")
OOM_KILLS_ON_THE_MACHINE = counted("OOM kills on the machine")
LAST_LINE_SEEN = in_words("last line seen")
FATAL_LINE = in_words("fatal line")

# Limits. Where there is none, a check is told so in words.
MEMORY_LIMIT = in_bytes("memory limit")
ADDRESS_SPACE_LIMIT = in_bytes("address space limit")
ADDRESS_SPACE_LIMIT_HARD = in_bytes("address space limit, hard")
STACK_SIZE_LIMIT = in_bytes("stack size limit")
STACK_SIZE_LIMIT_HARD = in_bytes("stack size limit, hard")
CPU_TIME_LIMIT = in_seconds("cpu time limit")
CPU_TIME_LIMIT_HARD = in_seconds("cpu time limit, hard")
OPEN_FILES_LIMIT = counted("open files limit")
OPEN_FILES_LIMIT_HARD = counted("open files limit, hard")
PROCESSES_LIMIT = counted("processes limit")
PROCESSES_LIMIT_HARD = counted("processes limit, hard")
TASKS_LIMIT = counted("tasks limit")
MEMORY_MAPS_ALLOWED = counted("memory maps allowed")
THREAD_LIMIT_OF_THE_MACHINE = counted("thread limit of the machine")

# The machine.
MACHINE_MEMORY = in_bytes("machine memory")
MACHINE_MEMORY_AVAILABLE = in_bytes("machine memory available")
MACHINE_MEMORY_FREE = in_bytes("machine memory free")
MEMORY_LEFT = in_bytes("memory left")
MEMORY_COMMITTED = in_bytes("memory committed")
COMMIT_LIMIT = in_bytes("commit limit")
SWAP_SIZE = in_bytes("swap size")
OVERCOMMIT_MODE = FactName("overcommit mode", Measure.CODE)
HUGE_PAGES = in_words("huge pages")
ALLOCATOR = in_words("allocator")
TASKS_NOW = counted("tasks now")
USER = FactName("user", Measure.CODE)
THREADS_OF_THIS_USER = counted("threads of this user")
ARCHITECTURE = in_words("architecture")
CPU = in_words("cpu")
CPU_FLAGS = in_words("cpu flags")
EMULATOR = in_words("emulator")
GENERIC_CPU = in_words("generic cpu")
CPUS_OF_THE_MACHINE = counted("cpus of the machine")
CPUS_ALLOWED = counted("cpus allowed")
CPU_QUOTA = counted("cpu quota")
GPUS = counted("gpus")
GPU_DRIVER = in_words("gpu driver")

# The installation, and variables that change what it does.
PYTHON = in_words("python")
FILE = in_words("file")
MALLOC_ARENA_MAX = in_words("MALLOC_ARENA_MAX")
TF_USE_LEGACY_KERAS = in_words("TF_USE_LEGACY_KERAS")
KERAS_BACKEND = in_words("KERAS_BACKEND")
PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION = in_words("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION")
TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK = in_words("TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK")
HDF5_DISABLE_VERSION_CHECK = in_words("HDF5_DISABLE_VERSION_CHECK")
CUDA_VISIBLE_DEVICES = in_words("CUDA_VISIBLE_DEVICES")
TF_FORCE_GPU_ALLOW_GROWTH = in_words("TF_FORCE_GPU_ALLOW_GROWTH")

# What holds memory in a program.
MEMORY_HELD = in_bytes("memory held")
MEMORY_IN_TENSORFLOW_TENSORS = in_bytes("memory in TensorFlow tensors")
MEMORY_A_NARROWER_TYPE_WOULD_SAVE = in_bytes("memory a narrower type would save")
MEMORY_FREE_IN_THE_HEAP = in_bytes("memory free in the heap")
MEMORY_FREE_IN_PYTHONS_ALLOCATOR = in_bytes("memory free in Python's allocator")
MEMORY_IN_USE_IN_THE_HEAP = in_bytes("memory in use in the heap")
PRIVATE_MEMORY_OF_THE_PROCESS = in_bytes("private memory of the process")
MEMORY_GROWTH_BETWEEN_TWO_SAMPLES = in_bytes("memory growth between two samples")
OF_THAT_IN_PYTHON_OBJECTS = in_bytes("of that, in Python objects")
OF_THAT_IN_TENSORFLOW_TENSORS = in_bytes("of that, in TensorFlow tensors")
OF_THAT_FREE_IN_MALLOC = in_bytes("of that, free in malloc")
MEMORY_OF_THE_WORKER = in_bytes("memory of the worker")
BUDGET = in_bytes("budget")
ELEMENTS_FIRST_SAMPLE = counted("elements, first sample")
ELEMENTS_LAST_SAMPLE = counted("elements, last sample")
OPERATIONS_FIRST_SAMPLE = counted("operations, first sample")
OPERATIONS_LAST_SAMPLE = counted("operations, last sample")
TAPES_FIRST_SAMPLE = counted("tapes, first sample")
SAMPLES_IN_WHICH_IT_WAS_RECORDING = counted("samples in which it was recording")
TRACES_FIRST_SAMPLE = counted("traces, first sample")
TRACES_LAST_SAMPLE = counted("traces, last sample")
SAMPLES_WITH_MORE_TRACES_THAN_BEFORE = counted("samples with more traces than before")
PIXELS = counted("pixels")

# A stage of a pipeline.
ELEMENTS_IT_HELD = counted("elements it held")
ELEMENTS_IT_MAY_HOLD = counted("elements it may hold")
SIZE_OF_ONE_ELEMENT = in_bytes("size of one element")
MEMORY_IT_HELD = in_bytes("memory it held")
MEMORY_IT_MAY_HOLD = in_bytes("memory it may hold")

# A crash, an error, the files and cells around it.
STACK_OF_THE_THREAD = in_bytes("stack of the thread")
PYTHON_FRAMES_ON_THE_STACK = counted("Python frames on the stack")
FRAMES_OF_THIS_FUNCTION_AT_THE_CRASH = counted("frames of this function at the crash")
THREADS_OF_THE_PARENT_AT_THE_FORK = counted("threads of the parent at the fork")
LENGTH_OF_THE_FILE = FactName("length of the file", Measure.OFFSET)
OFFSET_THAT_WAS_READ = FactName("offset that was read", Measure.OFFSET)
BYTES_STORED = in_bytes("bytes stored")
ENTRIES = counted("entries")
ROOM = in_bytes("room")
ROOM_LEFT = in_bytes("room left")
TIMES_THE_CELL_WAS_RUN = counted("times the cell was run")
CELLS_THAT_RAN = counted("cells that ran")
CELLS_THAT_DEFINE_IT_BUT_HAVE_NOT_RUN = counted("cells that define it but have not run")

# What a check or a rule has counted.
INODES_FREE = counted("inodes free")
FREE_SPACE_IN_DEV_SHM = in_bytes("free space in /dev/shm")
SIZE_OF_DEV_SHM = in_bytes("size of /dev/shm")
MAXIMUM_NUMBER_OF_HEAPS = counted("maximum number of heaps")
THREADS_TENSORFLOW_STARTS_ESTIMATE = counted("threads TensorFlow starts (estimate)")
MEMORY_AUTOTUNE_MAY_USE = in_bytes("memory AUTOTUNE may use")
FREE_MEMORY_ON_THE_HOST = in_bytes("free memory on the host")
MEMORY_USED_BY_IMPORTING_TENSORFLOW = in_bytes("memory used by importing TensorFlow")
MEMORY_MAPPED_BY_IMPORTING_TENSORFLOW = in_bytes("memory mapped by importing TensorFlow")
MEMORY_OF_THE_GPU = in_bytes("memory of the GPU")
MEMORY_HELD_ON_THE_GPU = in_bytes("memory held on the GPU")
SECONDS = in_seconds("seconds")
CONNECTIONS = counted("connections")
GPUS_VISIBLE_TO_TENSORFLOW = counted("GPUs visible to TensorFlow")
COMPILED_FILES = counted("compiled files")
SIMILAR_FILES = counted("similar files")
FILES_THAT_NEED_IT = counted("files that need it")

#: Of a rank that died of another one's death.
LOST_PEER = in_words("lost peer")
ADDRESS_OF_THE_LOST_PEER = in_words("address of the lost peer")
HOST_OF_THE_LOST_PEER = in_words("host of the lost peer")
WAITED_IN_VAIN = in_words("waited in vain")
ENDED_BY_THE_LAUNCHER = in_words("ended by the launcher")

#: Names that verdicts of earlier versions have on people's disks: they keep their units.
FORMER_NAMES = {
    "time of the last look": TIME_OF_THE_LAST_SAMPLE,
    "memory at the last look": MEMORY_LAST_SAMPLE,
    "memory used in the group": MEMORY_USED_IN_THE_CGROUP,
    "elements at the first look": ELEMENTS_FIRST_SAMPLE,
    "elements at the last look": ELEMENTS_LAST_SAMPLE,
    "operations at the first look": OPERATIONS_FIRST_SAMPLE,
    "operations at the last look": OPERATIONS_LAST_SAMPLE,
    "tapes at the first look": TAPES_FIRST_SAMPLE,
    "looks at which it recorded": SAMPLES_IN_WHICH_IT_WAS_RECORDING,
    "traces at the first look": TRACES_FIRST_SAMPLE,
    "traces at the last look": TRACES_LAST_SAMPLE,
    "looks with more traces than before": SAMPLES_WITH_MORE_TRACES_THAN_BEFORE,
    "kernel's kills in the group": OOM_KILLS_IN_THE_CGROUP,
    "kernel's kills on the machine": OOM_KILLS_ON_THE_MACHINE,
    "threads of the machine, at most": THREAD_LIMIT_OF_THE_MACHINE,
    "memory that a narrower type saves": MEMORY_A_NARROWER_TYPE_WOULD_SAVE,
    "memory of the process alone": PRIVATE_MEMORY_OF_THE_PROCESS,
    "memory grown between two counts": MEMORY_GROWTH_BETWEEN_TWO_SAMPLES,
    "memory of it in Python's objects": OF_THAT_IN_PYTHON_OBJECTS,
    "memory of it in TensorFlow's tensors": OF_THAT_IN_TENSORFLOW_TENSORS,
    "memory of it free in malloc": OF_THAT_FREE_IN_MALLOC,
    "memory in TensorFlow's tensors": MEMORY_IN_TENSORFLOW_TENSORS,
    "size of one element, bytes": SIZE_OF_ONE_ELEMENT,
    "Python calls in it": PYTHON_FRAMES_ON_THE_STACK,
    "place that was read": OFFSET_THAT_WAS_READ,
    "times that the cell was run": TIMES_THE_CELL_WAS_RUN,
    "cells that were run": CELLS_THAT_RAN,
    "cells that define it, not yet run": CELLS_THAT_DEFINE_IT_BUT_HAVE_NOT_RUN,
    "heaps at most": MAXIMUM_NUMBER_OF_HEAPS,
    "threads that TensorFlow starts, about": THREADS_TENSORFLOW_STARTS_ESTIMATE,
    "AUTOTUNE will use at most, in bytes": MEMORY_AUTOTUNE_MAY_USE,
    "memory that is free on the host": FREE_MEMORY_ON_THE_HOST,
    "memory for the import of TensorFlow": MEMORY_USED_BY_IMPORTING_TENSORFLOW,
    "memory mapped by the import of TensorFlow": MEMORY_MAPPED_BY_IMPORTING_TENSORFLOW,
    "memory of the card, in bytes": MEMORY_OF_THE_GPU,
    "memory held, in bytes": MEMORY_HELD_ON_THE_GPU,
    "cards that TensorFlow sees": GPUS_VISIBLE_TO_TENSORFLOW,
    "files like this": SIMILAR_FILES,
    "bytes in it": BYTES_STORED,
    "entries in it": ENTRIES,
    "room in /dev/shm": FREE_SPACE_IN_DEV_SHM,
}

_UNITS = {str(name): name.unit for name in tuple(globals().values()) if isinstance(name, FactName)}


def unit_of(name: str) -> Measure | None:
    """Give the unit of a fact that is known by its text alone, as one that was read from a verdict."""
    if isinstance(name, FactName):
        return name.unit
    former = FORMER_NAMES.get(name)
    return _UNITS.get(name) if former is None else former.unit
