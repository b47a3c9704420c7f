"""Programs that outgrow a limit at some step, and programs that do not: what `outlive rehearse` is measured by.

``python programs.py NAME``: runs one. Each writes the number of its step over a file that OUTLIVE_BENCH_STEP names, so that the step of a
death is known to whoever let it die.
"""

from __future__ import annotations

import os
import sys
import threading
import time


def at(step: int) -> None:
    """Note which step has begun."""
    if STEP is not None:
        os.pwrite(STEP, b"%10d" % step, 0)


STEP = None
PROGRAMS = {}


def program(limit: str, seconds: int, dies: bool):
    def add(function):
        PROGRAMS[function.__name__] = (function, limit, seconds, dies)
        return function

    return add


# -- those that die


@program("600MB", 15, True)
def list_of_buffers():
    kept = []
    for i in range(100_000):
        at(i)
        kept.append(bytearray(150_000))
        time.sleep(0.01)


@program("500MB", 15, True)
def dict_of_texts():
    seen = {}
    for i in range(100_000_000):
        at(i)
        seen[i] = f"{i:400}"
        if i % 300 == 0:
            time.sleep(0.01)


@program("500MB", 15, True)
def dict_of_numbers():
    seen = {}
    for i in range(100_000_000):
        at(i)
        seen[i] = "x" * 400
        if i % 300 == 0:
            time.sleep(0.01)


@program("700MB", 15, True)
def numpy_arrays():
    import numpy as np

    results = []
    for i, scale in enumerate([0.5] * 100_000):
        at(i)
        results.append(np.ones((100, 300)) * scale)
        time.sleep(0.02)


@program("900MB", 20, True)
def numpy_concatenate():
    import numpy as np

    whole = np.zeros((0, 1000))
    for i in range(100_000):
        at(i)
        whole = np.concatenate([whole, np.ones((15, 1000))])
        time.sleep(0.01)


@program("700MB", 15, True)
def pandas_rows():
    import pandas as pd

    table = []
    for i in range(100_000):
        at(i)
        table.append(pd.DataFrame({"a": range(8000), "b": 1.5}))
        time.sleep(0.01)


@program("1100MB", 40, True)
def tensors_kept():
    import tensorflow as tf

    losses = []
    for i in range(1_000_000):
        at(i)
        losses.append(tf.random.uniform((200, 200)))
        time.sleep(0.005)


@program("1200MB", 40, True)
def persistent_tape():
    import tensorflow as tf

    x = tf.Variable(tf.ones((100, 100)))
    tapes = []
    for i in range(1_000_000):
        at(i)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.matmul(x, x) * 2.0)
        tapes.append((tape, y))
        time.sleep(0.01)


@program("900MB", 45, True)
def function_retraced():
    import tensorflow as tf

    @tf.function
    def scaled(x, factor):
        for _ in range(30):
            x = tf.nn.relu(x * factor + 1.0)
        return x

    x = tf.ones((8, 8))
    for i in range(1_000_000):
        at(i)
        scaled(x, i)


@program("900MB", 45, True)
def tf1_graph_grows():
    import numpy as np
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    with tf.Session() as session:
        x = tf.constant(np.ones((50, 50)))
        for i in range(1_000_000):
            at(i)
            session.run(tf.reduce_sum(x) + tf.constant(np.full((300, 300), float(i))))


@program("900MB", 40, True)
def dataset_cache_fills():
    import tensorflow as tf

    data = (
        tf.data.Dataset.range(100_000)
        .map(lambda i: tf.fill((250, 250), tf.cast(i, tf.float32)))
        .cache()
    )
    for i, _ in enumerate(data):
        at(i)
        time.sleep(0.005)


@program("1000MB", 45, True)
def keras_callback_keeps():
    import keras
    import numpy as np

    class Keeps(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.outputs = []

        def on_train_batch_end(self, batch, logs=None):
            at(batch)
            self.outputs.append(self.model(np.ones((400, 64), "float32")).numpy().repeat(20))
            time.sleep(0.01)

    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(10)])
    model.compile("sgd", "mse")
    x, y = np.ones((200_000, 64), "float32"), np.ones((200_000, 10), "float32")
    model.fit(x, y, batch_size=10, epochs=4, verbose=0, callbacks=[Keeps()])


