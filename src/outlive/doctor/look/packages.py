"""Read what is installed: names, versions and owners of files, out of the metadata, importing nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from outlive.inside.start.code_owner import PACKAGE_FOLDERS
from outlive.model.installation import Package
from outlive.model.quick_dataclass import dataclass

METADATA = (".dist-info", ".egg-info")

#: pip renames what it is about to remove to a name that begins so, and leaves it there when it is interrupted.
REMNANT = "~"


@dataclass(frozen=True, slots=True)
class Installed:
    """A folder of installed packages (``site-packages``) and what lies in it."""

    folder: str
    packages: tuple[Package, ...]
    remnants: tuple[str, ...]


def site_folders(path: Sequence[str]) -> tuple[str, ...]:
    """The folders on ``sys.path`` that packages are installed in; the user's own folders may hold anything and are not walked."""
    named = [entry for entry in path if os.path.basename(entry.rstrip("/")) in PACKAGE_FOLDERS]
    return tuple(dict.fromkeys(entry for entry in named if os.path.isdir(entry)))


def read_installed(folder: str) -> Installed:
    """The packages in one folder, by the names of their metadata: a broken METADATA file does not hide them."""
    packages, remnants = [], []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    for name in names:
        if name.startswith(REMNANT):
            remnants.append(f"{folder}/{name}")
            continue
        stem, ending = os.path.splitext(name)
        if ending in METADATA and "-" in stem:
            title, version = stem.split("-")[:2]
            packages.append(Package(plain_name(title), version, folder))
    return Installed(folder, tuple(packages), tuple(remnants))


def installer_of(package: Package) -> str:
    """Who installed a package, as its INSTALLER file says: pip, uv, conda."""
    stem = f"{package.folder}/{package.name.replace('-', '_')}-{package.version}"
    try:
        with open(f"{stem}.dist-info/INSTALLER", encoding="utf-8", errors="replace") as file:
            return file.read(20).strip()
    except OSError:
        return ""


def plain_name(name: str) -> str:
    """As PyPI compares names: ``Tensorflow_CPU`` is ``tensorflow-cpu``."""
    return re.sub(r"[-_.]+", "-", name).lower()


def owners(folder: str) -> Mapping[str, str]:
    """Which package a compiled or generated file belongs to, as the RECORD files tell."""
    found: dict[str, str] = {}
    for name in os.listdir(folder):
        if not name.endswith(".dist-info"):
            continue
        package = plain_name(name.split("-")[0])
        try:
            with open(f"{folder}/{name}/RECORD", encoding="utf-8", errors="replace") as file:
                for line in file:
                    path = line.partition(",")[0]
                    if ".so" in path or path.endswith("_pb2.py"):
                        found[path] = package
        except OSError:
            continue
    return found


def owner_of(file: str, known: Mapping[str, str]) -> str:
    """The package of a file; its first folder where no RECORD names it."""
    return known.get(file) or plain_name(file.partition("/")[0].partition(".")[0])


def places_of(module: str, path: Iterable[str]) -> tuple[str, ...]:
    """Every file and folder that ``import module`` could mean, in the order in which Python looks."""
    found = []
    for entry in path:
        package, file = f"{entry}/{module}/__init__.py", f"{entry}/{module}.py"
        if os.path.isfile(package):
            found.append(os.path.dirname(package))
        elif os.path.isfile(file):
            found.append(file)
    return tuple(dict.fromkeys(found))
