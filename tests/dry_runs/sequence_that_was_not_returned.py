"""A second recurrent layer without a sequence."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(1000, 16),
        tf.keras.layers.LSTM(32),
        tf.keras.layers.LSTM(32),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(loss="binary_crossentropy", optimizer="adam")
model.fit(  # refused: model-input
    np.random.randint(0, 1000, (64, 20)), np.random.randint(0, 2, (64,)), epochs=1
)
