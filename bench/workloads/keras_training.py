"""Training of a small convolutional network on the CPU: long native steps, little Python."""

import keras
import numpy
from timing import scaled, timed_loop

keras.utils.set_random_seed(0)
random = numpy.random.default_rng(0)
images = random.random((scaled(12_800), 32, 32, 3), dtype=numpy.float32)
labels = random.integers(0, 10, len(images))

model = keras.Sequential(
    [
        keras.Input((32, 32, 3)),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))

with timed_loop():
    model.fit(images, labels, batch_size=64, epochs=4, verbose=0)
