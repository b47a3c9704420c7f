"""Build hook: compile the C library that the agent loads inside the watched program.

It is a plain shared object (no Python ABI), so one wheel serves every Python of a platform. Without a
C compiler the package is built all the same, and Outlive says at run time what it then misses.
OUTLIVE_REQUIRE_SHIM=1 makes that an error.

OUTLIVE_WHEEL_FOR names one of PLATFORMS: the wheel is then made for that platform, on any machine, by the
C compiler of the package ziglang, which carries the headers and symbol versions of every C library. "any"
is the wheel without the library, for what the library refuses: musl (Alpine), whose dynamic linker locks
otherwise (native/shim.h), and other processors. `make wheels` builds all of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface as _Hook

    Hook = _Hook[Any]
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface as Hook
    except ImportError:  # the tests use `compile_shim` where hatchling is not installed
        Hook = object

SOURCES = "src/outlive/inside/native"
LIBRARY = "src/outlive/inside/_shim.so"
FLAGS = ("-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-fvisibility=hidden", "-Wl,-z,nodelete")
LIBRARIES = ("-ldl", "-pthread")
COMPILE_SECONDS = 120


class Platform(NamedTuple):
    """A platform that wheels are made for: what zig calls it, and its tags as pip knows them."""

    target: str
    tags: str


#: glibc 2.17 (2014) is older than every Linux on which TensorFlow 2 runs.
PLATFORMS = {
    "manylinux_2_17_x86_64": Platform(
        "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64"
    ),
    "manylinux_2_17_aarch64": Platform(
        "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64"
    ),
}
ANY = "any"
# No symbols, no build id, no path of this machine: what two builds differ in otherwise.
RELEASE_FLAGS = ("-s", "-g0", "-Wl,--build-id=none")


class ShimNotBuilt(Exception):
    """The library could not be compiled; the message says why."""


def find_compiler() -> list[str]:
    """The C compiler as the start of a command line: $CC, or the first one found."""
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen:
        return chosen
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return [found]
    raise ShimNotBuilt("no C compiler found (cc, gcc or clang; or set CC)")


def compile_shim(sources: Path, target: Path) -> None:
    """Compile the files of the folder for this machine into the shared object ``target``; ShimNotBuilt if that fails."""
    if sys.platform != "linux":
        raise ShimNotBuilt(f"the library is for Linux, this is {sys.platform}")
    _compile(find_compiler(), sources, target)


def cross_compile_shim(platform: str, sources: Path, target: Path) -> None:
    """Compile it for one of PLATFORMS, by zig; ShimNotBuilt if that fails."""
    if platform not in PLATFORMS:
        raise ShimNotBuilt(
            f"OUTLIVE_WHEEL_FOR={platform}: choose from {', '.join(PLATFORMS)}, {ANY}"
        )
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[platform].target]
    _compile([*compiler, *RELEASE_FLAGS], sources, target)


def _compile(compiler: list[str], sources: Path, target: Path) -> None:
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    files = sorted(str(path) for path in sources.glob("*.c"))
    command = [*compiler, *FLAGS, "-o", str(unfinished), *files, *LIBRARIES]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMPILE_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            said = done.stdout.decode(errors="replace").strip()
            raise ShimNotBuilt(f"{shlex.join(command)} failed:\n{said}")
        # A new file, never the old one rewritten: a running program may have that one mapped.
        os.replace(unfinished, target)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ShimNotBuilt(f"{shlex.join(command)}: {problem}") from problem
    finally:
        unfinished.unlink(missing_ok=True)


def is_current(sources: Path, target: Path) -> bool:
    """Whether ``target`` is newer than all files of the folder and for this machine (a tree may be copied)."""
    try:
        newest = max(path.stat().st_mtime for path in sources.iterdir())
        if target.stat().st_mtime <= newest:
            return False
        return _machine(target) == _machine(Path(sys.executable))
    except OSError:
        return False


def _machine(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(20)[18:20]  # e_machine of the ELF header


class CustomBuildHook(Hook):
    """What hatchling calls for a wheel, normal or editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling of the library; ``version`` is "standard" or "editable"."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        sources, target = root / SOURCES, root / LIBRARY
        wanted = os.environ.get("OUTLIVE_WHEEL_FOR")
        if wanted == ANY:
            return
        if wanted and version != "editable":
            self._include_for(wanted, sources, build_data)
            return
        try:
            if not is_current(sources, target):
                compile_shim(sources, target)
        except ShimNotBuilt as problem:
            if os.environ.get("OUTLIVE_REQUIRE_SHIM") == "1":
                raise
            target.unlink(missing_ok=True)  # an old one, or another machine's
            self.app.display_warning(
                "Outlive is built without its C library: it will not know who sent a signal, nor "
                f"the last text on stderr.\n{problem}"
            )
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        # As an artifact: it is part of the package's folder and only Git ignores it.
        build_data["artifacts"].append(f"/{LIBRARY}")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for another platform."""
        folder = build_data.get("outlive_folder")
        if folder:
            shutil.rmtree(folder)

    def _include_for(self, platform: str, sources: Path, build_data: dict[str, Any]) -> None:
        # Apart from the tree: there the library of this machine lies, which an editable install uses.
        folder = build_data["outlive_folder"] = tempfile.mkdtemp(prefix="outlive-wheel-")
        library = Path(folder) / Path(LIBRARY).name
        try:
            cross_compile_shim(platform, sources, library)
        except ShimNotBuilt:
            shutil.rmtree(folder)
            raise
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[platform].tags}"
        build_data["force_include"][str(library)] = str(Path(LIBRARY).relative_to("src"))
