"""Records and archives that nobody wrote: right checksums and the right structure, built from the declared shapes, with wrong values
in between. By a number, so that every one of them can be made again."""

from __future__ import annotations

import io
import json
import math
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

from outlive.inside.notes.format import HEAD, MARKER, MAX_PAYLOAD_BYTES, dump
from outlive.recorder.crash.shim_file import FILE_BYTES, MAGIC, VERSION
from outlive.recorder.store import field_shapes, note_kinds, run_folders
from outlive.recorder.store.archive import ABOUT_NAME, SCHEMA

PID, PARENT = 4321, 4300
FOLDER = "/home/user/project"
BEGAN = 1_790_000_000.0

#: What a program says when it dies, in the words of many versions.
MESSAGES = [
    entry["message"] if isinstance(entry, dict) else str(entry)
    for entry in json.loads((Path(__file__).parent.parent / "complaints.json").read_text("utf-8"))
]  # fmt: skip

SOURCE = """import threading
import numpy as np
album = []
lock = threading.Lock()
jobs = {}

def load(name):
    pixels = open(name, "rb").read() / 255.0
    return pixels

def main():
    for number in range(100):
        album.append(load(number))
        with lock:
            jobs.get(number)
            self.queue.put(number)
    raise SystemExit(3)

main()
"""
ODD_SOURCES = (
    SOURCE,
    "",
    "\0",
    "(" * 3000,
    "-" * 50_000 + "1",
    "x = [" * 90 + "]" * 90,
    "def main(:\n",
    "lambda: " * 2000 + "1",
    "a = " * 20_000 + "1",
    "\ud800",
    SOURCE * 200,
)

WORDS = (
    "train.py", f"{FOLDER}/train.py", "/usr/lib/python3.11/threading.py", "/usr/lib/python3.11/queue.py", "<string>", "<stdin>",
    "/tmp/ipykernel_1/123.py", "main", "<module>", "load", "wait", "get", "acquire", "album", "lock", "jobs", "self", "pixels",
    "name", "attr", "key", "cache", "class", "list", "dict", "deque", "objects", "float64", "float32", "uint8", "int64", "few",
    "lock", "rlock", "queue", "condition", "thread", "process", "futex", "read", "S", "R", "D", "T", "sys.exit", "os._exit",
    "SIGKILL", "ValueError", "MemoryError", "tensorflow.python.framework.errors_impl.InvalidArgumentError", "OSError",
    "KeyboardInterrupt", "shuffle", "prefetch", "cache", "map", "main", "worker", "thread", "cell", "unraisable", "MainThread",
    "full", "named", "tmpfs", "/dev/shm", "/", "/dev/zero", "/etc/shadow", "/proc/self/mem", "picture.png", "data.tfrecord",
    "libcuda.so.1", "3.11.7", "2.21.0", "null", "stack-end", "file", "timeout", "#", "@", "",
)  # fmt: skip
ODD_WORDS = (
    "\0", "²", "٣", "9" * 5000, "a" * 5000, "\ud800", "\udcff", "\x1b[31m", "\u202e", "../../../etc/passwd", "<script>alert(1)</script>",
    "=HYPERLINK(1)", "\n" * 50, "%s%n", "[" * 300, "{}" * 300, "File \"x\", line 99999999999999999999, in f", "a." * 3000, "ö" * 400,
)  # fmt: skip
LINES = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/job,task_memcg=/job,task=python,"
    f"pid={PID},uid=0",
    f"Memory cgroup out of memory: Killed process {PID} (python) total-vm:1kB",
    f"python[{PID}]: segfault at 10 ip 00007f0000000010 sp 00007ffc00000000 error 4 in libc.so.6[7f0000000000+156000]",
    f"traps: python[{PID}] trap invalid opcode ip:7f0000000010 sp:7ffc00000000 error:0 in libfoo.so[7f0000000000+1000]",
    "oom-kill:constraint=a,task_memcg=,task=" * 40,
    "*** " * 400,
)
CRASH = """Fatal Python error: Segmentation fault

Current thread 0x00007f0000000000 [main] (most recent call first):
  File "train.py", line 13 in main
  File "train.py", line 99999999999 in <module>

Thread 0x00007f0000000001 (most recent call first):
  Garbage-collecting
  File "train.py", line ??? in load
"""
SIZES = (
    0,
    1,
    2,
    3,
    6,
    9,
    11,
    13,
    14,
    100,
    4096,
    10**6,
    3 * 10**8,
    10**9,
    5 * 10**9,
    2**31,
    2**63 - 1,
    -1,
    PID,
    PARENT,
)
ODD_NUMBERS = (
    2**64, -(2**64), 10**400, 1e300, -1e300, 1e308, math.inf, -math.inf, math.nan, 5e-324, -0.0, 2**53 + 1, 1.5, True,
)  # fmt: skip


