"""Programs that Linux kills under a limit, and what `outlive plan` says of them beforehand: none may be said to fit (exit status 0).

``python bench/rehearsal/planned.py [NAME…]``: plans each with its limit, lets it run under a cgroup with that limit, prints one line of JSON each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from outlive.inside.machine.host import Host
from outlive.model.sizes import bytes_in
from outlive.recorder.worker_cgroup import make_cell

HEAD = "import numpy as np, tensorflow as tf, keras\n"
PICTURES = (
    "png = tf.io.encode_jpeg(tf.zeros((3000, 4000, 3), tf.uint8))\n"
    "data = tf.data.Dataset.range(200).map(lambda i: tf.io.decode_jpeg(png, channels=3), num_parallel_calls={calls})\n"
)

#: Name -> the limit, and the program.
SCRIPTS = {
    "predict_results": ("900MB", "model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(8000)])\ndata = tf.data.Dataset.from_tensor_slices(np.ones((6400, 64), 'f4')).batch(64).repeat()\nresults = []\nfor batch in data:\n    results.append(model.predict_on_batch(batch))\n"),
    "dense_9000_adam": ("1500MB", "model = keras.Sequential([keras.Input((9000,)), keras.layers.Dense(9000)])\nmodel.compile('adam', 'mse')\ndata = tf.data.Dataset.from_tensors((tf.zeros(9000), tf.zeros(9000))).repeat(64).batch(8)\nmodel.fit(data, verbose=0)\n"),
    "numpy_function_temporaries": ("700MB", "def work(i):\n    spare = np.ones((120, 1000, 1000), 'f4')\n    return spare[0, 0, 0]\ndata = tf.data.Dataset.range(50).map(lambda i: tf.numpy_function(work, [i], tf.float32), num_parallel_calls=4)\nfor _ in data: pass\n"),
    "py_function_serial": ("700MB", "def work(i):\n    spare = np.ones((150, 1000, 1000), 'f4')\n    return spare[0, 0, 0]\ndata = tf.data.Dataset.range(50).map(lambda i: tf.py_function(work, [i], tf.float32))\nfor _ in data: pass\n"),
    "parallel_decodes": ("700MB", PICTURES.format(calls=24) + "for _ in data: pass\n"),
    "decodes_then_resize": ("700MB", PICTURES.format(calls=24) + "data = data.map(lambda p: tf.image.resize(p, (2000, 2000)), num_parallel_calls=8).prefetch(4)\nfor _ in data: pass\n"),
    "fit_of_arrays": ("1200MB", "x = np.ones((12_000, 8000), 'f4')\nmodel = keras.Sequential([keras.Input((8000,)), keras.layers.Dense(1)])\nmodel.compile('sgd', 'mse')\nmodel.fit(x, np.ones(12_000), verbose=0)\nmodel.fit(tf.constant(x) * 2.0, np.ones(12_000), verbose=0)\n"),
    "shuffle_of_tiny": ("900MB", "data = tf.data.Dataset.range(20_000_000).shuffle(5_000_000)\nfor _ in data: pass\n"),
    "shuffle_of_tiny_pairs": ("900MB", "data = tf.data.Dataset.range(20_000_000).map(lambda i: (i, i * 2)).shuffle(3_000_000)\nfor _ in data: pass\n"),
    "cache_of_batches": ("900MB", "data = tf.data.Dataset.range(4000).map(lambda i: tf.zeros((300, 300))).batch(4).cache()\nfor _ in data: pass\n"),
    "list_of_batches": ("900MB", "data = tf.data.Dataset.range(4000).map(lambda i: tf.zeros((300, 300))).batch(4)\nkept = [batch for batch in data]\n"),
    "as_numpy_stacked": ("900MB", "data = tf.data.Dataset.range(2000).map(lambda i: tf.zeros((300, 300)))\nwhole = np.stack(list(data.as_numpy_iterator())) * 1.0\n"),
    "histories_kept": ("900MB", "model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(3000)])\nkept = []\nfor x in tf.data.Dataset.from_tensors(tf.zeros((400, 64))).repeat():\n    kept.append(model(x))\n"),
    "retraced_per_element": ("650MB", "@tf.function\ndef step(x, n):\n    for _ in range(60): x = x * n + 1.0\n    return x\nfor i, x in enumerate(tf.data.Dataset.range(1_000_000)):\n    step(tf.ones(4), i)\n"),
    "persistent_tapes": ("900MB", "x = tf.Variable(tf.ones((200, 200)))\ntapes = []\nfor i in tf.data.Dataset.range(1_000_000):\n    with tf.GradientTape(persistent=True) as tape: y = tf.matmul(x, x) * 2.0\n    tapes.append((tape, y))\n"),
    "generator_and_prefetch": ("700MB", "def make():\n    while True: yield np.ones((400, 400), 'f4')\ndata = tf.data.Dataset.from_generator(make, output_signature=tf.TensorSpec((None, None), tf.float32)).prefetch(5000)\nimport time\nfor _ in data: time.sleep(0.05)\n"),
    "large_batch": ("900MB", "data = tf.data.Dataset.range(5000).map(lambda i: tf.zeros((250, 250, 3))).batch(512)\nfor _ in data: pass\n"),
    "activations_of_a_step": ("1200MB", "layers = [keras.layers.Conv2D(64, 3, padding='same') for _ in range(6)]\nmodel = keras.Sequential([keras.Input((256, 256, 3)), *layers, keras.layers.GlobalAveragePooling2D()])\nmodel.compile('sgd', 'mse')\ndata = tf.data.Dataset.from_tensors((tf.zeros((256, 256, 3)), tf.zeros(64))).repeat(64).batch(16)\nmodel.fit(data, verbose=0)\n"),
}  # fmt: skip

#: Name -> the limit, and the layers of a model that is saved.
MODELS = {
    "model_dense_9000": ("1400MB", "keras.Sequential([keras.Input((9000,)), keras.layers.Dense(9000)])"),
    "model_cannot_be_loaded": ("600MB", "keras.Sequential([keras.Input((9000,)), keras.layers.Dense(9000), keras.layers.Dense(9000)])"),
}  # fmt: skip

#: What a program does with a saved model.
USE = "model = keras.models.load_model('{name}.keras')\nmodel.compile('adam', 'mse')\nmodel.fit(np.ones((16, 9000), 'f4'), np.ones((16, 9000), 'f4'), batch_size=8, verbose=0)\n"


def under(limit: int, words: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    cell = make_cell(Host(), limit)
    if cell is None:
        raise SystemExit("no cgroup can be made here")

    def enter() -> None:
        Path(cell.path, "cgroup.procs").write_text(str(os.getpid()))

    try:
        return subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            preexec_fn=enter,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        cell.remove()


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*SCRIPTS, *MODELS]:
            limit, text = SCRIPTS.get(name) or MODELS[name]
            script = Path(folder, f"{name}.py")
            if name in SCRIPTS:
                script.write_text(HEAD + text)
                target = script.name
            else:
                made = f"{HEAD}{text}.save('{name}.keras')"
                subprocess.run(
                    [sys.executable, "-c", made], cwd=folder, check=True, capture_output=True
                )
                script.write_text(HEAD + USE.format(name=name))
                target = f"{name}.keras"
            planned = under(bytes_in(limit), ["-m", "outlive", "plan", target], folder)
            try:
                status = under(bytes_in(limit), [script.name], folder).returncode
            except subprocess.TimeoutExpired:
                status = 999
            words = (planned.stdout + planned.stderr).strip().splitlines()
            told = [
                line for line in words if "fit" in line or "outlive:" in line or "predicted" in line
            ]
            line = {"name": name, "plan": planned.returncode, "status": status, "says": told[-3:]}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