@program("1000MB", 45, True)
def predictions_kept():
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(4000)])
    results = []
    for i in range(50_000):
        at(i)
        results.append(model.predict(np.ones((100, 64), "float32"), verbose=0))


@program("600MB", 15, True)
def attribute_history():
    import numpy as np

    class Trainer:
        def __init__(self):
            self.history = []

        def run(self, epochs):
            for epoch in range(epochs):
                for batch in range(1000):
                    at(epoch * 1000 + batch)
                    self.history.append({"gradients": np.ones(9000)})
                    time.sleep(0.005)

    Trainer().run(500)


@program("500MB", 15, True)
def lru_cache_keeps():
    import functools

    @functools.cache
    def load(number):
        return bytearray(80_000)

    for i in range(100_000):
        at(i)
        load(i)
        time.sleep(0.01)


@program("700MB", 20, True)
def threads_leak():
    stop = threading.Event()

    def worker():
        kept = bytearray(300_000)
        stop.wait()
        return kept

    for i in range(100_000):
        at(i)
        threading.Thread(target=worker, daemon=True).start()
        time.sleep(0.02)


@program("500MB", 15, True)
def worker_process_keeps():
    import multiprocessing

    reader, writer = multiprocessing.Pipe(False)

    def child():
        kept = []
        while True:
            kept.append(bytearray(100_000) + reader.recv())

    multiprocessing.get_context("fork").Process(target=child, daemon=True).start()
    reader.close()
    for i in range(100_000):
        at(i)
        writer.send(b"x")
        time.sleep(0.01)


@program("1000MB", 40, True)
def eager_next_keeps():
    import tensorflow as tf

    data = (
        tf.data.Dataset.range(1_000_000)
        .map(lambda i: tf.fill((150, 150), tf.cast(i, tf.float32)))
        .batch(4)
    )
    album = []
    for _ in range(3):
        for i, images in enumerate(data):
            at(i)
            album.append(images)
            time.sleep(0.01)


@program("500MB", 20, True)
def cycles_without_collector():
    import gc

    gc.disable()

    class Node:
        pass

    for i in range(10_000_000):
        at(i)
        node = Node()
        node.me, node.load = node, bytearray(40_000)
        time.sleep(0.004)


@program("400MB", 15, True)
def while_loop_keeps():
    kept = []
    i = 0
    while True:
        at(i)
        kept.append(bytearray(100_000))
        i += 1
        time.sleep(0.01)


@program("600MB", 20, True)
def bursts():
    kept = []
    for i in range(100_000):
        at(i)
        spare = bytearray(40_000_000 if i % 5 == 0 else 1000)
        kept.append(bytearray(120_000))
        del spare
        time.sleep(0.01)


# -- those that live


@program("600MB", 15, False)
def plain_loop():
    for i in range(4000):
        at(i)
        bytearray(500_000)
        time.sleep(0.01)


@program("600MB", 15, False)
def bounded_deque():
    import collections

    last = collections.deque(maxlen=200)
    for i in range(4000):
        at(i)
        last.append(bytearray(500_000))
        time.sleep(0.01)


@program("700MB", 15, False)
def small_list():
    kept = []
    for i in range(5000):
        at(i)
        kept.append(bytearray(10_000))
        time.sleep(0.01)


@program("500MB", 15, False)
def bounded_lru_cache():
    import functools

    @functools.lru_cache(maxsize=300)
    def load(number):
        return bytearray(300_000)

    for i in range(4000):
        at(i)
        load(i % 1000)
        time.sleep(0.01)


@program("500MB", 15, False)
def ends_at_once():
    print(sum(range(1000)))


@program("500MB", 15, False)
def large_at_first():
    table = bytearray(300_000_000)
    for i in range(3000):
        at(i)
        table[i] = 1
        time.sleep(0.01)


