"""A fingerprint of a model's files: a job that is resumed with another model would mix the results of both."""

from __future__ import annotations

import hashlib
import os


def fingerprint(model: str) -> str:
    """Compute a hash of a model's files: names, lengths and content."""
    found = hashlib.sha256()
    paths = [model]
    if os.path.isdir(model):
        paths = [
            os.path.join(folder, name)
            for folder, _, names in sorted(os.walk(model))
            for name in sorted(names)
        ]
    for path in paths:
        found.update(f"{os.path.relpath(path, model)}:{os.path.getsize(path)}\n".encode())
        with open(path, "rb") as file:
            while data := file.read(1 << 20):
                found.update(data)
    return found.hexdigest()[:16]
