"""The repository was cloned without Git LFS: the model is a text of three lines, and Keras says that it was not found."""
# expect: corrupt-weights PROVEN
# ending: 1
# needs: tensorflow
# names: model.keras

from pathlib import Path

import tensorflow as tf

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def main(path: str) -> None:
    model = tf.keras.models.load_model(path)  # <- here
    print(model.count_params())


def die() -> None:
    Path("model.keras").write_text(POINTER)
    main("model.keras")


def spare() -> None:
    tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)]).save("model.keras")
    main("model.keras")