@program("500MB", 15, False)
def sawtooth():
    kept = []
    for i in range(4000):
        at(i)
        kept.append(bytearray(1_000_000))
        if len(kept) > 100:
            kept.clear()
        time.sleep(0.01)


@program("1500MB", 40, False)
def custom_training():
    import tensorflow as tf

    weights = tf.Variable(tf.random.normal((100, 10)))
    optimizer = tf.keras.optimizers.Adam()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    for i in range(8000):
        at(i)
        step(tf.ones((32, 100)), tf.ones((32, 10)))
        time.sleep(0.005)


@program("1500MB", 45, False)
def keras_fit():
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64), keras.layers.Dense(10)])
    model.compile("adam", "mse")
    x, y = np.ones((20_000, 64), "float32"), np.ones((20_000, 10), "float32")
    model.fit(x, y, batch_size=32, epochs=40, verbose=0)


@program("1500MB", 40, False)
def dataset_epochs():
    import tensorflow as tf

    data = (
        tf.data.Dataset.range(2000)
        .map(lambda i: tf.fill((100, 100), tf.cast(i, tf.float32)))
        .shuffle(100)
        .batch(8)
    )
    for _ in range(30):
        for i, _ in enumerate(data):
            at(i)
            time.sleep(0.005)


@program("1500MB", 40, False)
def dataset_cache_fits():
    import tensorflow as tf

    data = (
        tf.data.Dataset.range(2500)
        .map(lambda i: tf.fill((150, 150), tf.cast(i, tf.float32)))
        .cache()
    )
    for _ in range(10):
        for i, _ in enumerate(data):
            at(i)
            time.sleep(0.005)


@program("1500MB", 40, False)
def predict_and_forget():
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(500)])
    for i in range(1500):
        at(i)
        model.predict(np.ones((20, 64), "float32"), verbose=0).mean()


@program("1500MB", 40, False)
def tf1_session():
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, (50, 50))
        y = tf.matmul(x, x)
        for i in range(6000):
            at(i)
            session.run(y, {x: [[1.0] * 50] * 50})
            time.sleep(0.005)


@program("600MB", 15, False)
def numpy_work():
    import numpy as np

    total = 0.0
    for epoch in range(40):
        for i in range(100):
            at(epoch * 100 + i)
            total += (np.random.rand(200, 200) @ np.random.rand(200, 200)).sum()
            time.sleep(0.01)


@program("600MB", 15, False)
def pandas_work():
    import pandas as pd

    for i in range(3000):
        at(i)
        pd.DataFrame({"a": range(1000)}).describe()


@program("600MB", 15, False)
def pool_of_threads():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        for i in range(3000):
            at(i)
            list(pool.map(lambda n: len(bytearray(n)), [100_000] * 4))
            time.sleep(0.01)


@program("600MB", 20, False)
def plateau():
    cache = {}
    for i in range(5000):
        at(i)
        cache[i % 300] = bytearray(300_000)
        time.sleep(0.01)


@program("600MB", 20, False)
def log_growth():
    import random

    random.seed(1)
    seen = {}
    for i in range(6000):
        at(i)
        seen[int(random.paretovariate(0.4)) % 3000] = bytearray(50_000)
        time.sleep(0.01)


@program("600MB", 15, False)
def history_of_numbers():
    losses = []
    for epoch in range(200):
        for i in range(50):
            at(epoch * 50 + i)
            bytearray(200_000)
            time.sleep(0.005)
        losses.append(epoch * 0.5)


@program("600MB", 15, False)
def writes_results():
    import tempfile

    with tempfile.TemporaryFile() as file:
        for i in range(4000):
            at(i)
            file.seek(0)
            file.write(bytearray(200_000))
            time.sleep(0.01)


if __name__ == "__main__":
    path = os.environ.get("OUTLIVE_BENCH_STEP")
    STEP = os.open(path, os.O_WRONLY | os.O_CREAT) if path else None
    PROGRAMS[sys.argv[1]][0]()
