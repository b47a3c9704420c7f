"""Outlive's thread inside the program: nothing of the program's runs in it, and no setting of Python's stays changed by it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outlive.inside.notes.format import read_frames
from outlive.inside.notes.links import FOLDER_VARIABLE
from outlive.recorder.supervisor import INSIDE_PATH
from pythons import pythons
from tests.inside.test_shim import compile_helper, library

__all__ = ["library"]  # a fixture

MB = 1_000_000

#: In each of these the collector is started in another way, but in 3.10 as in 3.9.
VERSIONS = sorted(version for version in pythons() if version != "3.10")

#: Grows to this share of the limit while it makes garbage, and tells in which threads it was destroyed and called back.
GARBAGE = """\
import gc, json, sys, threading, time, weakref
share, limit, hurry, seconds = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "hurry", float(sys.argv[4])
known, foreign = {threading.get_ident()}, []
if hurry:
    sys.setswitchinterval(1e-6)

def is_beginning():
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename == threading.__file__

def seen(what):
    if threading.get_ident() not in known and not is_beginning():
        foreign.append(what)

class Cyclic:
    def __init__(self):
        self.me = self
    def __del__(self):
        seen("__del__")

class Counted:
    def __del__(self):
        seen("counted")

def called(_):
    seen("callback")

def makes(until, growing):
    known.add(threading.get_ident())
    kept, watched, at = [], [], 0
    while time.monotonic() < until:
        for _ in range(20):
            one = Cyclic()
            watched.append(weakref.ref(one, called))
            held = Counted()
            batch = [Counted() for _ in range(3)]
        del watched[:-500]
        left = (until - time.monotonic()) / seconds
        while growing and len(kept) * 500_000 < (1 - left) * share * limit:
            kept.append(bytearray(b"x") * 500_000)
        time.sleep(0)

until = time.monotonic() + seconds
threads = [threading.Thread(target=makes, args=(until, False)) for _ in range(2)]
for thread in threads:
    thread.start()
makes(until, True)
for thread in threads:
    thread.join()
until = time.monotonic() + 20
while max(gc.get_threshold()) > 10_000 and time.monotonic() < until:
    time.sleep(0.01)  # it was asked in the one moment in which Python runs in our thread
seen_after = [gc.get_threshold(), gc.isenabled(), sys.getswitchinterval()]
print(json.dumps({"foreign": sorted(set(foreign)), "after": seen_after}))
"""


def run(
    python: str,
    folder: Path,
    code: str,
    *arguments: str,
    links: dict[str, str],
    inside: str = INSIDE_PATH,
) -> Any:
    """Run a program with the recorder, and without the supervisor: what that one tells stands in links."""
    folder.mkdir()
    for name, text in links.items():
        (folder / name).symlink_to(text)
    done = subprocess.run(
        [python, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": inside, FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return json.loads(done.stdout)


def kinds(folder: Path) -> list[str]:
    (ring,) = folder.glob("*.ring")
    return [frame.payload["kind"] for frame in read_frames(str(ring))]


@pytest.mark.parametrize(
    ("version", "hurry"), [*((one, "hurry") for one in VERSIONS), (VERSIONS[1], "at leisure")]
)
def test_nothing_of_the_programs_is_destroyed_in_our_thread_while_it_looks(
    version: str, hurry: str, tmp_path: Path
) -> None:
    limit = 200 * MB
    links = {"limit": f"{limit} 0", "brake": "on"}

    # With a turn of a microsecond another thread gets in between once in 20 to 40 runs, and one object dies in ours. Not in two of two.
    # Where the machine has no time to look twice (seen at a load of 20 on two cores) the program takes longer.
    bad = 0
    for attempt, seconds in enumerate(("2", "2", "10")):
        rings = tmp_path / f"rings{attempt}"
        told = run(
            pythons()[version], rings, GARBAGE, "0.6", str(limit), hurry, seconds, links=links
        )
        bad += bool(told["foreign"])
        if bad > (hurry == "hurry"):
            break
        if not told["foreign"] and kinds(rings).count("census") >= 2:
            break

    assert [] == told["foreign"]
    interval = 1e-6 if hurry == "hurry" else 0.005
    assert [True, pytest.approx(interval)] == told["after"][1:]
    assert max(told["after"][0]) < 10_000
    assert kinds(rings).count("census") >= 2, "it has looked"


def test_without_the_c_library_garbage_is_collected_in_the_programs_threads_too(
    tmp_path: Path,
) -> None:
    inside = Path(INSIDE_PATH).parent.parent
    shutil.copytree(
        inside, tmp_path / "inside", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    limit = 200 * MB

    # A thread that already waits for its turn gets it after 5 ms, also in the middle of a look: without the library nobody can hold it
    # back. The object whose last owner it was then dies in our thread: seen once in CI, in 0 of 48 runs at a load of 6 on two cores. Not in
    # three of three.
    for attempt in range(3):
        rings = tmp_path / f"rings{attempt}"
        told = run(
            sys.executable,
            rings,
            GARBAGE,
            *("0.6", str(limit), "at leisure", "2"),
            links={"limit": f"{limit} 0"},
            inside=str(tmp_path / "inside" / "start" / "path"),
        )
        assert not {"__del__", "callback"} & set(told["foreign"]), "the collector was held off"
        if not told["foreign"]:
            break

    assert [] == told["foreign"]
    assert "census" in kinds(rings)


#: As a debugger does it: errors that were caught are put where Python keeps the one that ended the program.
LAST_VALUES = """\
import json, sys, threading, time
mine, foreign = threading.get_ident(), 0

