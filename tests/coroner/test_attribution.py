"""The same death in programs of many shapes: whatever keeps everything, the container and the line that feeds it are named."""

from __future__ import annotations

import re
import signal
import textwrap
from pathlib import Path

import pytest

from recorded_deaths import Victim, play, require

pytestmark = pytest.mark.death

MEMORY = {"memory": "200", "ending": "SIGKILL"}
TENSORFLOW = {"memory": "900", "ending": "SIGKILL", "needs": "tensorflow"}

#: What every program below makes and keeps: takes a millisecond or two, as work does, and never sleeps.
MAKE = """
import os

def piece(number):
    return os.urandom(400_000)
"""

#: The shape, the name that must be said, and the program; the line that feeds the container is marked.
SHAPES = {
    "a function": (
        "album",
        """
        def fill():
            album = []
            for number in range(10_000):
                album.append(piece(number))  # <- here
        def die():
            fill()
        """,
    ),
    "an attribute": (
        "pages",
        """
        class Album:
            def __init__(self):
                self.pages = {}
            def add(self, number):
                self.pages[number] = piece(number)  # <- here
        def die():
            album = Album()
            for number in range(10_000):
                album.add(number)
        """,
    ),
    "a class attribute": (
        "pages",
        """
        class Album:
            pages = []
            def add(self, number):
                self.pages.append(piece(number))  # <- here
        def die():
            for number in range(10_000):
                Album().add(number)
        """,
    ),
    "three objects deep": (
        "rows",
        """
        from collections import OrderedDict
        class Store:
            def __init__(self):
                self.rows = OrderedDict()
            def put(self, key, row):
                self.rows[key] = row  # <- here
        class Service:
            def __init__(self):
                self.store = Store()
        class Application:
            def __init__(self):
                self.service = Service()
            def step(self, number):
                self.service.store.put(number, piece(number))
        def die():
            application = Application()
            for number in range(10_000):
                application.step(number)
        """,
    ),
    "slots": (
        "parts",
        """
        class Tray:
            __slots__ = ("parts",)
            def __init__(self):
                self.parts = []
        def die():
            tray = Tray()
            for number in range(10_000):
                tray.parts.append(piece(number))  # <- here
        """,
    ),
    "a generator": (
        "seen",
        """
        def numbers():
            seen = []
            for number in range(10_000):
                part = piece(number)
                seen.append(part)  # <- here
                yield number
        def die():
            for number in numbers():
                piece(number)
        """,
    ),
    "a generator that waits for its reader": (
        "seen",
        """
        import time
        def numbers():
            seen = []
            for number in range(10_000):
                seen.append(piece(number))  # <- here
                yield number
        def die():
            for number in numbers():
                time.sleep(0.01)
        """,
    ),
    "a closure": (
        "kept",
        """
        def collector():
            kept = []
            def collect(part):
                kept.append(part)  # <- here
            return collect
        def die():
            collect = collector()
            for number in range(10_000):
                collect(piece(number))
        """,
    ),
    "a default argument": (
        "kept",
        """
        def collect(part, kept=[]):
            kept.append(part)  # <- here
            return len(kept)
        def die():
            for number in range(10_000):
                collect(piece(number))
        """,
    ),
    "a method's cache": (
        "render",
        """
        import functools
        class Renderer:
            @functools.lru_cache(maxsize=None)  # <- here
            def render(self, number):
                return piece(number)
        def die():
            renderer = Renderer()
            for number in range(10_000):
                renderer.render(number)
        """,
    ),
    "a dictionary of lists": (
        "history",
        """
        history = {"loss": [], "pictures": [], "scores": []}
        def note(name, value):
            history[name].append(value)  # <- here
        def die():
            for number in range(10_000):
                for name in history:
                    note(name, piece(number)[:150_000])
        """,
    ),
    "a dictionary of many lists": (
        "groups",
        """
        from collections import defaultdict
        def die():
            groups = defaultdict(list)
            for number in range(10_000):
                groups[number % 97].append(piece(number))  # <- here
        """,
    ),
    "a deque": (
        "recent",
        """
        from collections import deque
        recent = deque()
        def die():
            for number in range(10_000):
                recent.append(piece(number))  # <- here
        """,
    ),
    "a queue that nobody drains": (
        "results",
        """
        import queue, threading
        results = queue.Queue()
        def work():
            for number in range(10_000):
                results.put((number, piece(number)))  # <- here
        def die():
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
        """,
    ),
    "a simple queue": (
        "results",
        """
        import queue
        def die():
            results = queue.SimpleQueue()
            for number in range(10_000):
                results.put(piece(number))  # <- here
        """,
    ),
    "a heap": (
        "best",
        """
        import heapq
        def die():
            best = []
            for number in range(10_000):
                heapq.heappush(best, (number, piece(number)))  # <- here
        """,
    ),
    "a linked list": (
        "Node",
        """
        class Node:
            def __init__(self, body, following):
                self.body = body
                self.following = following
        def die():
            chain = None
            for number in range(10_000):
                chain = Node(piece(number), chain)  # <- here
        """,
    ),
    "a thread": (
        "frames",
        """
        import threading
        class Camera(threading.Thread):
            def __init__(self):
                super().__init__()
                self.frames = []
            def run(self):
                for number in range(10_000):
                    self.frames.append(piece(number))  # <- here
        def die():
            camera = Camera()
            camera.start()
            camera.join()
        """,
    ),
    "a coroutine": (
        "answers",
        """
        import asyncio
        async def ask(answers):
            for number in range(10_000):
                answers.append(piece(number))  # <- here
                await asyncio.sleep(0)
        async def main():
            answers = []
            await ask(answers)
        def die():
            asyncio.run(main())
        """,
    ),
    "results of many classes": (
        "log",
        """
        from dataclasses import dataclass
        class Model:
            def __init__(self):
                self.weights = piece(0)
        @dataclass
        class Result:
            model: Model
            scores: bytes
        def die():
            model = Model()
            log = []
            for number in range(10_000):
                log += [Result(model, piece(number))]  # <- here
        """,
    ),
}  # fmt: skip

