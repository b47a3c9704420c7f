"""The right answers' names, by group: a tool that names the wrong cause of the right group has helped somewhat.

The benchmark keeps this table itself: what is right must not depend on a tool that is being judged. A cause that is new in Outlive has no group
until somebody writes it here: only its own name is right for it.
"""

from __future__ import annotations

NOTHING = "nothing"

GROUPS = {
    "memory: the limit": "memory-limit-reached machine-out-of-memory address-space-limit allocation-refused "
    "worker-out-of-memory gpu-memory-exhausted",
    "memory: the growth": "kept-in-container function-retraced graph-grows tape-kept-open native-leak fragmented-heap",
    "memory: the pipeline": "prefetch-too-deep shuffle-buffer-too-large cache-in-memory parallel-map-too-wide "
    "widened-dtype oversized-image decompression-bomb",
    "from outside": "terminated-by-process killed-by-process terminal-hung-up interrupted alarm-not-cancelled "
    "cpu-time-limit preempted",
    "native": "native-op-crashed user-native-crashed tf-check-failed heap-corrupted division-in-op stack-overflow "
    "thread-stack-too-small illegal-instruction shared-memory-full mapped-file-truncated crashed-at-exit",
    "data": "corrupt-image corrupt-record corrupt-weights missing-file record-schema-mismatch",
    "tensors": "shape-mismatch dtype-mismatch not-finite",
    "environment": "numpy-abi-mismatch protobuf-mismatch shared-library-missing disk-full too-many-open-files "
    "too-many-threads",
    "concurrency": "session-closed operation-cancelled background-error-lost forked-after-threads deadlocked "
    "waiting-forever",
    "the program": "exited-by-program exited-without-cleanup recursion-too-deep stale-notebook-state uncaught-exception",
    "nothing is wrong": NOTHING,
}
GROUP_OF = {slug: group for group, slugs in GROUPS.items() for slug in slugs.split()}
UNGROUPED = "without a group"


def group_of(slug: str) -> str:
    return GROUP_OF.get(slug, UNGROUPED)
