"""The nouns of what surrounds a program: open files, threads, room on a disk, libraries, the installation. Frozen and picklable."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import field

from outlive.model.findings import Place, size
from outlive.model.quick_dataclass import dataclass

#: A file system with less than this share left, and less than this many bytes, is full: a last block may stay free.
FULL_SHARE = 0.02
FULL_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class Keeper:
    """A container of the program's own that keeps many things."""

    name: str
    length: int
    holds: str = ""
    opened: Place | None = None  #: the line that makes what is put into it

    @property
    def holds_files(self) -> bool:
        """Whether its elements are file objects or sockets of Python's own."""
        return self.holds.startswith(("_io.", "socket.", "tempfile.", "mmap.", "gzip.", "zipfile."))


@dataclass(frozen=True, slots=True)
class OpenFiles:
    """The descriptors of the program when it could open no more."""

    count: int
    limit: int | None = None  #: RLIMIT_NOFILE, soft
    hard: int | None = None
    groups: tuple[tuple[str, int], ...] = ()  #: what they lead to, most first
    keepers: tuple[Keeper, ...] = ()

    @property
    def keeper(self) -> Keeper | None:
        """The container that holds most of them: of files, or about as long as their largest group."""
        files = [keeper for keeper in self.keepers if keeper.holds_files]
        most = self.groups[0][1] if self.groups else 0
        alike = [keeper for keeper in self.keepers if most / 4 <= keeper.length <= 1.1 * most]
        return max(files or alike, key=lambda keeper: keeper.length, default=None)

    def are_like(self, text: str) -> bool:
        """Whether the file that could not be opened, or the error that names it, is of the kind that is open most."""
        most = self.groups[0][0] if self.groups else ""
        folder, star, ending = most.rpartition("*")
        if not star:
            return most in text or most in ("pipe", "socket")  # those have no name to compare
        if folder.endswith("**/"):
            return ending in text
        return ending in text and folder.rstrip("/").rpartition("/")[2] in text


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """A cgroup that limits processes and threads."""

    path: str
    limit: int | None
    used: int | None
    refused: int | None  #: how often it refused one during the run


@dataclass(frozen=True, slots=True)
class CpuGroup:
    """A cgroup that limits the time on the CPUs, and how it held the program back during the run."""

    path: str
    cpus: float  #: the quota
    periods: int  #: in which it ran
    held_back: int  #: of these, in which its quota was used up
    held_seconds: float  #: for which its threads stood still, together

    @property
    def share(self) -> float:
        """Of the periods, those in which it was held back."""
        return self.held_back / self.periods if self.periods else 0.0


@dataclass(frozen=True, slots=True)
class Threads:
    """The threads of the program when it could start no more."""

    count: int
    python: int = 0
    limit: int | None = None  #: RLIMIT_NPROC, soft: all threads of the user count
    address_limit: int | None = None
    mapped_bytes: int = 0  #: of the address space, at its largest
    groups: tuple[tuple[str, int], ...] = ()  #: by the kernel's names for them
    running: tuple[tuple[Place, int], ...] = ()  #: functions, by how many threads run each

    @property
    def words(self) -> tuple[str, ...]:
        """How many live, what they are called, what they run."""
        called = [f"{count} called {name}" for name, count in self.groups[:3]]
        running = [
            f"{count} run {place.function} ({place})"
            for place, count in self.running[:2]
            if count > 1
        ]
        return (f"{self.count} alive", *called, *running)

    @property
    def most(self) -> tuple[Place, int] | None:
        """The user's function that most of the threads run."""
        own = [(place, count) for place, count in self.running if place.own]
        return next((pair for pair in own[:1] if pair[1] >= max(8, self.python / 2)), None)


@dataclass(frozen=True, slots=True)
class Pile:
    """Files of one kind in one folder, and what they take."""

    what: str
    count: int
    bytes: int

    @property
    def words(self) -> str:
        """As a sentence says it."""
        if self.count == 1:
            return f"{self.what} takes {size(self.bytes)}"
        each = size(self.bytes / self.count)
        return f"{self.count} files {self.what} take {size(self.bytes)}, {each} each"


@dataclass(frozen=True, slots=True)
class Room:
    """A file system after the death, and what lies on it."""

    path: str  #: the file or folder that led here
    point: str  #: where it is mounted
    kind: str = ""
    free_bytes: int = 0
    total_bytes: int = 0
    free_files: int | None = None  #: None: it does not count them
    how: str = (
        ""  #: what led here: a file that the error names, one in hand, or only that it is full
    )
    piles: tuple[Pile, ...] = ()  #: the largest first, of what the folder, read after the death saw

    @property
    def full(self) -> bool:
        """Whether next to nothing is left of it, or less than one more of what lies there takes."""
        each = self.piles[0].bytes / self.piles[0].count if self.piles else 0
        left = max(min(FULL_SHARE * self.total_bytes, FULL_BYTES), min(each, FULL_BYTES))
        return self.free_bytes < left or self.no_files

    @property
    def used_bytes(self) -> int:
        """What is taken of it."""
        return self.total_bytes - self.free_bytes

    @property
    def size_words(self) -> str:
        """Its kind and size."""
        return ", ".join(filter(None, [self.kind, size(self.total_bytes)]))

    @property
    def no_files(self) -> bool:
        """Whether it can hold no further file, however small."""
        return self.free_files == 0


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library that was being loaded, and what it asks for."""

    file: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution that was installed beside the program, and who installed it."""

    name: str
    version: str
    installer: str = ""  #: as its INSTALLER file says: pip, uv, conda


