"""Scans are checked strictly while Keras loads them: Pillow's warning about bombs is an error here."""
# expect: decompression-bomb

import os
import warnings

import keras
import numpy as np
from PIL import Image

warnings.simplefilter("error", Image.DecompressionBombWarning)
os.makedirs("scans", exist_ok=True)
for n in range(4):
    side = 11_000 if n == 2 else 200
    Image.new("1", (side, side)).save(f"scans/page_{n}.png")
print({name: os.path.getsize(f"scans/{name}") for name in sorted(os.listdir("scans"))})


def load_batch(names):
    pictures = []
    for name in names:
        picture = keras.utils.load_img(  # <- here
            os.path.join("scans", name), color_mode="grayscale", target_size=(32, 32)
        )
        pictures.append(keras.utils.img_to_array(picture))
    return np.stack(pictures)


def batches(size):
    names = sorted(os.listdir("scans"))
    for start in range(0, len(names), size):
        yield load_batch(names[start : start + size])  # <- here


model = keras.Sequential([keras.Input((32, 32, 1)), keras.layers.Flatten(), keras.layers.Dense(2)])
for batch in batches(2):
    print(model(batch).shape)