def deep(levels: int) -> Any:
    """A list in a list in a list."""
    found: Any = []
    for _ in range(levels):
        found = [found]
    return found


class Forger:
    """Makes values of shapes; one of so many is of another kind."""

    def __init__(self, number: int, wrong: float = 0.02) -> None:
        self.chance = random.Random(number)
        self.wrong = self.chance.choice((0.0, wrong / 8, wrong, wrong * 4))

    def odd(self) -> Any:
        """A value of no kind in particular."""
        chance = self.chance
        return chance.choice(
            (
                None,
                chance.choice(ODD_NUMBERS),
                chance.choice(ODD_WORDS),
                chance.choice(WORDS),
                chance.choice(SIZES),
                [],
                {},
                [1],
                [[]],
                {"": None},
                {"path": [], "names": [{}], "frames": [[]]},
                deep(chance.choice((3, 60, 400))),
                [0] * chance.choice((2, 3, 4, 6, 3000)),
                {str(index): index for index in range(chance.choice((1, 300)))},
            )
        )

    def value(self, shape: field_shapes.Shape) -> Any:
        """A value that has the shape, or nearly."""
        if self.chance.random() < self.wrong:
            return self.odd()
        of, parts = field_shapes.MADE_OF.get(shape, ("", None))
        made = getattr(self, f"_{of}", None) or SINGLE.get(shape)
        assert made is not None, f"no value can be made of {shape}"
        return made(parts) if of else made(self)

    def _text(self, most: int) -> str:
        chance = self.chance
        if most == note_kinds.LONGEST_SOURCE:
            return chance.choice(ODD_SOURCES)
        if most in (note_kinds.LONGEST_STDERR, note_kinds.LONGEST_MESSAGE):
            odd = chance.choice(ODD_SOURCES)[:2000]
            return chance.choice([odd, chance.choice(MESSAGES), CRASH, self.traceback()])
        if most == note_kinds.LONGEST_KERNEL_LINE:
            return chance.choice(LINES)
        return chance.choice(ODD_WORDS if chance.random() < 4 * self.wrong else WORDS)

    def traceback(self) -> str:
        """An exception of a function that ran inside TensorFlow, as text."""
        message = self.chance.choice(MESSAGES)
        return f'ValueError: {message}\nTraceback (most recent call last):\n  File "train.py", line 13, in main\n'

    def _maybe(self, shape: field_shapes.Shape) -> Any:
        return None if self.chance.random() < 0.2 else self.value(shape)

    def _listed(self, parts: Any) -> list[Any]:
        shape, most = parts
        count = self.chance.choice((0, 1, 2, 3, 5, min(most, 30), min(most + 5, 60)))
        return [self.value(shape) for _ in range(count)]

    def _filled(self, shape: field_shapes.Shape) -> Any:
        inner, _ = field_shapes.MADE_OF[shape][1]
        return self.value(shape) or [self.value(inner)]

    def _one_of(self, words: Any) -> Any:
        return self.chance.choice(words)

    def _row(self, parts: Any) -> list[Any]:
        inner, fewest = parts
        count = (
            len(inner) if self.chance.random() < 0.9 else self.chance.randint(fewest, len(inner))
        )
        return [self.value(shape) for shape in inner[:count]]

    def _table(self, parts: Any) -> dict[str, Any]:
        shape, _ = parts
        names = [self.value(note_kinds.word) for _ in range(self.chance.choice((0, 1, 4)))]
        return {str(name): self.value(shape) for name in names}

    def _fields(self, parts: Any) -> dict[str, Any]:
        inner, needs = parts
        missing = self.chance.choice((0.0, 0.1, 0.5))
        return {
            name: self.value(shape)
            for name, shape in inner.items()
            if name in needs or self.chance.random() >= missing
        }

    def _nested(self, parts: Any) -> dict[str, Any]:
        shape, field = parts
        found = self.value(shape)
        if isinstance(found, dict) and self.chance.random() < 0.3:
            found[field] = self._nested(parts)
        return found

    def things(self) -> dict[str, Any]:
        """What a frame can name."""
        found = {name: self.value(note_kinds.thing) for name in ("lock", "self.queue", "jobs")}
        for name in ("#", "@"):
            if self.chance.random() < 0.5:
                found[name] = self.value(note_kinds.numbers_of_names)
        return found

    def entry(self, kind: str, **known: Any) -> dict[str, Any]:
        """An entry of a record."""
        found = self._fields(({**note_kinds.COMMON, **note_kinds.KINDS[kind]}, ())) | {"kind": kind}
        return found if self.chance.random() < self.wrong else {**found, **known}

    def log(self) -> list[dict[str, Any]]:
        """What the supervisor wrote."""
        chance = self.chance
        ended = chance.choice(
            (
                {"signal": 9},
                {"signal": 11},
                {"exit_code": 1},
                {"exit_code": 3},
                {"exit_code": 0},
                {},
            )
        )
        exit_ = {"kind": "exit", "signal": None, "exit_code": None} | ended
        known: dict[str, Any] = {"pid": PID, "folder": FOLDER, "time": BEGAN}
        found = [self.entry("run", command=["python", "train.py"], **known)]
        found += [self.entry("sample") for _ in range(chance.choice((0, 2, 12)))]
        others = (
            "hang",
            "signal",
            "gap",
            "stderr",
            "aftermath",
            "packages",
            "inspection",
            "source",
        )
        found += [self.entry(kind) for kind in others if chance.random() < 0.4]
        found += [self.entry("source", file=f"{FOLDER}/train.py", text=SOURCE)]
        found += [self.entry("end", at=9.0), {**self.entry("exit"), **exit_}]
        return found

    def ring(self, pid: int) -> list[dict[str, Any]]:
        """What one process wrote."""
        chance = self.chance
        found = [self.entry("process", pid=pid, time=BEGAN, libraries=["/usr/lib"])]
        for number in range(chance.choice((0, 3, 20))):
            kept = {} if chance.random() < 0.3 else {"same": False}
            rss = 10**8 + number * 3 * 10**7
            found.append(self.entry("stack", time=BEGAN + number / 10, rss=rss, **kept))
        for _ in range(chance.choice((1, 4, 12))):
            kind = chance.choice(OF_RINGS)
            found.append(self.entry(kind, pid=pid, time=BEGAN + chance.random() * 9))
        return found

    def native(self) -> bytes:
        """The shim's own file: noise behind its first words."""
        noise = self.chance.randbytes(4096) * (FILE_BYTES // 4096 + 1)
        head = MAGIC + struct.pack("<I", VERSION)
        return (head + noise)[: self.chance.choice((100, FILE_BYTES))]

    def folder(self) -> dict[str, bytes]:
        """The files of a run's folder."""
        chance = self.chance
        found = {run_folders.LOG_NAME: framed(self.log())}
        for pid in (PID, PARENT)[: chance.choice((0, 1, 1, 2))]:
            found[f"rings/{pid}-1.ring"] = framed(self.ring(pid))
        if chance.random() < 0.3:
            cells = [self.entry(chance.choice(OF_CELLS), id="1") for _ in range(6)]
            found[f"rings/{PID}.cells"] = framed(cells)
        if chance.random() < 0.5:
            found[f"rings/{PID}.shim"] = framed([self.entry("shim", pid=PID)])
        if chance.random() < 0.2:
            found[f"rings/{PID}.native"] = self.native()
        if chance.random() < 0.3:
            found[f"rings/{chance.choice((str(PID), '²', '9' * 30))}-1.fault"] = CRASH.encode()
        if chance.random() < 0.1:
            found["rings/x.failed"] = chance.randbytes(300)
            found["rings/kernel-1/supervisor.log"] = framed(self.log())
            found["rings/kernel-1/verdict.json"] = b"{}"
            found[f"rings/kernel-1/rings/{PID}-1.ring"] = framed(self.ring(PID))
        return found

    def verdict(self) -> bytes:
        """A verdict of the sender's."""
        place = {"file": self.word(), "line": self.size(), "function": "main", "code": self.word()}
        fact = {"name": self.word(), "value": self.plain(), "source": self.word()}
        remedy = {"text": self.word(), "commands": [self.word()], "safe": False}
        finding = {
            "slug": self.word(),
            "confidence": self.chance.choice(("proven", "likely", "possible", "sure")),
            "says": self.word(),
            "where": self.chance.choice((None, place)),
            "because": [fact] * self.chance.choice((0, 1, 20)),
            "remedies": [remedy],
        }
        ending = {
            "kind": self.chance.choice(("signal", "exit", "exception", "hang", "success", "odd")),
            "signal": self.chance.choice((None, "SIGKILL", self.word())),
            "exit_code": self.chance.choice((None, 1, self.size())),
            "by": self.chance.choice(("kernel-oom", "process", "itself", "unknown")),
            "detail": self.word(),
        }
        data: dict[str, Any] = {
            "schema": "outlive.verdict/1",
            "run": self.chance.choice(("20261118-010203-00000aa", "../../out", "/tmp/out", self.word())),
            "ending": ending,
            "cause": self.chance.choice((None, finding, finding)),
            "also": [finding] * self.chance.choice((0, 1, 3)),
            "gaps": {self.word(): self.word()},
        }  # fmt: skip
        if self.chance.random() < 0.2:
            data[self.chance.choice(list(data))] = self.odd()
        return json.dumps(data).encode()

    def word(self) -> str:
        """A text; now and then one that nobody would write."""
        return self.chance.choice(ODD_WORDS if self.chance.random() < 0.2 else WORDS)

    def size(self) -> Any:
        """A number, likewise."""
        return self.chance.choice(ODD_NUMBERS if self.chance.random() < 0.1 else SIZES)

    def plain(self) -> Any:
        """A value of the program's."""
        return self.word() if self.chance.random() < 0.5 else self.size()

    def archive(self) -> bytes:
        """A file that somebody sends."""
        chance = self.chance
        about = {"schema": SCHEMA, "run": chance.choice(("r1", "../x", "\0", "..", "", 7, None))}
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
            box.writestr(ABOUT_NAME, json.dumps(about))
            if chance.random() < 0.8:
                box.writestr("verdict.json", self.verdict())
            if chance.random() < 0.8:
                box.writestr(
                    "verdict.html", chance.choice((b"\xff\xfe", b"<script>evil()</script>"))
                )
            if chance.random() < 0.6:
                for name, content in self.folder().items():
                    box.writestr(f"record/{name}", content)
        data = bytearray(target.getvalue())
        if chance.random() < 0.4:
            for _ in range(chance.choice((1, 3, 30))):
                data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        return bytes(data)


OF_RINGS = (
    "look", "error", "error", "shown", "around", "scene", "quit", "kill", "child", "seen", "timer", "closed", "cancelled", "stage",
    "census", "census", "census", "brake", "can-save", "saved", "restored", "fork-by-name", "leaving", "process", "stack",
)  # fmt: skip
OF_CELLS = ("cell", "cell", "file", "done", "shutdown")

#: Shapes that are made of no others.
SINGLE: dict[field_shapes.Shape, Any] = {
    field_shapes.whole: lambda forger: forger.chance.choice(SIZES),
    field_shapes.positive: lambda forger: forger.chance.choice((1, 2, 9, 10**6)),
    field_shapes.side: lambda forger: forger.chance.choice((0, 1, 3, 240, 10**4, 2**40)),
    field_shapes.number: lambda forger: forger.chance.choice((*SIZES, 0.5, 9.0, 1e17)),
    field_shapes.moment: lambda forger: forger.chance.choice((0, BEGAN, BEGAN + 5.5, 2.5e11)),
    field_shapes.flag: lambda forger: forger.chance.random() < 0.5,
    field_shapes.path: lambda forger: forger.chance.choice((FOLDER, "/", "", "/dev/zero", "train.py")),
    field_shapes.plain: lambda forger: forger.chance.choice((*SIZES, *WORDS, None, 0.5)),
    note_kinds.place: lambda forger: forger.value(note_kinds.long_place),
    note_kinds.group: lambda forger: forger.value(note_kinds.short_group),
    note_kinds.things: lambda forger: forger.things(),
    note_kinds.tasks: lambda forger: {
        str(pid): forger._listed((note_kinds.task, 9)) for pid in (PID, PARENT)
    },
}  # fmt: skip


def framed(payloads: list[dict[str, Any]]) -> bytes:
    """The bytes of a file of a record, with right checksums."""
    import zlib

    from outlive.inside.notes.format import BODY

    found = []
    for sequence, payload in enumerate(payloads, 1):
        body = json.dumps(payload).encode()
        if len(body) > MAX_PAYLOAD_BYTES:
            body = dump({"kind": payload.get("kind"), "dropped_bytes": len(body)}).encode()
        checksum = zlib.crc32(BODY.pack(len(body), sequence) + body)
        found.append(HEAD.pack(MARKER, checksum, len(body), sequence) + body)
    return b"".join(found)
