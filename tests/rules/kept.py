"""What is kept in lists, and what only looks like it."""

import glob
import os

import cv2
import keras
import numpy as np
import tensorflow as tf
from PIL import Image
from tqdm import tqdm

model = keras.Sequential([keras.layers.Dense(1)])
batches = tf.data.Dataset.range(10**6).batch(1).batch(10)

pictures = []
for path in tqdm(glob.glob("*.jpg")):
    picture = Image.open(path)
    pictures.append(np.asarray(picture.resize((64, 64))))  # expect: results-kept-in-list

histories = []
while True:
    history = model.fit(batches)  # expect: fit-in-loop
    histories.append(history)  # expect: results-kept-in-list
    losses = []
    losses.append(history.history["loss"][-1])

elements, labels, sizes = [], [], []
for step, (pixels, label) in enumerate(batches):
    elements.append(pixels.numpy())  # expect: results-kept-in-list
    labels.append(label)
    sizes.append(len(pixels))

few = []
for pixels in batches.take(20):
    few.append(pixels)

seven = []
for path in os.listdir(".")[:7]:
    seven.append(cv2.imread(path))

window = []
for pixels in batches:
    window.append(pixels)
    if len(window) > 10:
        window.pop(0)

for path in os.listdir("."):
    fresh = []
    fresh.append(cv2.imread(path))


def batch_of(paths):
    found = []
    for path in paths:
        found.append(cv2.imread(path))  # expect: results-kept-in-list possible
    return np.stack(found)


def network(inputs):
    outputs = []
    for width in range(10_000):
        inputs = keras.layers.Dense(width)(inputs)
        outputs.append(inputs)
    return outputs


@tf.function
def traced(data):
    found = []
    for element in batches:
        found.append(element)
    return found


class Camera:
    def __init__(self):
        self.frames = []

    def watch(self):
        self.frames = []
        camera = cv2.VideoCapture(0)
        while camera.isOpened():
            good, frame = camera.read()
            self.frames.append(frame)  # expect: results-kept-in-list


def thumbnail(number):
    return tf.image.resize(tf.zeros((9, 9, 3)), (512, 512)).numpy()


thumbnails = []
for number in range(4000):
    thumbnails.append(thumbnail(number))  # expect: results-kept-in-list

outputs = []


def evaluate(batch):
    features, logits = model(batch, training=False)
    outputs.append({"features": features})  # expect: results-kept-in-list possible
    return float(logits)


for batch in batches:
    evaluate(batch)


def once(batch):
    single = []
    single.append(model(batch))
    return single
