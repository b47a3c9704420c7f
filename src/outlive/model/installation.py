"""The nouns of an installation: a Python, its packages, its compiled code, its trials, its GPUs. Frozen and picklable."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import field

from outlive.model.findings import Value
from outlive.model.quick_dataclass import dataclass
from outlive.model.surroundings_at_death import Installation

Version = tuple[int, ...]


def version_of(text: str) -> Version:
    """The leading numbers of a version: ``2.16.0rc1`` is (2, 16, 0)."""
    return tuple(int(word) for word in re.match(r"[\d.]*", text)[0].split(".") if word)  # type: ignore[index]  # matches always


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution that is installed in the examined Python."""

    name: str  #: in lower case, with hyphens
    version: str
    folder: str  #: the folder on ``sys.path`` that it is installed in

    @property
    def numbers(self) -> Version:
        """The version as numbers."""
        return version_of(self.version)


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A shared library or a version of one that a compiled file asks for and would not get."""

    file: str  #: relative to the folder that it is installed in
    package: str
    needs: str
    why: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A compiled file that this Python cannot load: made for another one, or another processor."""

    file: str
    package: str
    made_for: str


@dataclass(frozen=True, slots=True)
class NumpyUser:
    """A compiled file that uses NumPy's C interface."""

    file: str
    package: str
    headers: int  #: 1 or 2: the major version of the headers that it was compiled with


@dataclass(frozen=True, slots=True)
class Generated:
    """Code that protoc generated: the strictest of a package."""

    package: str
    file: str
    count: int
    made_by: (
        Version  #: the protobuf version whose protoc made it; for old code the last that could have
    )
    old_style: bool = False  #: made by a protoc before 3.19: describes itself in plain Python


@dataclass(frozen=True, slots=True)
class InstructionNeed:
    """The instruction sets that a package's code is built with throughout."""

    package: str
    sets: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement of a package that is not met."""

    package: str
    requirement: str
    installed: str | None


@dataclass(frozen=True, slots=True)
class Trial:
    """A library was imported in a child, which may have died of it."""

    module: str
    seconds: float
    exit_code: int | None = None  #: ``None`` when a signal ended it
    signal: str | None = None
    timed_out: bool = False
    error: str = ""  #: the exception, one line
    said: str = ""  #: the end of what it wrote to stderr
    answers: Mapping[str, Value] = field(default_factory=dict)

    @property
    def lived(self) -> bool:
        """Whether the import worked."""
        return self.exit_code == 0


@dataclass(frozen=True, slots=True)
class Environment:
    """One Python and what is installed for it."""

    executable: str
    version: Version
    prefix: str = ""  #: the folder of the environment
    packages: tuple[Package, ...] = ()
    manager: Installation = field(default_factory=Installation)  #: what installs here
    tensorflow_places: tuple[
        str, ...
    ] = ()  #: files and folders that `import tensorflow` could mean
    remnants: tuple[str, ...] = ()  #: folders that an interrupted pip left behind
    unresolved: tuple[Unresolved, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    numpy_users: tuple[NumpyUser, ...] = ()
    generated: tuple[Generated, ...] = ()
    instructions: tuple[InstructionNeed, ...] = ()
    unmet: tuple[Unmet, ...] | None = None  #: ``None``: it could not be told
    trials: Mapping[str, Trial] = field(default_factory=dict)
    compiled_files: int = 0
    build: Mapping[str, Value] = field(default_factory=dict)  #: TensorFlow's build information
    cuda_libraries: Mapping[str, str | None] = field(default_factory=dict)  #: name -> where, or not
    object_detection: str | None = None  #: where the Object Detection API lies

    def package(self, *names: str) -> Package | None:
        """The first of these packages that is installed."""
        for name in names:
            for package in self.packages:
                if package.name == name:
                    return package
        return None

    def install(self, requirement: str, *, upgrade: bool = False, again: bool = False) -> str:
        """The command that installs this here, with the tool that manages it: pip, uv or conda."""
        return self.manager.install(requirement, upgrade=upgrade, again=again)

    def uninstall(self, *names: str) -> str:
        """The command that removes these."""
        words, python = " ".join(names), shlex.quote(self.executable)
        if self.manager.locked:
            return f"uv remove {words}"
        if self.manager.maker == "uv":
            return f"uv pip uninstall --python {python} {words}"
        return f"{python} -m pip uninstall -y {words}"

    @property
    def tensorflow(self) -> Package | None:
        """The TensorFlow that is installed."""
        return self.package(*TENSORFLOWS)


#: Distributions that all bring a folder ``tensorflow``.
TENSORFLOWS = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-rocm",
    "intel-tensorflow",
    "tensorflow-cpu-aws",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics card, as its driver tells."""

    name: str
    total_bytes: int | None
    used_bytes: int | None
    holders: tuple[str, ...] = ()  #: processes that hold its memory


@dataclass(frozen=True, slots=True)
class Kernel:
    """A notebook kernel that is installed."""

    name: str
    folder: str
    python: str  #: the first word of its command
    exists: bool
    watched: bool
