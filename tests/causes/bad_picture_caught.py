"""The main function catches everything, says a few words and ends with status 1: the picture is the reason."""
# expect: corrupt-image LIKELY
# ending: 1
# needs: PIL
# names: b.png

import sys
from pathlib import Path

from PIL import Image


def thumbnail(path: Path) -> tuple[int, int]:
    picture = Image.open(path)  # <- here
    picture.thumbnail((8, 8))
    return picture.size


def run(good: bool) -> None:
    Image.new("RGB", (32, 32)).save("a.png")
    Path("b.png").write_bytes(Path("a.png").read_bytes() if good else b"<html>not found</html>")
    try:
        print([thumbnail(path) for path in sorted(Path().glob("*.png"))])
    except Exception as error:
        print("giving up:", type(error).__name__, file=sys.stderr)
        sys.exit(1)


def die() -> None:
    run(good=False)


def spare() -> None:
    run(good=True)
