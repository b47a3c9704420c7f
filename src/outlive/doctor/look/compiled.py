"""Read the compiled files of an installation: which there are, what they need, which NumPy and which processor they are made for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from outlive.data.formats.elf import Elf, NotElf, find_in, read_elf
from outlive.doctor.look.loader import Loader
from outlive.doctor.look.packages import owner_of
from outlive.doctor.look.tree import GENERATED
from outlive.model.installation import Misfit, NumpyUser, Unresolved
from outlive.model.quick_dataclass import dataclass

#: ``module.cpython-311-x86_64-linux-gnu.so``, ``module.abi3.so``
TAGGED = re.compile(r"^(?P<module>[^.]+)\.(?P<tag>(?:cpython|pypy|abi3)[^/]*)\.so$")

#: What every user of NumPy's C interface carries: the module that its ``import_array()`` imports.
NUMPY_1 = (b"numpy.core._multiarray_umath\0", b"numpy.core.multiarray\0")
NUMPY_2 = b"numpy._core._multiarray_umath\0"
ABI_WORDS = b"compiled against ABI version"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled file of the installation."""

    file: str  #: relative to its folder
    package: str
    elf: Elf
    extension: bool  #: a module that Python imports, not a library that one needs


def read_compiled(folder: str, files: Iterable[str], known: Mapping[str, str]) -> list[Compiled]:
    """The shared objects among the files of a folder of packages."""
    found = []
    for file in files:
        if file.endswith(GENERATED):
            continue
        path = f"{folder}/{file}"
        try:
            elf = read_elf(path)
        except NotElf:
            continue
        found.append(Compiled(file, owner_of(file, known), elf, _is_extension(path, elf)))
    return found


def _is_extension(path: str, elf: Elf) -> bool:
    name = os.path.basename(path)
    if TAGGED.match(name):
        return True
    if name.startswith("lib") or not name.endswith(".so") or elf.names == (0, 0):
        return False
    return bool(find_in(path, elf.names, (b"\0PyInit_",)))


def misfits(files: Sequence[Compiled], machine: str, suffixes: Sequence[str]) -> list[Misfit]:
    """Modules that no file of this Python's kind stands for, and files for another processor."""
    found = []
    loadable = {
        module for item in files for suffix in suffixes if (module := _without(item.file, suffix))
    }
    for item in files:
        tagged = TAGGED.match(os.path.basename(item.file))
        if item.extension and item.elf.machine != machine:
            found.append(Misfit(item.file, item.package, f"the CPU {item.elf.machine}"))
        elif tagged and not any(_without(item.file, suffix) for suffix in suffixes):
            module = os.path.join(os.path.dirname(item.file), tagged["module"])
            if module not in loadable:
                found.append(Misfit(item.file, item.package, f"the Python {tagged['tag']}"))
    return found


def _without(file: str, suffix: str) -> str:
    """The module that a file stands for, if it ends so: ``.so`` alone does not make a module of ``a.cpython-39.so``."""
    module = file[: -len(suffix)] if file.endswith(suffix) else ""
    return "" if "." in os.path.basename(module) else module


def unresolved(files: Sequence[Compiled], loader: Loader, machine: str) -> list[Unresolved]:
    """List the libraries that extension modules need and would not find."""
    return [
        Unresolved(item.file, item.package, name, why)
        for item in files
        if item.extension and item.elf.machine == machine
        for name, why in loader.missing(item.elf)
    ]


def numpy_users(files: Sequence[Compiled]) -> list[NumpyUser]:
    """Files that use NumPy's C interface, and the headers that they were compiled with; NumPy's own are not users."""
    found = []
    for item in files:
        if item.package == "numpy" or not item.elf.constants[1]:
            continue
        words = find_in(item.elf.path, item.elf.constants, (*NUMPY_1, NUMPY_2, ABI_WORDS))
        if NUMPY_2 in words:
            found.append(NumpyUser(item.file, item.package, 2))
        elif ABI_WORDS in words and words & set(NUMPY_1):
            found.append(NumpyUser(item.file, item.package, 1))
    return found
