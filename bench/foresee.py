"""How long the look at a cell takes before it runs (`--foresee`): 200 cells among 300 live arrays, with TensorFlow loaded; and what was said of healthy ones.

python bench/foresee.py
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import statistics
import time
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

from outlive.jupyter import foresee

HEALTHY = (
    "loss = ((a{0} - a{1}) ** 2).mean()\nprint(loss)",
    "for i in range(10):\n    a{0} = a{0} * 0.5 + a{1}\nprint(a{0}.shape)",
    "model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1)])\nmodel.compile('adam', 'mse')",
    "def step(x, y):\n    with tf.GradientTape() as tape:\n        loss = tf.reduce_mean((x - y) ** 2)\n    return loss\nstep(t0, t1)",
    "data = tf.data.Dataset.from_tensor_slices((a{0}, a{1})).shuffle(100).batch(8).prefetch(2)\nfor x, y in data.take(1):\n    print(x.shape)",
    "results = []\nfor i in range(100):\n    results.append(float(a{0}[i % 10].sum()))",
    "%time a{0}.dot(a{1}.T)",
    "import os, json\nprint(json.dumps(dict(os.environ))[:20])",
    "x = np.concatenate([a{0}, a{1}])\ny = x.reshape(-1)\nprint(y.mean(), y.std())",
)
FAILING = (
    "a{0} @ a{1}",
    "print(a_missing_name)",
    "np.ones((10_000_000, 10_000))",
    "t0 + whole",
    "a{0} + np.ones((3, 7))",
)
CELLS = 200


def cells() -> list[tuple[str, bool]]:
    """A cell and whether it fails; of one piece, or of many."""
    chance = random.Random(18)
    made = []
    for number in range(CELLS):
        pieces = [chance.choice(HEALTHY) for _ in range(chance.choice((1, 1, 2, 4, 20)))]
        fails = number % 4 == 0
        if fails:
            pieces = [chance.choice(FAILING)]
        text = "\n".join(pieces).replace("{0}", str(chance.randrange(300)))
        made.append((text.replace("{1}", str(chance.randrange(300))), fails))
    return made


def main() -> None:
    """Measure, and print."""
    import keras
    import tensorflow as tf

    shell = InteractiveShell.instance()
    arrays: dict[str, Any] = {f"a{number}": np.ones((10, 4)) for number in range(300)}
    tensors = {"t0": tf.ones((3, 2)), "t1": tf.ones((3, 2)), "whole": tf.constant([1, 2])}
    shell.user_ns.update(arrays, **tensors, np=np, tf=tf, keras=keras)
    began = time.perf_counter()
    foresee.load(shell)
    loading = time.perf_counter() - began
    foresight = foresee.Foresight(shell)
    seconds, cpu, told, missed = [], [], 0, 0
    for text, fails in cells():
        info = type("Info", (), {"raw_cell": text, "silent": False})
        words = io.StringIO()
        with contextlib.redirect_stderr(words):
            began, worked = time.perf_counter(), time.process_time()
            foresight.before(info)
            cpu.append(time.process_time() - worked)
            seconds.append(time.perf_counter() - began)
        if bool(words.getvalue()) != fails:
            print(repr(text[:300]), words.getvalue())
        told += bool(words.getvalue()) and not fails
        missed += not words.getvalue() and fails
    ranked = sorted(seconds)
    p95 = ranked[int(0.95 * len(ranked)) - 1]
    print(f"loading {1000 * loading:.0f} ms, once")
    print(
        f"{CELLS} cells: median {1000 * statistics.median(seconds):.1f} ms, 95th percentile {1000 * p95:.1f} ms, most {1000 * ranked[-1]:.1f} ms"
    )
    busy = sorted(cpu)[int(0.95 * len(cpu)) - 1]
    print(
        f"of CPU time: median {1000 * statistics.median(cpu):.1f} ms, 95th percentile {1000 * busy:.1f} ms; load {os.getloadavg()[0]:.0f} on {os.cpu_count()} CPUs"
    )
    print(f"healthy cells with a word: {told}; failing cells without: {missed} of {CELLS // 4}")


if __name__ == "__main__":
    main()
