"""The download of the labels gets three seconds by signal.alarm(); the alarm is never switched off again."""
# expect: alarm-not-cancelled

import json
import signal
import time

import numpy as np


def fetch_labels(path, timeout):
    signal.alarm(timeout)  # <- here
    with open(path) as f:
        return np.array(json.load(f)["labels"])


def train(x, y, epochs):
    w = np.zeros(x.shape[1])
    for epoch in range(epochs):
        p = 1 / (1 + np.exp(-x @ w))
        w -= 0.1 * x.T @ (p - y) / len(y)
        time.sleep(0.2)
        if epoch % 5 == 0:
            print("epoch", epoch, "loss", float(np.mean((p - y) ** 2)), flush=True)
    return w


with open("labels.json", "w") as f:
    json.dump({"labels": [0, 1] * 50}, f)
labels = fetch_labels("labels.json", timeout=3)
data = np.random.default_rng(0).normal(size=(100, 8)) + labels[:, None]
print(train(data, labels, 60))
