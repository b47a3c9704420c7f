"""Load what fits the program's pipelines to its memory (``outlive.inside.tfdata``), in a Python that need not have Outlive installed."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

    from ..notes.pipelines import Pipelines


def load(
    folder: str, pipelines: Pipelines, is_own: Callable[[str], bool]
) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported."""

    def place_of(stage: Any) -> Optional[Tuple[str, int]]:
        for file, line, _ in pipelines.frames_of_stage(stage):
            if is_own(file):
                return file, line
        return None

    from . import interpose

    made = interpose.Switch(interpose.say_on_stderr, place_of, folders_for_caches(folder))
    return dict(made.after_import())


def folders_for_caches(folder: str) -> List[str]:
    """Where temporary files go, then the folder of this run."""
    return [os.environ.get("TMPDIR") or "/tmp", "/var/tmp", os.path.dirname(folder)]
