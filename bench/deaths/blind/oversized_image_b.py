"""Microscope slides are read with Pillow in a thread pool; one slide has 81 million pixels."""
# expect: oversized-image
# memory: 250

import concurrent.futures
import pathlib

import numpy as np
from PIL import Image


def make_slides(folder):
    folder.mkdir(exist_ok=True)
    for n in range(6):
        Image.new("L", (400, 300), n * 10).save(folder / f"slide_{n}.png")
    Image.new("1", (9000, 9000)).save(folder / "slide_6.png")


class SlideReader:
    def __init__(self, size):
        self.size = size

    def read(self, path):
        with Image.open(path) as slide:
            pixels = slide.convert("RGB")  # <- here
        return np.asarray(pixels.resize(self.size), np.uint8)

    def read_all(self, paths):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return np.stack(list(pool.map(self.read, paths)))  # <- here


slides = pathlib.Path("slides")
make_slides(slides)
images = SlideReader((96, 96)).read_all(sorted(slides.glob("*.png")))
print(images.shape, images.mean())