class Held:
    def __del__(self):
        global foreign
        foreign += threading.get_ident() != mine

def fails():
    held = Held()
    raise ValueError(held)

until = time.monotonic() + 1.0
while time.monotonic() < until:
    try:
        exec(compile("fails()", "typed", "exec"))
    except ValueError as error:
        sys.last_value = error.with_traceback(error.__traceback__.tb_next)
        sys.last_exc = sys.last_value
    time.sleep(0.0001)
print(json.dumps(foreign))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_an_error_that_the_program_replaces_dies_in_its_thread(
    version: str, tmp_path: Path
) -> None:
    assert 0 == run(pythons()[version], tmp_path / "rings", LAST_VALUES, links={})
    assert "error" in kinds(tmp_path / "rings"), "it was told of"


#: Asks for Python's settings as often as it can, and sets them in between.
SETTINGS = """\
import gc, json, sys, threading, time
odd = set()
until = time.monotonic() + 1.0
def idle():
    while time.monotonic() < until:
        time.sleep(0.0005)
threading.Thread(target=idle).start()
turn = 0
while time.monotonic() < until:
    turn += 1
    wanted = 500 + turn % 100, 7, 9
    on = bool(turn % 2)
    gc.set_threshold(*wanted)
    gc.enable() if on else gc.disable()
    for _ in range(20):
        if gc.get_threshold()[:2] != wanted[:2] or gc.isenabled() != on:
            odd.add(str([gc.get_threshold(), gc.isenabled()]))
        if sys.getswitchinterval() != 0.005:
            odd.add(sys.getswitchinterval())
    time.sleep(0)
print(json.dumps(sorted(map(str, odd))))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_program_sees_its_settings_of_the_collector_as_it_left_them(
    version: str, tmp_path: Path
) -> None:
    assert [] == run(pythons()[version], tmp_path / "rings", SETTINGS, links={})


#: How many MB can be had below a limit on the address space.
ROOM = """\
import json, resource, sys, threading, time
time.sleep(0.5)  # the thread has looked a few times
resource.setrlimit(resource.RLIMIT_AS, (400 << 20,) * 2)
kept = []
try:
    while True:
        kept.append(bytearray(1 << 20))
except MemoryError:
    had = len(kept)
    kept.clear()
