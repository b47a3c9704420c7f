"""Which runtime a model is run with: the one that was asked for, or the lighter of those that are ready."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace

from outlive.detection.models.shrink import cached_path, is_checked, shrink
from outlive.detection.settings import LITERT_EXTENSION, Settings
from outlive.errors import UsageError


def with_runtime(settings: Settings, say: Callable[[str], None]) -> Settings:
    """The settings with a runtime, and with the model as that runtime takes it."""
    wanted, is_file = settings.runtime, settings.model.endswith(LITERT_EXTENSION)
    if is_file and wanted == "tf":
        raise UsageError(
            f"{settings.model} is a LiteRT file; TensorFlow cannot run it.",
            "Drop --runtime.",
        )
    if is_file:
        return replace(settings, runtime="litert")
    if wanted == "tf":
        return settings
    path = cached_path(settings.model, "float32")
    ready = is_checked(path) and importlib.util.find_spec("ai_edge_litert") is not None
    if wanted == "auto":
        return (
            replace(settings, model=path, runtime="litert")
            if ready
            else replace(settings, runtime="tf")
        )
    if not ready:
        say("converting the model to LiteRT, once; this takes a minute or two")
        shrunk = shrink(settings.model, "float32", path, pixels=settings.pixels)
        say(f"converted and checked: scores differ by at most {shrunk.largest_difference:.6f}")
    return replace(settings, model=path, runtime="litert")
