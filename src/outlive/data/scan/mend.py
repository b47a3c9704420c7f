"""What can be mended in a data set without losing anything; the file as it was is kept.

A picture in a format that TensorFlow does not decode is written anew as PNG, and only if every pixel is the same. A picture with the wrong extension is
renamed. All else that is wrong with pictures (CMYK, 16 bits, turned by EXIF, animated) cannot be mended without a loss, or a choice that is the owner's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.data.atomic_file import new_beside
from outlive.data.formats.image_headers import HEAD_BYTES, format_of
from outlive.data.scan.flaws import Flaw
from outlive.data.scan.pictures import EXTENSIONS

#: Beside the picture; folders with a dot are not scanned.
KEPT = ".outlive-originals"

#: What is said of a picture that would have to be renamed, and may not be.
LEFT = "not renamed: annotations refer to it"

#: What PNG holds as it is.
SAME_IN_PNG = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")

REWRITTEN = ("GIF", "WEBP", "TIFF")


def mend(
    flaws: Sequence[Flaw], dry_run: bool, named_by: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """Mend what can be mended; what was done, one after the other.

    ``named_by`` has the pictures that annotation files call by their name, with that file: they keep it, or the annotations would be lost.
    """
    named = {flaw.path for flaw in flaws if os.path.abspath(flaw.path) in named_by}
    mendable = {
        flaw.path for flaw in flaws if flaw.slug in ("wrong-extension", "format-not-decoded")
    }
    for path in sorted(named & mendable):
        yield {"act": LEFT, "from": path, "to": named_by[os.path.abspath(path)]}
    several = {
        flaw.path for flaw in flaws if flaw.slug not in ("wrong-extension", "format-not-decoded")
    }
    for flaw in flaws:
        if flaw.record is not None or flaw.path in named:
            continue
        if flaw.slug == "format-not-decoded" and flaw.path not in several:
            done = _as_png(flaw.path, dry_run)
            if done is not None:
                yield done
        elif flaw.slug == "wrong-extension" and not _is_rewritten(flaw, flaws, several):
            yield _renamed(flaw.path, dry_run)


def _is_rewritten(flaw: Flaw, flaws: Sequence[Flaw], several: set[str]) -> bool:
    """Tell whether a fix writes the file anew anyway, under a name that fits."""
    mine = {other.slug for other in flaws if other.path == flaw.path}
    return "format-not-decoded" in mine and flaw.path not in several and _can_be_png(flaw.path)


def _renamed(path: str, dry_run: bool) -> Mapping[str, str]:
    """Give a picture the name of its format. Never over another file."""
    target = _free(os.path.splitext(path)[0], EXTENSIONS[_format(path)][0])
    if not dry_run:
        os.rename(path, target)
    return {"act": "would rename" if dry_run else "renamed", "from": path, "to": target}


def _as_png(path: str, dry_run: bool) -> Mapping[str, str] | None:
    """The same pixels as PNG; nothing, when PNG cannot hold them."""
    if not _can_be_png(path):
        return None
    target = _free(os.path.splitext(path)[0], ".png")
    if dry_run:
        return {"act": "would write as PNG", "from": path, "to": target}
    beside = new_beside(target)
    try:
        same = _write_png(path, beside)
    except BaseException:
        os.unlink(beside)
        raise
    if not same:
        os.unlink(beside)
        return None
    kept = os.path.join(os.path.dirname(path), KEPT)
    os.makedirs(kept, exist_ok=True)
    stem, extension = os.path.splitext(os.path.join(kept, os.path.basename(path)))
    os.rename(path, _free(stem, extension))
    os.rename(beside, target)
    return {"act": "written as PNG", "from": path, "to": target}


def _write_png(path: str, beside: str) -> bool:
    """Write a picture as PNG; tells whether its pixels came back the same."""
    from PIL import Image

    with Image.open(path) as image:
        image.load()
        image.save(beside, "PNG", exif=image.info.get("exif", b""))
        with Image.open(beside) as copy:
            return bool(copy.convert("RGBA").tobytes() == image.convert("RGBA").tobytes())


def _can_be_png(path: str) -> bool:
    from PIL import Image

    try:
        with Image.open(path) as image:
            frames: Any = getattr(image, "n_frames", 1)
            return _format(path) in REWRITTEN and frames == 1 and image.mode in SAME_IN_PNG
    except Exception:  # what cannot be opened cannot be mended
        return False


def _format(path: str) -> str:
    with open(path, "rb") as file:
        return format_of(file.read(HEAD_BYTES))


def _free(stem: str, extension: str) -> str:
    """A name that nobody has yet."""
    target, number = stem + extension, 1
    while os.path.lexists(target):
        target, number = f"{stem}-{number}{extension}", number + 1
    return target
