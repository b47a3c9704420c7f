"""Find the shared libraries that a compiled file would get, as the dynamic loader would, without loading any of them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping

from outlive.data.formats.elf import Elf, NotElf, read_elf

CACHE = "/etc/ld.so.cache"
CACHE_MAGIC = b"glibc-ld.so.cache1.1"
HEADER_BYTES, ENTRY_BYTES = 48, 24

#: What the C libraries of the usual systems look through when the cache does not help.
DEFAULT_FOLDERS = (
    "/lib/{machine}-linux-gnu",
    "/usr/lib/{machine}-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
)


class Loader:
    """The dynamic loader's search, with the rules of ld.so(8), for one Python."""

    def __init__(
        self, root: str, program: Elf, variables: Mapping[str, str], inside: Iterable[Elf] = ()
    ) -> None:
        self._root = root
        self._program = program
        self._library_path = [
            entry for entry in variables.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":") if entry
        ]  # fmt: skip
        self._cache = read_cache(f"{root}{CACHE}")
        self._defaults = [folder.format(machine=program.machine) for folder in DEFAULT_FOLDERS]
        #: Libraries of the installation itself, by name: a package may load them before it imports its extension.
        self._inside = {elf.soname or os.path.basename(elf.path): elf for elf in inside}
        self._known: dict[str, Elf | None] = {}

    def find(self, name: str, asking: Elf, above: tuple[Elf, ...] = ()) -> Elf | None:
        """The library that ``asking`` would get under this name."""
        if "/" in name:
            return self._fitting(self._expand(name, asking))
        for folder in self._folders(asking, above):
            found = self._fitting(f"{folder}/{name}")
            if found is not None:
                return found
        for path in self._cache.get(name, ()):
            found = self._fitting(f"{self._root}{path}")
            if found is not None:
                return found
        for folder in self._defaults:
            found = self._fitting(f"{self._root}{folder}/{name}")
            if found is not None:
                return found
        return self._inside.get(name)

    def anywhere(self, name: str, folders: Iterable[str]) -> str | None:
        """Where a library lies that a program opens by name at run time."""
        for folder in folders:
            if os.path.exists(f"{folder}/{name}"):
                return f"{folder}/{name}"
        found = self.find(name, self._program)
        return found.path if found is not None else None

    def _folders(self, asking: Elf, above: tuple[Elf, ...]) -> list[str]:
        folders: list[str] = []
        if not asking.runpath:
            for elf in (asking, *reversed(above), self._program):
                if not elf.runpath:
                    folders += [self._expand(entry, elf) for entry in elf.rpath]
        folders += self._library_path
        return folders + [self._expand(entry, asking) for entry in asking.runpath]

    def _expand(self, entry: str, elf: Elf) -> str:
        if "$" not in entry:
            return entry
        origin = os.path.dirname(os.path.abspath(elf.path))
        for name, value in (("ORIGIN", origin), ("LIB", "lib64"), ("PLATFORM", elf.machine)):
            entry = entry.replace(f"${{{name}}}", value).replace(f"${name}", value)
        return entry

    def _fitting(self, path: str) -> Elf | None:
        """The file, if it is one for this machine: the loader passes over others."""
        if path not in self._known:
            try:
                elf = read_elf(path)
            except NotElf:
                elf = None
            self._known[path] = elf if elf and elf.machine == self._program.machine else None
        return self._known[path]

    def missing(self, elf: Elf) -> list[tuple[str, str]]:
        """List the libraries that a file, or a library that it loads, needs and would not find: the name, and why."""
        problems: list[tuple[str, str]] = []
        seen = {elf.path}
        waiting: list[tuple[Elf, tuple[Elf, ...]]] = [(elf, ())]
        while waiting:
            asking, above = waiting.pop()
            for name in asking.needed:
                found = self.find(name, asking, above)
                through = "" if asking is elf else f" (through {os.path.basename(asking.path)})"
                if found is None:
                    problems.append((name, f"no file of this name is found{through}"))
                    continue
                problems += [
                    (f"{name} with {version}", f"{found.path} is older{through}")
                    for version in asking.wants.get(name, ())
                    if found.offers and version not in found.offers
                ]
                if found.path not in seen:
                    seen.add(found.path)
                    waiting.append((found, (*above, asking)))
        return problems


def read_cache(path: str) -> dict[str, list[str]]:
    """The loader's cache: name -> files. Empty where there is none (musl, a file that cannot be read)."""
    found: dict[str, list[str]] = {}
    try:
        with open(path, "rb") as file:
            data = file.read()
        start = data.index(CACHE_MAGIC)
        (count,) = struct.unpack_from("<I", data, start + len(CACHE_MAGIC))
        for index in range(count):
            _, key, value = struct.unpack_from(
                "<iII", data, start + HEADER_BYTES + ENTRY_BYTES * index
            )
            found.setdefault(_string(data, start + key), []).append(_string(data, start + value))
    except (OSError, ValueError, struct.error):
        pass
    return found


def _string(data: bytes, place: int) -> str:
    return data[place : data.index(b"\0", place)].decode("utf-8", "replace")
