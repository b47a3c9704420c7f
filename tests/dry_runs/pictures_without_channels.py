"""Pictures without their channels into a convolution."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Conv2D, Dense, Flatten

x = np.random.rand(100, 28, 28)
y = np.random.randint(0, 10, (100,))
model = keras.Sequential(
    [Conv2D(8, 3, activation="relu"), Flatten(), Dense(10, activation="softmax")]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=1)  # refused: model-input
