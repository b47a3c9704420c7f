"""What somebody else's detectors see in a text: those of detect-secrets that know shapes, none that guesses by entropy or by a name.

The list of shapes in Outlive is its own. Where another list, kept by others, finds something in what Outlive says, ours has a hole.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.ip_public import IPPublicDetector
from detect_secrets.plugins.keyword import KeywordDetector

#: No secrets: addresses of machines, and any text beside the word "password", also the mask that hides it.
LEFT_OUT = (IPPublicDetector, KeywordDetector)


@functools.cache
def detectors() -> tuple[RegexBasedDetector, ...]:
    """One of each kind."""
    kinds = get_mapping_from_secret_type_to_class().values()
    return tuple(
        kind() for kind in kinds if issubclass(kind, RegexBasedDetector) and kind not in LEFT_OUT
    )


def seen_by_others(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The kind and the text of everything that a detector finds, each once."""
    lines = {line for text in texts for line in text.split("\n")}
    found = {
        (type(detector).__name__, match)
        for line in lines
        for detector in detectors()
        for match in detector.analyze_string(line)
    }
    return sorted(found)
