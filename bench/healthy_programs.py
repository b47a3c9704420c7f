"""Healthy programs for `bench/watches.py`: each does something that resembles trouble, and ends well.

A name, the cgroup that it is given (controller and values, where there is one), and its source. ``DISK`` is a small tmpfs.
"""

from __future__ import annotations

MEMORY = ("memory", {"memory.limit_in_bytes": "524288000"})
TASKS = ("pids", {"pids.max": "120"})
HALF_A_CPU = ("cpu", {"cpu.cfs_quota_us": "50000"})
TWO_CPUS = ("cpu", {"cpu.cfs_quota_us": "200000"})
NONE = ("", {})

HEAD = """
import os, sys, time, threading, subprocess, tempfile, resource
import numpy as np
MB = 1_000_000
DISK = os.environ.get("DISK", ".")
def until(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
"""

PROGRAMS: dict[str, tuple[tuple[str, dict[str, str]], str]] = {
    "allocates once and stays": (MEMORY, "a = np.ones(45 * MB)\ntime.sleep(30)"),
    "fills an array that it has reserved": (
        MEMORY,
        "a = np.empty(50 * MB)\nfor i in range(50):\n    a[i * MB:(i + 1) * MB] = 1\n    time.sleep(.5)\ntime.sleep(4)",
    ),
    "frees and refills slowly": (
        MEMORY,
        "for turn in range(4):\n    kept = []\n    for i in range(36):\n        kept.append(np.ones(MB)); time.sleep(.25)",
    ),
    "frees and refills fast": (
        MEMORY,
        "for _ in until(30):\n    kept = [np.ones(MB) for i in range(40)]\n    time.sleep(1); del kept",
    ),
    "warms up and levels off": (
        MEMORY,
        "kept = []\nfor i in range(40):\n    kept.append(np.ones(MB)); time.sleep(.2)\ntime.sleep(25)",
    ),
    "loads its data, then works": (
        MEMORY,
        "kept = []\nfor i in range(42):\n    kept.append(np.ones(MB)); time.sleep(.5)\nfor _ in until(12):\n    kept[0].sum(); time.sleep(.02)",
    ),
    "short bursts": (
        MEMORY,
        "for _ in until(30):\n    a = np.ones(42 * MB); del a; time.sleep(2)",
    ),
    "grows by steps to a plateau": (
        MEMORY,
        "kept = []\nfor i in range(8):\n    kept.append(np.ones(5 * MB)); time.sleep(3)\ntime.sleep(8)",
    ),
    "grows slowly to a third": (
        MEMORY,
        "kept = []\nfor i in range(60):\n    kept.append(np.ones(MB // 4)); time.sleep(.5)",
    ),
    "fills the page cache": (
        MEMORY,
        "with tempfile.NamedTemporaryFile(dir='.') as f:\n    for i in range(140):\n        f.write(os.urandom(5 * MB)); time.sleep(.2)",
    ),
    "reads a mapped file": (
        MEMORY,
        "with tempfile.NamedTemporaryFile(dir='.') as f:\n    f.truncate(450 * MB)\n    a = np.memmap(f.name, 'u1', 'r')\n    for i in range(45):\n        a[i * 10 * MB:(i + 1) * 10 * MB].sum(); time.sleep(.5)",
    ),
    "a bounded cache": (
        MEMORY,
        "from collections import OrderedDict\nkept = OrderedDict()\nfor i in range(150):\n    kept[i] = np.ones(MB)\n    if len(kept) > 42: kept.popitem(False)\n    time.sleep(.2)",
    ),
    "many small objects, made and freed": (
        MEMORY,
        "for _ in until(25):\n    d = {i: str(i) for i in range(300_000)}; del d; time.sleep(.3)",
    ),
    "workers that come and go": (
        MEMORY,
        "for _ in until(25):\n    subprocess.run([sys.executable, '-c', 'a = bytearray(200_000_000); import time; time.sleep(1)'])",
    ),
    "a pool of workers": (
        MEMORY,
        "import multiprocessing as mp\ndef work(i):\n    a = np.ones(MB); time.sleep(.2); return float(a.sum())\nif __name__ == '__main__':\n    with mp.get_context('fork').Pool(4) as pool:\n        print(sum(pool.imap(work, range(400))))",
    ),
    "forks that share an array": (
        MEMORY,
        "a = np.ones(30 * MB)\nfor i in range(5):\n    if os.fork() == 0:\n        for _ in until(15): a.sum(); time.sleep(.5)\n        os._exit(0)\n    time.sleep(3)\nfor i in range(5): os.wait()",
    ),
    "rotates checkpoints": (
        NONE,
        "for i in range(30):\n    open(f'{DISK}/c{i}', 'wb').write(os.urandom(15 * MB))\n    if i > 1: os.unlink(f'{DISK}/c{i - 2}')\n    time.sleep(1)",
    ),
    "writes a small log": (
        NONE,
        "os.chdir(DISK)\nwith open('log', 'w') as f:\n    for _ in until(30): print('step', file=f, flush=True); time.sleep(.01)",
    ),
    "writes and deletes temporary files": (
        NONE,
        "os.chdir(DISK)\nfor _ in until(30):\n    with tempfile.TemporaryFile(dir='.') as f:\n        for i in range(10): f.write(os.urandom(4 * MB)); f.flush(); time.sleep(.3)",
    ),
    "writes its result at the end": (
        NONE,
        "os.chdir(DISK)\ntime.sleep(20)\nopen('result', 'wb').write(os.urandom(40 * MB))\ntime.sleep(6)",
    ),
    "a pool of 90 threads": (
        TASKS,
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(90) as pool:\n    list(pool.map(lambda i: time.sleep(.5), range(4000)))",
    ),
    "threads that come and go": (
        TASKS,
        "for _ in until(30):\n    t = [threading.Thread(target=time.sleep, args=(.2,)) for i in range(40)]\n    [x.start() for x in t]; [x.join() for x in t]",
    ),
    "threads that rise and fall": (
        TASKS,
        "for turn in range(2):\n    stop = threading.Event(); t = []\n    for i in range(60):\n        t.append(threading.Thread(target=stop.wait)); t[-1].start(); time.sleep(.2)\n    stop.set(); [x.join() for x in t]",
    ),
    "opens 100 of 120 files and stays": (
        NONE,
        "resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))\nkept = [open(os.devnull) for i in range(100)]\ntime.sleep(25)",
    ),
    "opens and closes files": (
        NONE,
        "resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))\nfor _ in until(25):\n    kept = [open(os.devnull) for i in range(100)]; time.sleep(.1); [f.close() for f in kept]; time.sleep(.1)",
    ),
    "opens files one by one to a half": (
        NONE,
        "resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))\nkept = []\nfor i in range(50): kept.append(open(os.devnull)); time.sleep(.3)\ntime.sleep(12)",
    ),
    "computes on all CPUs": (NONE, "a = np.ones((900, 900))\nfor _ in until(35): a @ a"),
    "computes now and then under a quota": (
        HALF_A_CPU,
        "for _ in until(35):\n    sum(range(200_000)); time.sleep(.15)",
    ),
    "a quota as large as the machine": (TWO_CPUS, "for _ in until(35): sum(range(100_000))"),
    "sleeps": (NONE, "time.sleep(30)"),
    "keras fit": (
        NONE,
        "import keras\nm = keras.Sequential([keras.layers.Dense(64, activation='relu'), keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(np.ones((20000, 32)), np.ones(20000), epochs=12, verbose=0)",
    ),
    "keras fit with checkpoints": (
        NONE,
        "import keras\nm = keras.Sequential([keras.layers.Dense(256, activation='relu'), keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(np.ones((20000, 32)), np.ones(20000), epochs=12, verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(DISK + '/best.keras')])",
    ),
    "a shuffle buffer that fills, then steps": (
        ("memory", {"memory.limit_in_bytes": "1400000000"}),
        "import tensorflow as tf\nd = tf.data.Dataset.range(10**9).map(lambda i: tf.zeros((100_000,)) + tf.cast(i, tf.float32)).shuffle(1000).batch(4).prefetch(2)\nit = iter(d)\nfor _ in until(25):\n    x = next(it); tf.linalg.matmul(x, x, transpose_a=False, transpose_b=True); sum(range(300_000))",
    ),
    "an eager loop with a pipeline that keeps up": (
        NONE,
        "import tensorflow as tf\nd = tf.data.Dataset.range(10**9).map(lambda i: tf.random.uniform((64, 64)), num_parallel_calls=2).batch(8).prefetch(4)\nit = iter(d)\nfor _ in until(30):\n    next(it); sum(range(400_000))",
    ),
}
