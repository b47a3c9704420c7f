"""A private copy of the folder that a program was run in: code and small files are copied, large ones are linked.

What the recorded run itself had written is left out, so that the copy is as the folder was before it. What the program writes by relative names so lands in the copy. What lies behind a link, or is named by an absolute path, is what the
program itself would read and write.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from outlive.inside.start.code_owner import PACKAGE_FOLDERS
from outlive.model.quick_dataclass import dataclass

#: What is copied of a file and of all together; more is linked.
LARGEST_COPIED_BYTES = 32_000_000
MOST_COPIED_BYTES = 512_000_000
MOST_FILES = 20_000

#: Folders that are linked as a whole: nothing in them is the program's own code or data.
LINKED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", *PACKAGE_FOLDERS})


@dataclass(frozen=True, slots=True)
class Copied:
    """One folder and its copy."""

    real: str
    copy: str
    linked: tuple[str, ...] = ()  #: what was linked, by its path in the folder


class PrivateCopy:
    """The copies of the folders that a program has to do with."""

    def __init__(self, folders: Sequence[Copied]) -> None:
        self.folders = tuple(folders)

    @property
    def linked(self) -> tuple[str, ...]:
        """Data that was not copied, and that the program can write to."""
        return tuple(name for folder in self.folders for name in folder.linked)

    def path_of(self, real: str) -> str | None:
        """Where a file lies in the copies; nothing when it is in none of them."""
        for folder in self.folders:
            inside = os.path.relpath(os.path.realpath(real), folder.real)
            if not inside.startswith(os.pardir):
                return os.path.normpath(os.path.join(folder.copy, inside))
        return None

    def word(self, word: str) -> str:
        """A word of the command: an absolute path into one of the folders leads into its copy."""
        return (
            self.path_of(word) or word
            if os.path.isabs(word) and os.path.isfile(word) and not os.access(word, os.X_OK)
            else word
        )

    def paths(self, value: str) -> str:
        """A list of folders, as PYTHONPATH is."""
        return os.pathsep.join(
            (self.path_of(part) or part) if part and os.path.isabs(part) else part
            for part in value.split(os.pathsep)
        )

    def write(self, real: str, text: str) -> bool:
        """Put another text in the place of a file of the copy; False when it is in none of them."""
        path = self.path_of(real)
        if path is None:
            return False
        if os.path.islink(path) or os.path.exists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return True


#: The user's own code is never left out.
CODE = (".py", ".ipynb")

#: Nothing is left out.
NOTHING = (0.0, 0.0)


@contextmanager
def private_copy(
    folders: Sequence[str], written: tuple[float, float] = NOTHING
) -> Iterator[PrivateCopy]:
    """Copies of these folders while the block runs, without what was ``written`` between two moments. ``OSError`` when there is no room."""
    with tempfile.TemporaryDirectory(prefix="outlive-fix-") as place:
        made: list[Copied] = []
        for folder in dict.fromkeys(os.path.realpath(one) for one in folders):
            if any(not os.path.relpath(folder, one.real).startswith(os.pardir) for one in made):
                continue
            target = os.path.join(place, f"{len(made)}-{os.path.basename(folder) or 'root'}")
            made.append(Copied(folder, target, tuple(_copy(folder, target, written))))
        yield PrivateCopy(made)


def _copy(folder: str, target: str, written: tuple[float, float]) -> Iterator[str]:
    """Copy what is small, link what is not; give the names of what was linked."""
    copied, count = 0, 0
    for here, folders, files in os.walk(folder):
        inside = os.path.relpath(here, folder)
        there = os.path.normpath(os.path.join(target, inside))
        os.makedirs(there, exist_ok=True)
        kept = []
        for name in folders:
            path = os.path.join(here, name)
            whole = name in LINKED or os.path.islink(path) or count > MOST_FILES
            if whole or os.path.exists(os.path.join(path, "pyvenv.cfg")):
                os.symlink(path, os.path.join(there, name))
                if name not in LINKED:
                    yield os.path.normpath(os.path.join(inside, name))
            else:
                kept.append(name)
        folders[:] = kept
        for name in files:
            path, count = os.path.join(here, name), count + 1
            try:
                size = os.stat(path).st_size if os.path.isfile(path) else -1
            except OSError:
                continue
            if _is_written(path, written) and not name.endswith(CODE):
                continue
            if (
                0 <= size <= LARGEST_COPIED_BYTES
                and copied + size <= MOST_COPIED_BYTES
                and count <= MOST_FILES
            ):
                shutil.copy2(path, os.path.join(there, name))
                copied += size
            else:
                os.symlink(path, os.path.join(there, name))
                yield os.path.normpath(os.path.join(inside, name))
    _remove_empty(folder, target, written)


def _is_written(path: str, written: tuple[float, float]) -> bool:
    """Whether something was last changed while the recorded run went on."""
    try:
        return written[0] <= os.lstat(path).st_mtime <= written[1]
    except OSError:
        return False


def _remove_empty(folder: str, target: str, written: tuple[float, float]) -> None:
    """Take folders out of the copy that the run had made: nothing is left in them, and they were changed while it went on."""
    for here, _, _ in os.walk(target, topdown=False):
        real = os.path.normpath(os.path.join(folder, os.path.relpath(here, target)))
        if here != target and not os.listdir(here) and _is_written(real, written):
            os.rmdir(here)
