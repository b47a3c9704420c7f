"""Models in loops."""

import gc

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import Model
from tensorflow.keras.applications import ResNet50


def build():
    inputs = keras.Input((2,))
    return keras.Model(inputs, keras.layers.Dense(1)(inputs))


class Mine(Model):
    pass


def serve(queue, sklearn_model):
    model, mine, net = build(), Mine(), ResNet50()
    while True:
        picture = queue.get()
        model.predict(picture[None])  # expect: predict-in-loop
        mine.predict(np.array([picture]))  # expect: predict-in-loop
        net.predict(picture)  # expect: predict-in-loop possible
        net.predict_on_batch(picture)
        sklearn_model.predict(picture[None])
        gc.collect()  # expect: collecting-in-training-loop


def folds(x, y, parts):
    for train, test in parts:
        model = build()
        model.fit(x[train], y[train])
        model.evaluate(x[test], y[test])
        del model
        keras.backend.clear_session()
        gc.collect()


def again(x, y):
    model = build()
    for _ in range(100):
        model.fit(x, y, verbose=0)  # expect: fit-in-loop
    for _ in range(100):
        model.fit(x, y, epochs=20)
    for part in range(100):
        model.fit(x[part], y[part])
    model.fit(x, y, batch_size=x.shape[0])  # expect: oversized-batch
    model.fit(x, y, batch_size=len(y))


def step(model, optimizer, batches, log):
    for batch in batches:
        try:
            with tf.GradientTape(persistent=True) as tape:  # expect: persistent-tape-kept
                loss = model(batch)
            optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights))
        except:  # expect: swallowed-training-error
            log("failed")
        try:
            model.train_on_batch(batch)
        except Exception:  # expect: swallowed-training-error
            pass
        try:
            model.train_on_batch(batch)
        except Exception as error:
            log(error)
        try:
            model.train_on_batch(batch)
        except:
            log("failed")
            raise


def whole_epoch(model, weights):
    data = tf.data.Dataset.range(1000).batch(2)
    with tf.GradientTape() as tape:
        total = 0.0
        for batch in data:  # expect: loop-inside-tape
            total += model(batch)
        for cell in range(1000):
            total += model(cell)
        for batch in data.take(4):
            total += model(batch)
    return tape.gradient(total, weights)
