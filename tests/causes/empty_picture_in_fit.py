"""A file of 0 bytes in the folder that Keras trains from; the decoder runs below `fit`."""
# expect: corrupt-image PROVEN
# ending: 1
# needs: tensorflow
# names: 2.png

from pathlib import Path

import tensorflow as tf


def pictures() -> tf.data.Dataset:
    paths = sorted(str(path) for path in Path("faces").glob("*.png"))
    labels = [float(number) for number, _ in enumerate(paths)]
    data = tf.data.Dataset.from_tensor_slices((paths, labels))
    return data.map(
        lambda path, label: (  # <- here
            tf.image.resize(tf.io.decode_png(tf.io.read_file(path), channels=1), [4, 4]),  # <- here
            label,
        )
    ).batch(2)


def run(empty: bool) -> None:
    Path("faces").mkdir()
    for number in range(4):
        data = tf.io.encode_png(tf.zeros([8, 8, 1], tf.uint8)).numpy()
        Path(f"faces/{number}.png").write_bytes(b"" if empty and number == 2 else data)
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(pictures(), verbose=0)


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
