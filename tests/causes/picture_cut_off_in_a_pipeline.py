"""One JPEG of a folder is cut off; it is decoded in a thread of tf.data, and the error names no file."""
# expect: corrupt-image PROVEN
# example: yes
# ending: 1
# needs: tensorflow
# names: photo_3.jpg

from pathlib import Path

import tensorflow as tf


def write(count: int) -> None:
    for number in range(count):
        noise = tf.cast(tf.random.uniform([40, 40, 3], 0, 255, tf.int32), tf.uint8)
        Path(f"photo_{number}.jpg").write_bytes(tf.io.encode_jpeg(noise).numpy())


def load(path: tf.Tensor) -> tf.Tensor:
    data = tf.io.read_file(path)
    if tf.strings.length(data) > 0:
        picture = tf.io.decode_jpeg(data, channels=3)  # <- here
    else:
        picture = tf.zeros([8, 8, 3], tf.uint8)
    return tf.image.resize(picture, [32, 32])


def run() -> None:
    files = tf.data.Dataset.list_files("photo_*.jpg")
    for batch in files.map(load, num_parallel_calls=2).batch(2).prefetch(1):
        print(batch.shape)


def die() -> None:
    write(6)
    bad = Path("photo_3.jpg")
    bad.write_bytes(bad.read_bytes()[:-400])
    run()


def spare() -> None:
    write(6)
    run()
