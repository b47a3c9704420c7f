"""Nothing is wrong here."""

import numpy as np
import tensorflow as tf

X = np.random.rand(200, 8, 1)
y = np.random.rand(200)
n = int(0.8 * len(X))
Xtr, Xte, ytr, yte = X[:n], X[n:], y[:n], y[n:]
model = tf.keras.Sequential(
    [
        tf.keras.layers.LSTM(8, input_shape=(Xtr.shape[1], Xtr.shape[2])),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(loss="mse", optimizer="adam")
model.fit(Xtr, ytr, validation_data=(Xte, yte), epochs=1)
p = model.predict(Xte)
print(np.mean((p[:, 0] - yte) ** 2))
