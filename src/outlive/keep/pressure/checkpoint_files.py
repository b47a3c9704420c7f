"""Whether a checkpoint lies on the disk: a file, a folder with something in it, or the beginning of names as TensorFlow's ``ckpt-7``."""

from __future__ import annotations

import os
from typing import Any


def is_there(path: Any) -> bool:
    """Whether something can be gone on from under this name."""
    if not isinstance(path, (str, bytes, os.PathLike)) or not path:
        return False
    name = os.fsdecode(os.fspath(path))
    try:
        if os.path.isdir(name):
            return bool(os.listdir(name))
        return any(os.path.getsize(one) for one in (name, f"{name}.index") if os.path.exists(one))
    except (OSError, ValueError):
        return False
