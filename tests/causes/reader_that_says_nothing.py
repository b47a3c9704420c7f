"""A reader that gives None for a picture that it cannot read, as OpenCV's does; the line after it fails with other words."""
# expect: corrupt-image PROVEN
# ending: 1
# names: b.jpg

from pathlib import Path


class Picture:
    def __init__(self, data: bytes) -> None:
        self.shape = (len(data), 1)


def imread(path: str) -> Picture | None:
    data = Path(path).read_bytes()
    return Picture(data) if data.startswith(b"\xff\xd8") else None


def heights(paths: list[str]) -> list[int]:
    found = []
    for path in paths:
        picture = imread(path)  # <- here
        found.append(picture.shape[0])  # <- here
    return found


def run(second: bytes) -> None:
    Path("a.jpg").write_bytes(b"\xff\xd8 fine")
    Path("b.jpg").write_bytes(second)
    print(heights(["a.jpg", "b.jpg"]))


def die() -> None:
    run(b"<html>moved</html>")


def spare() -> None:
    run(b"\xff\xd8 fine too")