@dataclass(frozen=True, slots=True)
class Installation:
    """The Python the program's environment: who made it, what is in it."""

    prefix: str = ""
    executable: str = ""
    maker: str = ""  #: conda, uv, venv, or nothing: the system's own
    locked: bool = False  #: a uv project: its lock file decides what is installed
    packages: Mapping[str, Package] = field(default_factory=dict)

    def version(self, name: str) -> str:
        """The installed version of a distribution, or nothing."""
        found = self.packages.get(name)
        return found.version if found else ""

    def install(self, requirement: str, *, upgrade: bool = False, again: bool = False) -> str:
        """The command that installs this here, with the tool that manages it."""
        name = re.split(r"[<>=!~\[ ]", requirement)[0].lower().replace("_", "-")
        known = self.packages.get(name)
        installer = known.installer if known else ""
        python = shlex.quote(self.executable) if self.executable else "python"
        if self.locked:
            return (
                f"uv lock --upgrade-package {name} && uv sync"
                if upgrade
                else f'uv add "{requirement}"'
            )
        if installer == "conda" or (self.maker == "conda" and installer not in ("pip", "uv")):
            verb = "update" if upgrade else "install --force-reinstall" if again else "install"
            return f'conda {verb} -p {shlex.quote(self.prefix)} "{requirement}"'
        if installer == "uv" or (self.maker == "uv" and installer != "pip"):
            option = " --upgrade" if upgrade else " --reinstall" if again else ""
            return f'uv pip install --python {python}{option} "{requirement}"'
        option = " --upgrade" if upgrade else " --force-reinstall" if again else ""
        return f'{python} -m pip install{option} "{requirement}"'


#: Distributions whose versions decide how TensorFlow lives: what an issue needs to name, and what a stranger may read.
TELLING_PACKAGES = frozenset(
    {
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-intel",
        "tf-nightly",
        "tensorflow-io",
        "tensorflow-datasets",
        "tensorflow-text",
        "tensorflow-hub",
        "tensorflow-metal",
        "keras",
        "tf-keras",
        "keras-cv",
        "keras-hub",
        "numpy",
        "protobuf",
        "h5py",
        "ml-dtypes",
        "absl-py",
        "grpcio",
        "jax",
        "jaxlib",
        "torch",
        "pandas",
        "scipy",
        "pillow",
        "opencv-python",
        "opencv-python-headless",
        "scikit-learn",
        "pyarrow",
        "ai-edge-litert",
        "ipykernel",
        "jupyterlab",
        "notebook",
        "papermill",
        "ray",
        "outlive",
    }
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What was known about the place where the program ran, whatever became of it."""

    system: str = ""  #: kernel and processor
    revision: str = ""  #: of the user's code, as git has it checked out
    variables: Mapping[str, str] = field(default_factory=dict)  #: those that change TensorFlow
    packages: Mapping[str, str] = field(default_factory=dict)  #: installed: name -> version


@dataclass(frozen=True, slots=True)
class Circumstances:
    """All of it, as far as the death made it worth a look."""

    setting: Setting = field(default_factory=Setting)

    files: OpenFiles | None = None
    threads: Threads | None = None
    task_groups: tuple[TaskGroup, ...] = ()
    cpu_groups: tuple[CpuGroup, ...] = ()
    rooms: tuple[Room, ...] = ()
    libraries: tuple[Library, ...] = ()
    found: Mapping[str, str] = field(default_factory=dict)  #: missing library -> where it lies
    installation: Installation = field(default_factory=Installation)
    other_python: str = ""  #: of the user's; has the module that the Python of the run lacks
    machine_files: tuple[int, int] | None = None  #: open on the whole machine, and the most

    def asking_for(self, missing: str) -> tuple[Library, ...]:
        """The libraries that were being loaded and name this one as needed."""
        name = missing.rpartition("/")[2]
        return tuple(library for library in self.libraries if name in library.needs)

    @property
    def throttled(self) -> CpuGroup | None:
        """The cgroup that held the program back most."""
        return max(self.cpu_groups, key=lambda group: group.share, default=None)

    @property
    def full_room(self) -> Room | None:
        """The file system that an error means: one that it names or that a file in hand lies on, rather a full one."""

        def fit(room: Room) -> tuple[bool, int]:
            return room.full, ("full", "in hand", "named").index(room.how)

        certain = [room for room in self.rooms if room.how != "full"]
        others = [room for room in self.rooms if room.how == "full" and room.full]
        best = max(certain, key=fit, default=None)
        if len(others) == 1 and not (best is not None and best.full):
            return best if best is not None and best.how == "named" else others[0]
        return best
