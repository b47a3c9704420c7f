"""Whose code a file is: the user's, a library's or Outlive's. Both halves of the record ask here, so that they never disagree about a line.

It is told from the name, which is all that a record has; a library that is installed as editable lies in a folder of the user's, who may change
it, and counts as the user's own.
"""

from __future__ import annotations

import os
import sys

from .real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List

USER, LIBRARY, OUTLIVE = "user", "library", "outlive"

#: Folders that packages are installed in, of any Python on any system.
PACKAGE_FOLDERS = ("site-packages", "dist-packages")

#: What stands for code that a person typed, though it has no file.
TYPED = ("<string>", "<stdin>", "<console>", "<ipython-input", "<python-input")

#: Extensions that Cython built name their source as it lay where they were built.
COMPILED = (".pyx", ".pxd", ".pxi")

#: Packed packages, which Python imports from as they are.
PACKED = (".egg/", ".whl/")

#: What TensorFlow makes of the user's functions.
GENERATED = "__autograph_generated_file"

#: The part of Outlive that is loaded in the program, wherever it is installed; records of 0.1 name its old folder.
RECORDER = ("/outlive/inside/", "/outlive/record/inside/")

#: The package Outlive, as it is installed here.
HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def exists(path: str) -> bool:
    """Whether there is a file of this name, asked of the system itself: the program may have replaced ``os.stat``."""
    try:
        Real.stat(path)
    except (OSError, ValueError):
        return False
    return True


class CodeOwner:
    """The owners of files, in a program with these folders of libraries and this working folder (by default the process's own)."""

    def __init__(
        self,
        libraries: Iterable[str] = (),
        folder: str = "",
        exists: Callable[[str], bool] = exists,
    ) -> None:
        self._folder = folder
        self._exists = exists
        self._libraries = tuple(
            os.path.join(library, "") for library in libraries if library not in ("", "/")
        )
        self._known: Dict[str, str] = {}

    def is_users(self, file: str) -> bool:
        """Whether a file is the user's own code."""
        return self.owner(file) == USER

    def owner(self, file: str) -> str:
        """Tell ``USER``, ``LIBRARY`` or ``OUTLIVE``; most files of a run are asked about again and again."""
        found = self._known.get(file)
        if found is None:
            found = self._owner(file)
            if file.startswith("/"):  # another name may mean another file after a change of folders
                self._known[file] = found
        return found

    def _owner(self, file: str) -> str:
        if file.startswith("<"):
            return USER if file.startswith(TYPED) else LIBRARY
        path = self._absolute(file)
        if path.startswith(HERE + "/") or is_recorder(path):
            return OUTLIVE
        if GENERATED in path or is_installed(path) or path.startswith(self._libraries):
            return LIBRARY
        if path.endswith(COMPILED) and not self._exists(path):
            return LIBRARY
        return USER

    def _absolute(self, file: str) -> str:
        if self._folder:
            return os.path.join(self._folder, file)
        try:
            return os.path.abspath(file)
        except OSError:  # its working folder was removed
            return file


def is_recorder(file: str) -> bool:
    """Whether a file is of the part of Outlive that is loaded in the program."""
    return any(part in file for part in RECORDER)


def is_installed(path: str) -> bool:
    """Whether a path is of an installed package or of a standard library, of whatever Python."""
    return bool(package_of(path)) or any(part in path for part in PACKED) or is_standard(path)


def is_standard(path: str) -> bool:
    """Whether a path lies where Pythons keep their standard library: ``lib/python3.12/``, or ``lib/python312.zip/``."""
    for lib in ("/lib/python", "/lib64/python"):
        for rest in path.split(lib)[1:]:
            version, slash, _ = rest.partition("/")
            major, _, minor = version.partition(".")
            # 3.13t is a free-threaded one
            if slash and major.isdigit() and (minor.rstrip("t").isdigit() or minor == "zip"):
                return True
    return False


def package_of(path: str) -> str:
    """Name the installed package that a file belongs to; nothing for one that is not installed."""
    for folder in PACKAGE_FOLDERS:
        _, found, rest = path.rpartition(f"/{folder}/")
        if found:
            name = rest.partition("/")[0]
            return name[: -len(".py")] if name.endswith(".py") else name
    return ""


def library_folders() -> List[str]:
    """List the folders of this process's libraries."""
    found = {os.path.dirname(os.path.abspath(os.__file__))}
    for entry in sys.path:
        if os.path.basename(entry) in PACKAGE_FOLDERS:
            found.add(os.path.abspath(entry))
    return sorted(found)


def own_code() -> Callable[[str], bool]:
    """Make the question whether a file is the user's own, as it is asked in this process now."""
    return CodeOwner(library_folders()).is_users
