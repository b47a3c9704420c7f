"""Pillow's guard against huge pictures is disabled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R112", since="0.1", needs=("MAX_IMAGE_PIXELS",), prevents=("decompression-bomb", "oversized-image")
)  # fmt: skip
def picture_guard_switched_off(source: Source) -> Iterator[Finding]:
    """Pillow is told to open pictures of any size.

    ## Why it is bad
    `MAX_IMAGE_PIXELS` protects the memory from a malicious or broken file: a file of a few kilobytes can claim to be
    60,000 × 60,000 pixels, 10.8 GB.

    ## Bad
        from PIL import Image

        Image.MAX_IMAGE_PIXELS = None

    ## Good
        from PIL import Image

        Image.MAX_IMAGE_PIXELS = 500_000_000
    """
    for assign in source.every(ast.Assign):
        for target in assign.targets:
            unbounded = isinstance(assign.value, ast.Constant) and assign.value.value is None
            if unbounded and source.called(target) == "PIL.Image.MAX_IMAGE_PIXELS":
                yield Finding(
                    "Pillow's guard against huge pictures is disabled.",
                    remedies=(Remedy("Set it to the largest picture you expect, in pixels."),),
                    where=source.place(assign),
                )
