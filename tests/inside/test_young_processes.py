"""A Python that another process of the run has started gets its recorder late, and all the same nothing that it says or dies of is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Outlive
from outlive.inside.notes.format import read_frames
from outlive.inside.notes.links import FOLDER_VARIABLE
from outlive.recorder.crash.shim_file import NativeReading, read_native
from outlive.recorder.supervisor import INSIDE_PATH
from pythons import pythons

AGENT = "_outlive.agent"

every_python = pytest.mark.parametrize("version", sorted(pythons()))

#: Waits until the recorder has begun to write, as our thread makes it do.
GROWN_UP = """
import os, sys, time
def wait():
    until = time_now() + 50
    while not any(name.startswith(f"{os.getpid()}-") and name.endswith(".ring") for name in listdir(os.environ["OUTLIVE_RECORD_FOLDER"])):
        assert time_now() < until
        sleep(0.005)
listdir, sleep, time_now = os.listdir, time.sleep, time.monotonic
"""


class Ran(NamedTuple):
    """How a young process ended, and what it left."""

    status: int
    stdout: str
    stderr: str
    folder: Path
    names: list[str]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        rings = [path for path in sorted(self.folder.glob("*.ring")) if path.stat().st_size]
        frames = [frame.payload for path in rings for frame in read_frames(str(path))]
        return [payload for payload in frames if payload["kind"] == kind]

    @property
    def native(self) -> NativeReading:
        (path,) = self.folder.glob("*.native")
        return read_native(path.read_bytes())


def run(tmp_path: Path, code: str, version: str = "", *words: str, **variables: str) -> Ran:
    """Run a program beside another process of the run, of which there is a record already."""
    folder = tmp_path / "rings"
    folder.mkdir(exist_ok=True)
    (folder / "1-1.ring").touch()
    program = tmp_path / "program.py"
    program.write_text(code)
    done = subprocess.run(
        [pythons()[version] if version else sys.executable, *words, str(program)],
        env=os.environ | {"PYTHONPATH": INSIDE_PATH, FOLDER_VARIABLE: str(folder)} | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    names = sorted(path.name for path in folder.iterdir() if path.name != "1-1.ring")
    return Ran(done.returncode, done.stdout, done.stderr, folder, names)


@every_python
def test_of_one_that_says_nothing_nothing_is_loaded_and_nothing_made(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, f"import sys; print({AGENT!r} in sys.modules)", version)

    assert (0, "False\n", "", []) == (ran.status, ran.stdout, ran.stderr, ran.names)


@pytest.mark.parametrize(
    "ending", ["sys.exit()", "sys.exit(0)", "os._exit(0)", "exit()", "raise SystemExit(7)"]
)
def test_one_that_ends_well_leaves_nothing_though_it_wrote_to_stderr(
    ending: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, f"import os, sys\nos.write(2, b'all is well')\n{ending}")

    assert ("all is well", []) == (ran.stderr, ran.names)


@every_python
def test_the_exception_that_ends_it_is_told_with_its_way(version: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "def fail():\n    raise ValueError('no')\nfail()\n", version)

    (note,) = ran.notes("error")
    assert 1 == ran.status
    assert ("main", "ValueError", "no") == (
        note["origin"], note["error"]["type"], note["error"]["message"]
    )  # fmt: skip
    assert [(2, "fail"), (3, "<module>")] == [tuple(f[1:]) for f in note["error"]["frames"]]
    assert b"ValueError: no" in ran.native.stderr_tail


def test_an_exception_that_the_program_shows_by_itself_is_told(tmp_path: Path) -> None:
    ran = run(tmp_path, "import sys\nsys.excepthook = lambda *_: print('mine')\nraise ValueError\n")

    assert ("mine\n", "") == (ran.stdout, ran.stderr)
    assert ["ValueError"] == [note["error"]["type"] for note in ran.notes("error")]


def test_an_exception_in_a_thread_is_told(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        "import _thread, threading\n"
        "def fail():\n    raise ValueError\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join()\n",
    )

    assert [("thread", "ValueError")] == [
        (note["origin"], note["error"]["type"]) for note in ran.notes("error")
    ]


@every_python
@pytest.mark.parametrize(
    ("ending", "call", "status"),
    [
        ("sys.exit(3)", "sys.exit", 3),
        ("exit(3)", "sys.exit", 3),
        ("os._exit(3)", "os._exit", 3),
        ("sys.exit('no data')", "sys.exit", 1),
        pytest.param("os.abort()", "os.abort", -6, marks=pytest.mark.death),
    ],
)
def test_the_line_that_ends_it_is_told(
    ending: str, call: str, status: int, version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, f"import os, sys\ndef leave():\n    {ending}\nleave()\n", version)

    (note,) = ran.notes("quit")
    own = [(line, name) for file, line, name in note["frames"] if file.endswith("program.py")]
    assert (status, call, [(3, "leave"), (4, "<module>")]) == (ran.status, note["call"], own)


@pytest.mark.death
@every_python
def test_a_signal_is_told_with_who_sent_it(version: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "import os\nos.kill(os.getpid(), 15)\n", version)

    (note,) = ran.notes("kill")
    (seen,) = ran.native.signals
    assert (-15, 15, 2) == (ran.status, note["signal"], note["frames"][0][1])
    assert (15, note["pid"]) == (seen.signo, seen.sender_pid)


@pytest.mark.death
def test_a_signal_of_a_strangers_is_told(tmp_path: Path) -> None:
    """Without any call in Python that would load the recorder."""
    ran = run(tmp_path, "import posix\nposix.system(f'kill -TERM {posix.getpid()}')\n")

    (seen,) = ran.native.signals
    assert (-15, 15) == (ran.status, seen.signo)
    assert seen.sender_pid != ran.native.pid


@pytest.mark.death
@every_python
def test_one_that_crashes_at_once_leaves_its_words_and_stacks(version: str, tmp_path: Path) -> None:
    code = "import os, _ctypes\nos.write(2, b'the last word')\n"
    code += "def crash():\n    _ctypes.call_function(1, ())\ncrash()\n"
    ran = run(tmp_path, code, version)

    (fault,) = ran.folder.glob(f"{ran.native.pid}-*.fault")
    assert -11 == ran.status
    assert (11, True) == (ran.native.signals[0].signo, bool(ran.native.crashes))
    assert b"the last word" in ran.native.stderr_tail
    assert "line 4 in crash" in fault.read_text()


@pytest.mark.death
def test_one_that_crashes_later_leaves_the_same(tmp_path: Path) -> None:
    code = GROWN_UP + "def crash():\n    import _ctypes\n    _ctypes.call_function(1, ())\n"
    ran = run(tmp_path, code + "wait()\ncrash()\n")

    (fault,) = ran.folder.glob(f"{ran.native.pid}-*.fault")
    assert (-11, 11) == (ran.status, ran.native.signals[0].signo)
    assert "in crash" in fault.read_text()


@pytest.mark.death
@every_python
def test_one_that_lives_is_recorded(version: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        GROWN_UP
        + "def works():\n    wait()\n    sleep(0.3)\n    os.kill(os.getpid(), 9)\nworks()\n",
        version,
    )

    (process,) = ran.notes("process")
    threads = [
        thread
        for note in ran.notes("stack")
        for thread in note.get("threads", ())
        if thread["main"]
    ]
    assert -9 == ran.status
    assert process["python"].startswith(version)
    assert any("works" in [name for _, _, name in thread["frames"]] for thread in threads)


@every_python
def test_nothing_of_what_is_loaded_is_seen_and_files_of_the_same_names_are_the_programs_own(
    version: str, tmp_path: Path
) -> None:
    shadowed = ["ctypes", "enum", "re", "struct", "resource", "fcntl", "zlib"]
    for name in shadowed:
        (tmp_path / f"{name}.py").write_text(f"mine = {name!r}\n")
    code = GROWN_UP + (
        "before = set(sys.modules)\nwait()\n"
        "print([name for name in sorted(set(sys.modules) - before) if not name.startswith('_outlive')])\n"
        f"for name in {shadowed!r}:\n    assert __import__(name).mine == name\n"
    )
    ran = run(tmp_path, code, version)

    assert (0, "[]\n", "") == (ran.status, ran.stdout, ran.stderr)


@every_python
def test_modules_that_the_program_imports_meanwhile_are_whole_and_the_only_ones(
    version: str, tmp_path: Path
) -> None:
    code = GROWN_UP + (
        "names = ['ctypes', 're', 'enum', 'struct', 'resource', 'fcntl', 'zlib', 'types']\n"
        "until = time_now() + 20\n"
        f"while {AGENT!r} not in sys.modules and time_now() < until:\n"
        "    for name in names:\n        sys.modules.pop(name, None)\n"
        "    made = [__import__(name) for name in names]\n"
        "    assert [sys.modules[name] for name in names] == made\n"
        "    assert made[0].c_int(3).value == 3 and made[1].match('a+', 'aa', made[1].I)\n"
        "wait()\n"
        "assert [sys.modules[name] for name in names] == made\n"
        "print('fine')\n"
    )
    ran = run(tmp_path, code, version)

    assert (0, "fine\n", "") == (ran.status, ran.stdout, ran.stderr)


@every_python
def test_functions_that_the_program_has_put_in_the_place_of_pythons_are_not_ours(
    version: str, tmp_path: Path
) -> None:
    """As gevent and freezegun do it, before the recorder is there."""
    code = GROWN_UP + (
        "import _thread, builtins, gc, posix\n"
        "def no(*args, **kwargs):\n    asked.append(args)\n    raise AssertionError(args)\n"
        "asked = []\n"
        "for home, names in ((posix, 'open close fstat getpid'), (os, 'open listdir readlink fsencode'),\n"
        "                    (time, 'time monotonic sleep perf_counter'), (_thread, 'allocate_lock get_ident start_new_thread'),\n"
        "                    (builtins, 'open exec'), (sys, 'exit')):\n"
        "    for name in names.split():\n        setattr(home, name, no)\n"
        "sleep(0.05)\n"
        "until = time_now() + 50\n"
        f"while {AGENT!r} not in sys.modules or not sys.modules[{AGENT!r}].AGENTS:\n"
        "    assert time_now() < until\n    sleep(0.005)\n"
        "sleep(0.3)\nprint(asked)\nraise ValueError('at last')\n"
    )
    ran = run(tmp_path, code, version)

    assert (1, "[]\n") == (ran.status, ran.stdout)
    assert ["at last"] == [note["error"]["message"] for note in ran.notes("error")]


def test_a_hook_for_audits_hears_nothing_of_ours(tmp_path: Path) -> None:
    code = GROWN_UP + (
        "heard = []\nsys.addaudithook(lambda event, args: heard.append(event))\n"
        "del heard[:]\nsleep(0.5)\nprint(sorted(set(heard) - {'time.sleep'}))\n"
    )
    ran = run(tmp_path, code)

    assert (0, "[]\n", "") == (ran.status, ran.stdout, ran.stderr)


def test_no_descriptor_of_ours_stays_among_the_programs(tmp_path: Path) -> None:
    code = GROWN_UP + (
        "def low():\n    return sorted(number for number in map(int, listdir('/proc/self/fd')) if number < 250)\n"
        "before = low()\nwait()\nsleep(0.1)\nprint(low() == before)\n"
    )
    ran = run(tmp_path, code)

    assert (0, "True\n", "") == (ran.status, ran.stdout, ran.stderr)


def test_an_error_for_want_of_descriptors_is_told(tmp_path: Path) -> None:
    code = (
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (40, 100))\n"
        "held = []\nwhile True:\n    held.append(open('/dev/null'))\n"
    )
    ran = run(tmp_path, code)

    (note,) = ran.notes("error")
    assert (1, 24) == (ran.status, note["error"]["errno"])


def test_settings_of_the_collector_are_the_programs_own_all_the_time(tmp_path: Path) -> None:
    code = GROWN_UP + (
        "import gc\nseen = set()\nuntil = time_now() + 0.6\n"
        "while time_now() < until:\n    seen.add(gc.get_threshold())\n"
        "wait()\nprint(len(seen))\n"
    )
    ran = run(tmp_path, code)

    assert (0, "1\n", "") == (ran.status, ran.stdout, ran.stderr)


@every_python
def test_a_fork_before_it_is_loaded_is_one_as_any_other(version: str, tmp_path: Path) -> None:
    code = (
        "import os, sys\nchild = os.fork()\n"
        "if child == 0:\n    os.write(2, b'in the child'); os._exit(5)\n"
        "print(os.waitpid(child, 0)[1] >> 8)\n"
    )
    ran = run(tmp_path, code, version, "-W", "ignore")

    assert (0, "5\n", "in the child") == (ran.status, ran.stdout, ran.stderr)
    assert [5] == [note["code"] for note in ran.notes("quit")]


@every_python
def test_in_a_second_interpreter_there_is_nothing_of_ours(version: str, tmp_path: Path) -> None:
    code = GROWN_UP + (
        "try:\n    import _interpreters as made\nexcept ImportError:\n    import _xxsubinterpreters as made\n"
        "run = getattr(made, 'run_string', None) or made.exec\n"
        "for moment in (0, 1):\n"
        "    second = made.create()\n"
        "    run(second, \"import sys; print([name for name in sys.modules if 'outlive' in name])\")\n"
        "    made.destroy(second)\n"
        "    wait()\n"
        "print('after')\n"
    )
    ran = run(tmp_path, code, version)

    assert (0, "[]\n[]\nafter\n", "") == (ran.status, ran.stdout, ran.stderr)


def test_a_limit_on_the_address_space_has_it_loaded_at_once(tmp_path: Path) -> None:
    """Loaded by another thread, it would take an arena of malloc's: 64 MB."""
    folder = tmp_path / "rings"
    folder.mkdir()
    (folder / "1-1.ring").touch()
    done = subprocess.run(
        ["sh", "-c", f"ulimit -v 1000000; {sys.executable} -c \"import sys; print('{AGENT}' in sys.modules)\""],
        env=os.environ | {"PYTHONPATH": INSIDE_PATH, FOLDER_VARIABLE: str(folder)},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    assert "True\n" == done.stdout


def test_what_sitecustomize_waits_for_is_what_the_recorder_wants(tmp_path: Path) -> None:
    code = (
        f"import gc, os, sys\ntry:\n    os.kill(os.getpid(), 0)\nfinally:\n    agent = sys.modules[{AGENT!r}]\n"
        "young = sys.modules['_outlive'].young\n"
        "after = sys.modules['_outlive.start.after_import'].AfterImport\n"
        "(acts,) = [one._acts for one in gc.get_objects() if type(one) is after]\n"
        "print(*sorted(set(young.load.__globals__['_IMPORTS']) ^ set(acts)))\n"
    )
    ran = run(tmp_path, code)

    assert (0, "\n", "") == (ran.status, ran.stdout, ran.stderr)


@pytest.mark.parametrize("last", ["exec {python} crash.py", "{python} crash.py"])
def test_a_crash_is_not_one_at_exit_because_an_earlier_python_of_the_shell_had_finished(
    last: str, outlive: Outlive
) -> None:
    outlive.script("crash.py", "import ctypes\nctypes.string_at(0)\n")
    first = "{python} -c 'import time; time.sleep(0.5)'"

    outlive("run", "--quiet", "--", "sh", "-c", f"{first}; {last}".format(python=sys.executable))

    verdict = json.loads(outlive("why", "--json").stdout)
    told = [verdict["cause"], *verdict["also"]]
    assert "crashed-at-exit" not in [finding["slug"] for finding in told]
    assert "user-native-crashed" == verdict["cause"]["slug"]
    assert 2 == verdict["cause"]["where"]["line"]