print(json.dumps(had))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_limit_on_the_address_space_leaves_nearly_as_much_as_without_us(
    version: str, tmp_path: Path
) -> None:
    python = pythons()[version]
    bare = json.loads(subprocess.run([python, "-c", ROOM], capture_output=True, check=True).stdout)

    # A frame object of a function with more than 50 locals and temporaries comes from malloc: to sample one takes the arena. While
    # modules are imported that is rare (once in 40 runs at a load of 20 on two cores). Not in two of two.
    for attempt in range(2):
        watched = run(python, tmp_path / f"rings{attempt}", ROOM, links={})
        if bare - watched <= 16:
            break

    assert bare - watched <= 16, "a stack of 1 MB, 1 MB of records, modules; no arena of 64 MB"


#: Names of threads that JSON must escape, and one that is a word of the command line. All wait until a sample has seen how deep the main one is.
NAMES = """\
import _thread, glob, json, sys, threading, time
gate = _thread.allocate_lock()
def wait(): gate.acquire(), gate.release()
def at_the_end(): gate.acquire(), gate.release()
def seen(): return any(b"at_the_end" in open(ring, "rb").read() for ring in glob.glob(sys.argv[2] + "/*.ring"))
def watch():
    until = time.monotonic() + 60
    while not seen() and time.monotonic() < until: time.sleep(0.05)
    gate.release()
gate.acquire()
for name in ('w\\u00f6rk "er"\\\\ \\U0001f600', sys.argv[1], "Thread-7", "\\ud800"):
    threading.Thread(target=wait, name=name).start()
threading.Thread(target=watch).start()
def deeper(n):
    return deeper(n - 1) if n else at_the_end()
deeper(90)
print(json.dumps("done"))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_stacks_are_written_as_python_would_have_written_them(version: str, tmp_path: Path) -> None:
    run(
        pythons()[version],
        tmp_path / "rings",
        NAMES,
        "a-secret-word",
        str(tmp_path / "rings"),
        links={},
    )

    (ring,) = (tmp_path / "rings").glob("*.ring")
    stacks = [frame.payload for frame in read_frames(str(ring)) if "threads" in frame.payload]
    threads = next(stack["threads"] for stack in stacks if "at_the_end" in str(stack))
    names = {thread["name"] for thread in threads}
    assert names >= {'wörk "er"\\ 😀', "***", "Thread-7", "MainThread"}
    (main,) = [thread["frames"] for thread in threads if thread["main"]]
    assert len(main) == 52
    assert ["<string>", 4, "at_the_end"] == main[0]
    assert ["<string>", 16, "<module>"] == main[-1]
    assert {("<string>", 15, "deeper")} == {tuple(frame) for frame in main[1:-1]}


def test_no_frame_of_ours_is_seen_by_the_program(tmp_path: Path) -> None:
    code = "import json, sys, time; time.sleep(0.2); print(json.dumps(len(sys._current_frames())))"
    assert 1 == run(sys.executable, tmp_path / "rings", code, links={})


#: Asks where all threads are, as the sampler does, while native threads come and go. Before the fix Python 3.11 crashed within 50,000 times.
WALKS = """\
import ctypes, gc, json, sys
shim, threads = ctypes.PyDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
functions = (gc.get_threshold, gc.set_threshold, gc.isenabled, gc.enable, gc.disable, sys.getswitchinterval, sys.setswitchinterval)
opened = shim.outlive_python_open((ctypes.py_object * len(functions))(*functions))
shim.outlive_current_frames.restype = ctypes.py_object
sys.setswitchinterval(1e-5)
threads.begin()
for _ in range(300_000):
    shim.outlive_current_frames()
threads.end()
print(json.dumps(opened))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_threads_of_native_code_may_come_and_go_while_stacks_are_taken(
    version: str, library: Path, tmp_path: Path
) -> None:
    threads = compile_helper("comes_and_goes.c", tmp_path / "threads.so")

    opened = run(
        pythons()[version], tmp_path / "rings", WALKS, str(library), str(threads), links={}
    )

    assert 1 == opened
