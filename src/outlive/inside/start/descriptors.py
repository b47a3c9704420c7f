"""Descriptors of ours, kept under numbers that the program is not given: above its own limit, where there is room for that.

A program that closes all descriptors and opens new ones must never find one of ours among them, nor we one of its own. Nothing else
is opened while the program runs: a number that is taken for a moment is missing in the row that the program counts on.
"""

from __future__ import annotations

import fcntl
import resource

from .real import Real

#: Where the limit cannot be passed: a number that few programs reach.
HIGH = 1000

#: The kernel's table of descriptors is as long as the highest number, and is copied by every fork.
HIGHEST = 65536

#: Room above the limit, for the few that we need.
ROOM = 8


def put_aside(low: int) -> int:
    """Move a descriptor out of the way; gives its new number."""
    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        above = 0 <= soft <= HIGHEST and (hard == resource.RLIM_INFINITY or soft + ROOM <= hard)
        if not above:
            number = max(3, min(HIGH, soft - 16)) if soft >= 0 else HIGH
            return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft + ROOM, hard))
        try:
            return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, soft)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    finally:
        Real.close(low)
