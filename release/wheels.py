"""Build what a release consists of into dist/: a wheel for each platform, and the sources.

    python release/wheels.py [--into FOLDER] [PLATFORM ...]

The same commit gives the same bytes again, in any folder: dates come from the commit (SOURCE_DATE_EPOCH),
the C compiler is the pinned one of the package ziglang. Tried on one machine with one Python; another
Python's zlib may compress differently. `make wheels` runs it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hatch_build import ANY, LIBRARY, PLATFORMS  # noqa: E402  # the build hook lies beside pyproject.toml

#: A wheel is downloaded by everyone who tries Outlive.
MOST_BYTES = 2_000_000


def main() -> None:
    """Build, check and list the files."""
    parser = argparse.ArgumentParser(description="Build Outlive's wheels and its source archive.")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="default: all")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="default: dist/")
    chosen = parser.parse_args()
    for platform in chosen.platforms or [*PLATFORMS, ANY]:
        wheel = build_wheel(platform, chosen.into)
        check(wheel, platform)
        describe(wheel)
    if not chosen.platforms:
        describe(build_sources(chosen.into))


def build_wheel(platform: str, folder: Path) -> Path:
    """Build the wheel for one of the build hook's platforms, or for any."""
    return _build("wheel", folder, OUTLIVE_WHEEL_FOR=platform)


def build_sources(folder: Path) -> Path:
    """Build the source archive, from which pip compiles the library itself."""
    return _build("sdist", folder)


def _build(kind: str, folder: Path, **environment: str) -> Path:
    # What pip calls; it gives the name of the file.
    call = f"import sys, hatchling.build as b; print(b.build_{kind}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", call, str(folder.resolve())],
        cwd=ROOT,
        env={"SOURCE_DATE_EPOCH": _date()} | os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{kind} for {environment or 'all'} could not be built (see above)")
    return folder / done.stdout.splitlines()[-1]


def _date() -> str:
    """Give the date of the commit, in seconds since 1970."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def check(wheel: Path, platform: str) -> None:
    """Stop if the wheel is too large, or needs more of the system than its name says."""
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{wheel.name} has {size:,} bytes; the limit is {MOST_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive:
        has_library = LIBRARY.removeprefix("src/") in archive.namelist()
    if has_library == (platform == ANY):
        sys.exit(f"{wheel.name} {'has the' if has_library else 'lacks its'} C library")
    if platform == ANY:
        return
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(wheel)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    if f'platform tag:"{platform}"' not in shown.replace("\n", "").replace("tag: ", "tag:"):
        sys.exit(f"auditwheel does not agree that {wheel.name} is for {platform}:\n{shown}")


def describe(path: Path) -> None:
    """Print one line about a file: size, digest, name."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    print(f"{path.stat().st_size:>9,} bytes  sha256 {digest}  {path.name}", flush=True)


if __name__ == "__main__":
    main()
