"""A box of no height is cut out of the picture and saved as PNG."""
# expect: tf-check-failed

import tensorflow as tf


class CropWriter:
    def __init__(self, prefix):
        self.prefix = prefix
        self.written = 0

    def write(self, image, box):
        top, left, bottom, right = box
        crop = image[top:bottom, left:right]
        data = tf.io.encode_png(crop)  # <- here
        tf.io.write_file(f"{self.prefix}_{self.written}.png", data)
        self.written += 1


def save_all(image, boxes):
    writer = CropWriter("crop")
    for box in boxes:
        writer.write(image, box)
    return writer.written


photo = tf.zeros([100, 100, 3], tf.uint8)
print("written", save_all(photo, [(0, 0, 50, 50), (10, 10, 40, 90), (30, 20, 30, 60)]))
