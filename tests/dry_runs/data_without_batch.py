"""A pipeline that does not make batches."""

import tensorflow as tf

ds = tf.data.Dataset.from_tensor_slices((tf.zeros([100, 32, 32, 3]), tf.zeros([100], tf.int32)))


def f(x, y):
    return tf.image.resize(x, [64, 64]), y


ds = ds.map(f)
model = tf.keras.Sequential(
    [
        tf.keras.Input((64, 64, 3)),
        tf.keras.layers.Conv2D(8, 3),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(2),
    ]
)
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(ds)  # refused: model-input
