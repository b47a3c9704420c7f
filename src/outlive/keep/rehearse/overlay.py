"""An overlay over the working folder: what a rehearsal writes there lands in an upper folder of ours, and the user's files stay as they are.

Only the rehearsed program sees it: it is mounted in a mount namespace that ends with its last process. As root that is `unshare -m`; an
ordinary user makes a user namespace first, where the system allows one. What lies outside of the folder is not covered.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from outlive.model.quick_dataclass import dataclass

#: Mounts, goes into the folder as it is now, and becomes the command. Its words: folder, upper folder, work folder, command.
MOUNT = (
    'mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$1" || exit 125; '
    'cd "$1" || exit 125; shift 3; exec "$@"'
)
NAMESPACES = {
    "unshare -m": ("unshare", "-m", "--propagation", "private"),
    "unshare -Um": ("unshare", "-Um", "--map-current-user", "--keep-caps", "--propagation", "private"),
    "unshare -Urm": ("unshare", "-Urm", "--propagation", "private"),
}  # fmt: skip
SECONDS_TO_MOUNT = 10.0

#: In which the system counts what a file takes.
BLOCK_BYTES = 512

#: Two of the characters that the options of a mount are divided by.
NOT_IN_OPTIONS = frozenset(",:\\\n")


@dataclass(frozen=True, slots=True)
class Overlay:
    """A way to run a command so that its writes to a folder are kept apart."""

    folder: str
    upper: str
    around: tuple[str, ...]  #: the words before the command
    how: str  #: which namespaces

    def written_bytes(self) -> int:
        """How much was written so far."""
        return bytes_below(self.upper)


def bytes_below(folder: str) -> int:
    """What the files in a folder take on the disk."""
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(here, name)).st_blocks * BLOCK_BYTES
    return total


@contextmanager
def overlay_over(folder: str) -> Iterator[Overlay | str]:
    """An overlay that works, tried; or why there is none. The upper folder is removed at the end."""
    folder = os.path.realpath(folder)
    place = _place_outside(folder)
    if place is None or NOT_IN_OPTIONS & set(folder + place):
        yield "there is no place for its upper folder outside of the working folder"
        return
    with tempfile.TemporaryDirectory(prefix="outlive-rehearse-", dir=place) as parent:
        why = ""
        for number, (how, words) in enumerate(NAMESPACES.items()):
            upper, work = (os.path.join(parent, f"{name}{number}") for name in ("upper", "work"))
            os.mkdir(upper)
            os.mkdir(work)
            around = (*words, "sh", "-c", MOUNT, "sh", folder, upper, work)
            refused = _refused(around)
            if refused is None:
                _make_removable(work)
                try:
                    yield Overlay(folder, upper, around, how)
                finally:
                    _make_removable(work)
                return
            why = why or refused
        yield why


def _place_outside(folder: str) -> str | None:
    """Where temporary files may lie that the overlay does not hide."""
    for place in (tempfile.gettempdir(), "/var/tmp", os.path.expanduser("~")):
        real = os.path.realpath(place)
        inside = os.path.commonpath([real, folder]) == folder
        if not inside and os.path.isdir(real) and os.access(real, os.W_OK):
            return real
    return None


def _refused(around: Sequence[str]) -> str | None:
    """Try it with a command that does nothing; what the system says, if it does not allow it."""
    try:
        done = subprocess.run(
            [*around, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS_TO_MOUNT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    return " ".join(done.stderr.split()) or f"status {done.returncode}"


def _make_removable(work: str) -> None:
    """The kernel leaves a folder in the work folder that nobody may read."""
    inner = os.path.join(work, "work")
    if os.path.isdir(inner):
        os.chmod(inner, 0o700)
