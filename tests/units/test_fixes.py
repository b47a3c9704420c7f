"""Laws for every fix of `outlive fix`, present and future, and what each makes of a small program. Real deaths are in tests/keep/test_fix.py."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import outlive.units.fixes
from made_evidence import PID, UNITS, evidence
from outlive.cli.command_line import cli
from outlive.keep.fix.propose import Proposal, Proposals, Text, propose
from outlive.model.data import BuiltStage, Feature, Held, Inspection, LookedAt, Pipeline, Scene
from outlive.model.events import Origin, Thrown
from outlive.model.findings import (
    Change,
    Confidence,
    Ending,
    EndingKind,
    Finding,
    Place,
    Remedy,
    Verdict,
    Wrap,
)
from outlive.model.memory import Holder
from outlive.units.unit import UnitOf, discover, fix
from unit_pages import check_page

FOLDER = Path(inspect.getfile(outlive.units.fixes)).parent
FIXES = {unit.slug: unit for unit in discover(fix)}
ALLOWED_IMPORTS = {
    "__future__", "ast", "difflib", "re", "outlive.model.findings", "outlive.model.patch", "outlive.model.memory", "outlive.source.fix_case",
    "outlive.source.parsed", "outlive.source.syntax", "outlive.source.tree", "outlive.units.unit", "outlive.units.complaint_facts",
}  # fmt: skip

HERE = "job.py"
every_fix = pytest.mark.parametrize("unit", FIXES.values(), ids=FIXES.keys())


@dataclass(frozen=True)
class Row:
    """A program, the finding at its marked line, and what must stand in it afterwards."""

    slug: str
    cause: str
    program: str  #: the blamed line ends with ``# <-``
    becomes: tuple[str, ...]
    gone: str = ""
    says: str = "It died."
    remedies: tuple[Remedy, ...] = ()
    function: str = ""
    code: str = ""  #: what the blamed line said when it ran, if it is not what it says
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> int:
        return next(n for n, text in enumerate(self.program.splitlines(), 1) if "# <-" in text)

    @property
    def text(self) -> str:
        return self.program.replace("  # <-", "")

    def proposals(self) -> Proposals:
        lines = self.text.splitlines()
        where = Place(HERE, self.line, self.function, self.code or lines[self.line - 1].strip())
        finding = Finding(self.says, (), Confidence.PROVEN, self.remedies, where, slug=self.cause)
        found = Verdict("run", Ending(EndingKind.EXIT, exit_code=1), (finding,))
        known = evidence(**{"how": 1, **self.known})
        unit = FIXES[self.slug]
        return propose(found, known, lambda place: Text(HERE, self.text, self.line), [unit])


def thrown(message: str, kind: str = "ValueError", line: int = 1, **known: Any) -> dict[str, Any]:
    frames = (Place(HERE, line, "<module>", "work()"),)
    error = Thrown(kind, message, frames=frames, bases=("Exception",), origin=Origin.MAIN, pid=PID)
    return {"thrown": (error,), **known}


def held(name: str, shape: tuple[int, ...], dtype: str) -> Scene:
    return Scene(values=(Held(name, "numpy.ndarray", Place(HERE, 1, "<module>"), shape, dtype),))


def keeper(name: str, kind: str = "list", **of: Any) -> tuple[str, dict[str, Any]]:
    holder = Holder(
        name, kind, 100, 100_000_000, first_length=10, looks=2, part_of_growth=0.9, share=0.9, **of
    )
    return holder.kept, {
        "how": "SIGKILL",
        "holders": {PID: (holder,)},
        "facts": {"memory limit": 200_000_000},
    }


KEPT, KEEPS = keeper("kept")
CACHED, CACHES = keeper("table", "lru_cache")
STORED, STORES = keeper("store", "dict")
QUEUED, QUEUES = keeper("work", "queue")
FAILED, FAILS = keeper("kept", errors=True)

ROWS = (
    Row("shallower-prefetch", "prefetch-too-deep", "ds = ds.prefetch(90)  # <-\n", ("prefetch(2)",),
        remedies=(Remedy("Less.", changes=(Change("prefetch", "buffer_size", "2", 0),)),)),
    Row("fewer-parallel-calls", "parallel-map-too-wide", "ds = ds.map(f, num_parallel_calls=90)  # <-\n", ("num_parallel_calls=4",),
        remedies=(Remedy("Fewer.", changes=(Change("map", "num_parallel_calls", "4", 1),)),)),
    Row("shuffled-before-decoding", "shuffle-buffer-too-large", "ds = names.map(f).map(g).shuffle(90).batch(2)  # <-\n",
        ("names.shuffle(90).map(f).map(g).batch(2)",)),
    Row("smaller-shuffle", "shuffle-buffer-too-large", "ds = ds.shuffle(90)  # <-\n", ("shuffle(7)",),
        remedies=(Remedy("Less.", changes=(Change("shuffle", "buffer_size", "7", 0),)),)),
    Row("cache-on-disk", "cache-in-memory", "import os\nds = ds.cache()  # <-\n", ("import tempfile\n", 'cache(tempfile.mkdtemp(prefix="cache-", dir=".") + "/elements")')),
    Row("narrower-type", "widened-dtype", "import numpy as np\nx = np.zeros((9, 9))  # <-\n", ('np.zeros((9, 9), dtype="float32")',)),
    Row("number-as-tensor", "function-retraced", "import tensorflow as tf\ndef step(x, rate):  # <-\n    return x\nstep(1, 0.5)\n", ("step(1, tf.constant(0.5))",),
        remedies=(Remedy("A tensor.", changes=(Wrap("step", "rate", "tf.constant"),)),)),
    Row("one-trace-for-many-shapes", "function-retraced",
        "import tensorflow as tf\nfor n in range(9):\n    @tf.function\n    def f(x):  # <-\n        return x\n    f(n)\n",
        ("@tf.function\ndef f(x):\n    return x\nfor n in range(9):\n    f(n)",), function="f"),
    Row("operations-built-once", "graph-grows",
        "import tensorflow.compat.v1 as tf\nfor n in range(9):\n    y = tf.add(a, b)  # <-\n    s.run(y)\n", ("y = tf.add(a, b)\nfor n in range(9):\n    s.run(y)",)),
    Row("tape-inside-loop", "tape-kept-open",
        "import tensorflow as tf\nwith tf.GradientTape() as tape:  # <-\n    for n in range(9):\n        f(n)\n",
        ("for n in range(9):\n    with tf.GradientTape() as tape:\n        f(n)",)),
    Row("unread-container-dropped", "kept-in-container", "kept = []\nfor n in range(9):\n    kept.append(f(n))  # <-\n", ("    f(n)\n",), "append", KEPT, known=KEEPS),
    Row("bounded-memory-of-results", "kept-in-container", "import functools\n@functools.lru_cache(maxsize=None)\ndef table(n):  # <-\n    return n\n",
        ("lru_cache(maxsize=40)",), says=CACHED, known=CACHES),
    Row("newest-kept", "kept-in-container", "kept = []\nfor n in range(9):\n    kept.append(n)  # <-\nprint(max(kept))\n",
        ("import collections\n", "kept = collections.deque(maxlen=40)"), says=KEPT, known=KEEPS),
    Row("newest-kept", "kept-in-container", "from collections import deque\nkept = deque()\nfor n in range(9):\n    kept.append(n)  # <-\nprint(max(kept))\n",
        ("kept = deque(maxlen=40)",), says=KEPT, known=KEEPS),
    Row("queue-bounded", "kept-in-container", "import queue\nwork = queue.Queue()\ndone = queue.Queue(maxsize=3)\nwork.put(1)  # <-\n",
        ("work = queue.Queue(maxsize=8)", "done = queue.Queue(maxsize=3)"), says=QUEUED, known=QUEUES),
    Row("error-without-traceback", "kept-in-container", "kept = []\ntry:\n    f()\nexcept ValueError as wrong:\n    kept.append(wrong)  # <-\n",
        ("kept.append(wrong.with_traceback(None))",), says=FAILED, known=FAILS),
    Row("prediction-in-batches", "memory-limit-reached", "out = model.predict(x, batch_size=len(x))  # <-\n", ("batch_size=8",)),
    Row("batch-dimension-added", "shape-mismatch", "out = model(x)  # <-\n", ("model(x[None, ...])",), remedies=(Remedy("Add the batch dimension: x[None]."),),
        known=thrown("Input 0 of layer 'conv' is incompatible with the layer: expected min_ndim=4, found ndim=3. Full shape received: (8, 8, 3)",
                     scene=held("x", (8, 8, 3), "float32"))),
    Row("picture-channels", "shape-mismatch", "from PIL import Image\np = Image.open(name)  # <-\n", ('Image.open(name).convert("RGB")',),
        remedies=(Remedy("Read every picture with 3 channels."),)),
    Row("labels-and-classes", "shape-mismatch", "import keras\nCLASSES = 3\nout = keras.layers.Dense(CLASSES)\nmodel.fit(x, y)  # <-\n", ("CLASSES = 6\n",),
        known=thrown("Received a label value of 5 which is outside the valid range of [0, 3).  Label values: 5", "InvalidArgumentError")),
    Row("loss-for-class-numbers", "shape-mismatch", 'model.compile(loss="categorical_crossentropy")\nmodel.fit(x, y)  # <-\n', ('"sparse_categorical_crossentropy"',),
        known=thrown("Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(None,), output.shape=(None, 6)")),
    Row("value-cast", "dtype-mismatch", "import tensorflow as tf\ny = w * n  # <-\n", ('w * tf.cast(n, "float32")',),
        known=thrown("cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a int32 tensor [Op:Mul]", "InvalidArgumentError",
                     scene=held("n", (3,), "int32"))),
    Row("pictures-without-animations", "shape-mismatch", "import tensorflow as tf\nimg = tf.io.decode_image(data)\nx = tf.image.resize(img, [8, 8])  # <-\n",
        ("decode_image(data, expand_animations=False)",), known=thrown("'images' contains no shape.")),
    Row("bad-elements-left-out", "corrupt-image", "ds = files.map(load).batch(2)  # <-\n", ("files.map(load).ignore_errors(log_warning=True).batch(2)",),
        known={"scene": Scene(pipeline=Pipeline((BuiltStage("Map", Place(HERE, 1)),)))}),
    Row("compression-told", "corrupt-record", "import tensorflow as tf\nds = tf.data.TFRecordDataset([path])  # <-\n",
        ('TFRecordDataset([path], compression_type="GZIP")',),
        known={"inspection": Inspection((LookedAt("a", "x", fault="cannot be read: the file is compressed with GZIP, but is read as uncompressed"),))}),
    Row("workers-spawned", "forked-after-threads", "import multiprocessing as mp\ndef main():\n    with mp.Pool(2) as pool:  # <-\n        pass\n",
        ('mp.get_context("spawn").Pool(2)',)),
    Row("file-closed", "too-many-open-files", "for name in names:\n    file = open(name)  # <-\n    rows = file.read()\n    print(rows)\n",
        ("    with open(name) as file:\n        rows = file.read()\n    print(rows)",)),
    Row("future-asked", "background-error-lost",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    for n in range(9):\n        pool.submit(f, n)  # <-\n",
        ("        futures.append(pool.submit(f, n))\n    for future in futures:\n        future.result()",)),
    Row("session-kept-open", "session-closed",
        "import tensorflow.compat.v1 as tf\nwith tf.Session() as s:\n    s.run(a)\nprint(s.run(b))  # <-\n", ("    s.run(a)\n    print(s.run(b))",)),
    Row("feature-as-written", "record-schema-mismatch", 'import tensorflow as tf\nlayout = {"wave": tf.io.FixedLenFeature([], tf.float32)}  # <-\n',
        ("FixedLenFeature([8], tf.float32)",),
        known=thrown("Key: wave.  Can't parse serialized Example: Some float_list slice was not parsed.", "InvalidArgumentError",
                     inspection=Inspection((LookedAt("a.tfrecord", "the message", features=(Feature("wave", "float", 8),)),)))),
    Row("array-mapped", "memory-limit-reached", 'import numpy as np\nx = np.load("a.npy")  # <-\n', ('np.load("a.npy", mmap_mode="r")',)),
    Row("prediction-in-batches", "memory-limit-reached", "out = model.predict(x, batch_size=4096)  # <-\n", ("batch_size=32",)),
    Row("tensor-to-number", "memory-limit-reached", "for n in range(9):\n    loss.backward()\n    total += loss  # <-\n", ("total += loss.item()",)),
)  # fmt: skip


def made(row: Row) -> Proposal:
    proposals = row.proposals()
    mine = [one for one in proposals.found if one.slug == row.slug]
    assert mine, proposals.reasons
    return mine[0]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.slug)
def test_what_a_fix_makes_of_a_program(row: Row) -> None:
    after = made(row).after

    assert all(text in after for text in row.becomes), after
    assert not row.gone or row.gone not in after
    ast.parse(after)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.slug)
def test_a_fix_answers_the_same_again_and_in_sentences(row: Row) -> None:
    patch = made(row).patch

    assert patch == made(row).patch
    assert patch.says.endswith(".")
    assert "\n" not in patch.says
    assert not patch.results or patch.results.endswith(".")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.slug)
def test_a_file_that_was_changed_since_is_not_patched(row: Row) -> None:
    proposals = replace(row, code="what_was_there(1)").proposals()

    assert not proposals.found
    assert (f"{HERE} was changed since the run",) == proposals.reasons


REFUSED = (
    ("unread-container-dropped", "kept-in-container", "kept = []\nkept.append(1)  # <-\nprint(kept)\n", KEPT, KEEPS),
    ("newest-kept", "kept-in-container", "kept = []\nkept.append(1)  # <-\nprint(kept[2:])\n", KEPT, KEEPS),
    ("queue-bounded", "kept-in-container", "import queue\na, b = queue.Queue(), queue.Queue()\na.put(1)  # <-\n", QUEUED, QUEUES),
    ("error-without-traceback", "kept-in-container", "kept = []\nwrong = make()\nkept.append(wrong)  # <-\n", FAILED, FAILS),
    ("newest-kept", "kept-in-container", "from collections import deque\nkept = deque([1, 2])\nkept.append(1)  # <-\n", KEPT, KEEPS),
    ("file-closed", "too-many-open-files", "def f(n):\n    file = open(n)  # <-\n    return file\n", "It died.", {}),
    ("tape-inside-loop", "tape-kept-open", "with tape_of() as tape:  # <-\n    x = 1\n    for n in a:\n        f(n)\n", "It died.", {}),
    ("workers-spawned", "forked-after-threads", "import multiprocessing as mp\nmp.Pool(2)  # <-\n", "It died.", {}),
    ("operations-built-once", "graph-grows", "import tensorflow as tf\ny = tf.add(a, b)  # <-\n", "It died.", {}),
    ("labels-and-classes", "shape-mismatch", "import keras\na = keras.layers.Dense(3)\nb = keras.layers.Dense(3)\nfit()  # <-\n", "It died.",
     thrown("Received a label value of 5 which is outside the valid range of [0, 3).", "InvalidArgumentError")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "becomes"),
    [
        ("Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of argument 'x'.", 'a + tf.cast(b, "float32")'),
        ("Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'.", 'tf.cast(a, "float32") + b'),
    ],
)  # fmt: skip
def test_the_side_that_a_message_names_is_cast_and_never_a_fraction_cut(
    message: str, becomes: str
) -> None:
    program = "import tensorflow as tf\ny = a + b  # <-\n"
    row = Row("value-cast", "dtype-mismatch", program, (becomes,), known=thrown(message, "TypeError"))  # fmt: skip

    assert becomes in made(row).after


@pytest.mark.parametrize(("slug", "cause", "program", "says", "known"), REFUSED, ids=lambda it: it if isinstance(it, str) and "\n" not in it else "")  # fmt: skip
def test_what_cannot_be_derived_is_not_guessed(slug: str, cause: str, program: str, says: str, known: dict[str, Any]) -> None:  # fmt: skip
    found = Row(slug, cause, program, (), says=says, known=known).proposals()

    assert [] == [one for one in found.found if one.slug == slug]


def test_there_is_one_fix_in_each_file_and_a_row_for_each() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}

    assert files == FIXES.keys()
    assert files == {row.slug for row in ROWS}


@every_fix
def test_the_page_is_one_sentence_and_then_its_headings(unit: UnitOf[Any, Any]) -> None:
    check_page(unit, fix)


@every_fix
def test_a_fix_serves_causes_that_exist(unit: UnitOf[Any, Any]) -> None:
    assert unit.heals
    assert set(unit.heals) <= UNITS.keys()


@every_fix
def test_a_fix_knows_only_its_argument(unit: UnitOf[Any, Any]) -> None:
    tree = ast.parse((FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text())
    nodes = list(ast.walk(tree))
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {it.name for node in nodes if isinstance(node, ast.Import) for it in node.names}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}


@every_fix
def test_a_fix_explains_itself_on_the_command_line(unit: UnitOf[Any, Any], capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    for name in (unit.slug, unit.code):
        cli.main(args=["explain", name], prog_name="outlive", standalone_mode=False)

        page = capsys.readouterr().out
        assert unit.slug in page
        assert unit.code in page
        assert all(heading in page for heading in fix.headings)
