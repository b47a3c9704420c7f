"""A small file that becomes huge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, MEMORY_LIMIT, PEAK_MEMORY
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.complaint_facts import (
    complained,
    facts_of_complaint,
    facts_of_inspection,
    line_of,
)
from outlive.units.unit import cause

#: Pillow warns before it decodes such a picture, and refuses one of twice the size.
WARNED = re.compile(
    r"DecompressionBombWarning: Image size \((\d+) pixels\) exceeds limit of (\d+) pixels"
)

#: Three channels of a byte each: what a picture takes at least when it is decoded.
BYTES_PER_PIXEL = 3


@cause(
    "D127",
    since="0.1",
    behind=(
        "uncaught-exception",
        "memory-limit-reached",
        "machine-out-of-memory",
        "address-space-limit",
        "allocation-refused",
    ),
    searched=(
        "DecompressionBombError: Image size exceeds limit",
        "could be decompression bomb DOS attack",
        "Image.MAX_IMAGE_PIXELS",
    ),
)
def decompression_bomb(evidence: Evidence) -> Iterator[Finding]:
    """A picture that is small on disk is enormous when decoded.

    ## What happened
    A compressed picture of a few kilobytes can stand for gigabytes of pixels: on purpose, because its header is broken,
    or because it comes from a scanner. The decoder refused it, or tried and ran out of memory.

    ## How we know
    The decoder names the number of pixels, or warned of it on stderr shortly before memory ran out; the file's header was read after the
    death.

    ## What to do
    Check the size before decoding (`PIL.Image.open(path).size` reads only the header) and skip or shrink such files.
    Raise `PIL.Image.MAX_IMAGE_PIXELS` only for files that you trust and have the memory for.
    """
    complaint = complained(evidence, "decompression-bomb")
    if complaint is not None:
        culprit = next(iter(evidence.inspection.files), None)
        name = f"`{culprit.name}`" if culprit is not None else "A picture"
        pixels = int(complaint.first) if complaint.first.isdigit() else None
        weighs = f" of {pixels} pixels, {size(pixels * BYTES_PER_PIXEL)} decoded" if pixels else ""
        yield Finding(
            f"{name} is a picture{weighs}; the decoder refused it: {complaint.words}."
            if culprit is not None
            else f"{name}{weighs} was refused by the decoder: {complaint.words}.",
            (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
            evidence.errors.sure_of(complaint.thrown, seen=culprit is not None),
            _REMEDIES,
            where=line_of(evidence, complaint),
        )
        return
    warned = WARNED.findall(evidence.run.log)
    if not warned or (evidence.memory.oom_kill() is None and evidence.memory.refused() is None):
        return
    if evidence.memory.filled_by_others() is not None:
        return
    pixels = int(warned[-1][0])
    yield Finding(
        f"A picture of {pixels} pixels ({size(pixels * BYTES_PER_PIXEL)} decoded) was opened, and memory ran out.",
        (
            Fact(
                "warning",
                f"Image size ({pixels} pixels) exceeds limit of {warned[-1][1]}",
                "stderr",
            ),
            *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
        ),
        Confidence.LIKELY,
        _REMEDIES,
        where=evidence.run.busy,
    )


_REMEDIES = (
    Remedy(
        "Check the size first: PIL.Image.open(path).size reads only the header; skip what is too large."
    ),
    Remedy("For a JPEG you trust, decode it smaller: image.draft('RGB', (1024, 1024))."),
)
