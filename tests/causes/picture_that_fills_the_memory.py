"""Pillow warns of a huge picture and decodes it all the same; the cgroup's limit is reached."""
# expect: decompression-bomb LIKELY
# ending: SIGKILL
# memory: 300
# needs: PIL

from pathlib import Path

from PIL import Image


def write(side: int) -> None:
    Image.new("L", (side, side)).save("plan.png", compress_level=1)


def pixels(path: str) -> int:
    picture = Image.open(path)
    copies = [picture.convert("RGB") for _ in range(3)]  # <- here
    return sum(copy.width for copy in copies)


def die() -> None:
    write(9_800)
    print(pixels("plan.png"))


def spare() -> None:
    write(98)
    print(Path("plan.png").stat().st_size, pixels("plan.png"))
