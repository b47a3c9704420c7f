"""A download saved an error page as a picture; Pillow meets it in a generator of a class, and the error is wrapped."""
# expect: corrupt-image PROVEN
# ending: 1
# needs: PIL
# names: b.png

from collections.abc import Iterator
from pathlib import Path

from PIL import Image


class Folder:
    def __init__(self, names: list[str]) -> None:
        self.names = names

    def pictures(self) -> Iterator[Image.Image]:
        for name in self.names:
            try:
                yield Image.open(name).convert("L")  # <- here
            except OSError as error:
                raise RuntimeError("the data set is broken") from error


def run(second: bytes | None) -> None:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (9, 9)).save(name)
    if second is not None:
        Path("b.png").write_bytes(second)
    print([picture.size for picture in Folder(["a.png", "b.png"]).pictures()])


def die() -> None:
    run(b"<!DOCTYPE html><html><title>404 Not Found</title></html>")


def spare() -> None:
    run(None)
