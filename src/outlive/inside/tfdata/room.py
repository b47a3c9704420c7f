"""How much memory and how many processors there really are, for what runs in this process."""

from __future__ import annotations

import os

from ..machine.cpu_quota import smallest_quota
from ..machine.host import Host
from ..machine.memory_limit import effective_limit
from .element_sampling import memory_of_tensorflow

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Optional, Tuple

#: Where nothing can be read: small enough for any machine that runs TensorFlow.
UNREADABLE = 1 << 30


def room_for_pipelines() -> int:
    """Count the bytes that are left below the smallest limit, and those that TensorFlow's allocator holds free."""
    left = effective_limit(Host()).left_bytes
    if left is None:
        return UNREADABLE
    current, peak = memory_of_tensorflow()
    return left + max(0, peak - current)


def processors() -> Tuple[int, Optional[int]]:
    """How many may run at once; and the quota of a cgroup, where it is smaller than what TensorFlow counts."""
    counted = len(os.sched_getaffinity(0))
    quota = smallest_quota(Host())
    if quota is None or quota.cpus >= counted:
        return counted, None
    whole = max(1, -int(-quota.cpus // 1))
    return whole, whole