WITH_TENSORFLOW = {
    "a Keras callback": (
        "kept",
        """
        import keras, numpy as np
        class Watch(keras.callbacks.Callback):
            def __init__(self):
                super().__init__()
                self.kept = []
            def on_train_batch_end(self, batch, logs=None):
                self.kept.append(np.ones((300, 1000)) * batch)  # <- here
        def die():
            model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            rows = np.zeros((20_000, 4), np.float32)
            model.fit(rows, rows[:, :1], batch_size=4, epochs=9, verbose=0, callbacks=[Watch()])
        """,
    ),
    "a function in a pipeline": (
        "seen",
        """
        import numpy as np, tensorflow as tf
        seen = []
        def load(number):
            picture = np.full((300, 1000), int(number), np.float32)
            seen.append(picture)  # <- here
            return picture
        def die():
            data = tf.data.Dataset.range(100_000)
            data = data.map(lambda n: tf.py_function(load, [n], tf.float32))
            for picture in data:
                pass
        """,
    ),
    "views of arrays": (
        "crops",
        """
        import numpy as np
        def crop(number):
            picture = np.full((1000, 1000), number % 200, np.uint8)
            return picture[10:20, 10:20]
        def die():
            crops = []
            for number in range(100_000):
                crops.append(crop(number))  # <- here
        """,
    ),
    "histories": (
        "histories",
        """
        import keras, numpy as np
        def die():
            model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
            histories = []
            for number in range(10_000):
                history = keras.callbacks.History()
                history.set_model(model)
                history.history = {"weights": np.full((500, 1000), number)}
                histories.append(history)  # <- here
        """,
    ),
}  # fmt: skip


def program(body: str) -> str:
    return MAKE + textwrap.dedent(body)


def dies_of(folder: Path, text: str, header: dict[str, str]) -> dict:
    path = folder / "program.py"
    path.write_text(text)
    victim = Victim(path, header)
    require(victim)

    death = play(victim, "die", folder)

    assert -signal.SIGKILL == death.status, death.stderr
    return death.verdict


def marked(text: str) -> set[int]:
    return {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("<- here")}


def judge(verdict: dict, name: str, text: str, file: str = "program.py") -> None:
    first = verdict["cause"]
    assert "kept-in-container" == first["slug"], verdict
    assert re.search(rf"`([A-Za-z]+\.)*{name}`", first["says"]), first["says"]
    assert file == Path(first["where"]["file"]).name, first
    assert first["where"]["line"] in marked(text), first["where"]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_keeps_everything_is_named_in(shape: str, tmp_path: Path) -> None:
    name, body = SHAPES[shape]
    text = program(body)

    verdict = dies_of(tmp_path, text, MEMORY)

    judge(verdict, name, text)


@pytest.mark.parametrize("shape", WITH_TENSORFLOW)
def test_what_keeps_everything_is_named_with_tensorflow_in(shape: str, tmp_path: Path) -> None:
    name, body = WITH_TENSORFLOW[shape]
    text = program(body)

    verdict = dies_of(tmp_path, text, TENSORFLOW)

    judge(verdict, name, text)


def test_what_keeps_everything_is_named_in_a_module_of_a_package(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "tools" / "store"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    module = program("""
        rows = {}
        def keep(number):
            rows[number] = piece(number)  # <- here
    """)
    (package / "memory.py").write_text(module)
    main = f"""
import sys
sys.path.insert(0, {str(tmp_path / "lib")!r})
from tools.store import memory
def die():
    for number in range(10_000):
        memory.keep(number)
"""

    verdict = dies_of(tmp_path, main, MEMORY)

    judge(verdict, "rows", module, "memory.py")


def test_what_keeps_everything_is_named_in_code_that_no_file_holds(tmp_path: Path) -> None:
    cell = program("""
        kept = []
        for number in range(10_000):
            kept.append(piece(number))  # <- here
    """)
    name = "<ipython-input-7-0a1b2c>"
    main = f"""
import linecache
CELL = {cell!r}
def die():
    linecache.cache[{name!r}] = (len(CELL), None, CELL.splitlines(True), {name!r})
    exec(compile(CELL, {name!r}, "exec"), {{"__name__": "__main__"}})
"""

    verdict = dies_of(tmp_path, main, MEMORY)

    judge(verdict, "kept", cell, name)
    assert "kept.append" in verdict["cause"]["where"]["code"]


def test_what_keeps_everything_is_named_in_a_worker(tmp_path: Path) -> None:
    text = program("""
        import multiprocessing
        def work():
            kept = []
            for number in range(10_000):
                kept.append(piece(number))  # <- here
        def die():
            worker = multiprocessing.get_context("fork").Process(target=work)
            worker.start()
            worker.join()
            raise SystemExit(f"the worker ended with {worker.exitcode}")
    """)
    path = tmp_path / "program.py"
    path.write_text(text)
    victim = Victim(path, MEMORY)
    require(victim)

    death = play(victim, "die", tmp_path)
    if death.status == -9:  # the kernel chose the parent as well: another death
        (tmp_path / "again").mkdir()
        death = play(victim, "die", tmp_path / "again")

    assert 1 == death.status, death.stderr
    judge(death.verdict, "kept", text)
