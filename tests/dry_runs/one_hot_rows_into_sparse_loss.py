"""One-hot rows with a sparse loss."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Dense

x = np.random.rand(100, 20)
y = keras.utils.to_categorical(np.random.randint(0, 10, (100,)), 10)
model = keras.Sequential(
    [Dense(32, activation="relu", input_shape=(20,)), Dense(10, activation="softmax")]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=1)  # refused: labels
