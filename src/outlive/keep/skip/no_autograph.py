"""Functions of ours that TensorFlow traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from outlive.inside.tfdata.tf_private import library

Function = TypeVar("Function", bound=Callable[..., Any])


def as_written(function: Function) -> Function:
    """Traced as it stands: AutoGraph need not rewrite what has no loop and no condition."""
    made: Function = library().autograph.experimental.do_not_convert(function)
    return made
