"""Stacks made into nouns: whose line it is, which line grew, and what faulthandler of every Python writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlive.coroner.gather.growth import growth_in
from outlive.coroner.readings.source_lines import (
    SourceLines,
    crash_in,
    origin_of,
    stacks_at,
    thrown,
)
from outlive.inside.notes.describe import (
    INNERMOST_FRAMES,
    OUTERMOST_FRAMES,
    bounded,
    frames_of,
    frames_of_traceback,
)
from outlive.model.events import Origin
from pythons import pythons

PROGRAMS = Path(__file__).parent.parent / "programs"
STANDARD = "/usr/lib/python3.11"
LINES = SourceLines("/home/user/project", [STANDARD, "/opt/venv/lib/python3.11/site-packages"])
MB = 1_000_000

MAIN = ["/home/user/project/train.py", 30, "main"]
APPEND = ["/home/user/project/train.py", 12, "fill"]
MAKE = ["/home/user/project/make.py", 5, "make"]
MAKE_TOO = ["/home/user/project/make.py", 6, "make"]
NUMPY = ["/opt/venv/lib/python3.11/site-packages/numpy/core.py", 9, "zeros"]
WAIT = [f"{STANDARD}/threading.py", 320, "wait"]
IMPORT = ["<frozen importlib._bootstrap>", 1027, "_find_and_load"]


@pytest.mark.parametrize(
    "file",
    [
        "/home/user/project/train.py",
        "/home/user/elsewhere/tool.py",
        "train.py",
        "<string>",
        "<stdin>",
        "<ipython-input-3-abc>",
        "/tmp/ipykernel_77/12345.py",
        "/usr/lib/python3.11-extras/mine.py",
        "/home/user/site-packages-of-mine/x.py",
    ],
)
def test_a_file_of_the_user_is_own(file: str) -> None:
    assert LINES.is_own(file)


@pytest.mark.parametrize(
    "file",
    [
        f"{STANDARD}/json/decoder.py",
        "/opt/venv/lib/python3.11/site-packages/keras/src/layer.py",
        "/home/user/.local/lib/python3.9/site-packages/x.py",
        "/usr/lib/python3/dist-packages/six.py",
        "<frozen importlib._bootstrap>",
        "<__array_function__ internals>",
        "/tmp/__autograph_generated_fileabc.py",
        "/home/user/.pyenv/versions/3.12.1/lib/python3.12/threading.py",
        "/usr/lib64/python3.9/os.py",
    ],
)
def test_a_file_of_a_library_is_not_own(file: str) -> None:
    assert not LINES.is_own(file)
    assert not SourceLines("").is_own(file), "nor when the program could not tell its folders"


def test_our_own_recorder_is_never_the_users_code() -> None:
    inside = Path(sys.modules["outlive.inside"].__file__ or "").parent / "events" / "hooks.py"

    assert not LINES.is_own(str(inside))


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("/home/user/project/train.py", "train.py"),
        ("/home/user/project/pkg/a.py", "pkg/a.py"),
        ("/home/user/project2/train.py", "/home/user/project2/train.py"),
        ("train.py", "train.py"),
        ("<stdin>", "<stdin>"),
    ],
)
def test_a_file_is_shown_as_the_user_would_type_it(file: str, shown: str) -> None:
    assert shown == LINES.place((file, 3, "f")).file


def test_the_text_of_a_line_is_read_for_own_files_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("first = 1\n  second = 2  \n")
    lines = SourceLines(str(tmp_path))

    assert "second = 2" == lines.place((str(tmp_path / "a.py"), 2, "f")).code
    assert "second = 2" == lines.place(("a.py", 2, "f")).code
    assert "" == lines.place(("a.py", 99, "f")).code
    assert "" == lines.place(("a.py", 0, "f")).code
    assert "" == lines.place(("missing.py", 1, "f")).code


def test_what_is_no_frame_is_skipped() -> None:
    assert 1 == len(LINES.places([MAIN, None, "x", [1, 2], 5, ["a", "b", "c", "d"]]))
    assert () == LINES.places(None)
    assert 0 == LINES.place(("a.py", None, "f")).line


def test_the_main_thread_comes_first() -> None:
    record = {
        "threads": [
            {"name": "Thread-1", "main": False, "frames": [WAIT]},
            "garbage",
            {"name": "MainThread", "main": True, "frames": [NUMPY, MAIN]},
        ]
    }

    stacks = stacks_at(record, LINES, 3.0, 77)

    assert ["MainThread", "Thread-1"] == [stack.thread for stack in stacks]
    assert ("train.py", 30) == (stacks[0].own.file, stacks[0].own.line)  # type: ignore[union-attr]
    assert stacks[1].own is None


def test_an_exception_is_read_with_its_causes_and_notes() -> None:
    data = {
        "type": "E",
        "message": "m",
        "frames": [NUMPY, MAIN],
        "notes": ["n"],
        "bases": ["Exception"],
        "cause": {"type": "F", "frames": "damaged"},
    }

    error = thrown(data, LINES, origin=Origin.THREAD, pid=5)

    assert ("E", "m", ("n",), Origin.THREAD, 5) == (
        error.type, error.message, error.notes, error.origin, error.pid
    )  # fmt: skip
    assert error.cause is not None and ("F", ()) == (error.cause.type, error.cause.frames)


def test_an_origin_that_is_not_known_accuses_nobody_of_ending_the_program() -> None:
    assert Origin.MAIN is origin_of("main")
    for unknown in ("", None, 5, "elsewhere", []):
        assert Origin.THREAD is origin_of(unknown)


# --- which line grew


def look(time: float, rss_mb: float, *frames: list[Any], others: tuple[list[Any], ...] = ()) -> dict[str, Any]:  # fmt: skip
    threads = [{"name": "MainThread", "main": True, "frames": list(frames)}]
    threads += [{"name": f"Thread-{n}", "main": False, "frames": it} for n, it in enumerate(others)]
    return {"kind": "stack", "time": time, "rss": int(rss_mb * MB), "threads": threads}


def same(time: float, rss_mb: float) -> dict[str, Any]:
    return {"kind": "stack", "time": time, "rss": int(rss_mb * MB), "same": True}


def named(records: list[dict[str, Any]]) -> tuple[str, int] | None:
    growth = growth_in(records, LINES)
    return (growth.place.file, growth.place.line) if growth else None


def test_a_ramp_is_named_by_the_line_that_ran_through_it() -> None:
    records = [look(n, 100 + 10 * n, NUMPY, APPEND, MAIN) for n in range(20)]

    growth = growth_in(records, LINES)

    assert growth is not None
    assert ("train.py", 12) == (growth.place.file, growth.place.line)
    assert (190 * MB, 1.0, 18) == (growth.grown_bytes, growth.share, growth.seconds)


def test_looks_that_saw_nothing_new_count_for_the_line_seen_before() -> None:
    records = [look(0, 100, APPEND, MAIN), *(same(n, 100 + 10 * n) for n in range(1, 10))]

    assert ("train.py", 12) == named(records)


def test_a_plateau_names_nothing() -> None:
    records = [look(n, 500, APPEND, MAIN) for n in range(50)]

    assert named(records) is None


def test_little_growth_names_nothing() -> None:
    records = [look(n, 100 + n, APPEND, MAIN) for n in range(15)]

    assert named(records) is None


def test_a_saw_that_takes_and_gives_back_adds_nothing_after_its_first_tooth() -> None:
    saw = [look(n, 100 + 10 * (n % 10), MAKE, MAIN) for n in range(10, 100)]
    ramp = [look(100 + n, 190 + 10 * n, APPEND, MAIN) for n in range(100)]

    growth = growth_in([look(0, 100, MAKE, MAIN), *saw, *ramp], LINES)

    assert growth is not None
    assert 12 == growth.place.line
    assert 980 * MB == growth.grown_bytes, "of the ramp alone: the saw was a plateau"


def test_growth_while_modules_are_imported_is_nobodys_fault() -> None:
    imports = [look(n, 50 + 20 * n, NUMPY, IMPORT, [MAIN[0], 1, "<module>"]) for n in range(20)]
    ramp = [look(20 + n, 430 + 5 * n, APPEND, MAIN) for n in range(20)]

    growth = growth_in(imports + ramp, LINES)

    assert growth is not None
    assert (12, 95 * MB) == (growth.place.line, growth.grown_bytes)


def test_a_function_of_the_pipeline_is_named_before_the_loop_that_reads_it() -> None:
    waits = ["/opt/venv/lib/python3.11/site-packages/tensorflow/python/ops/gen_dataset_ops.py", 9, "next"]  # fmt: skip
    reads = {"name": "MainThread", "main": True, "frames": [waits, MAIN]}
    works = {"name": "Dummy-1", "main": False, "frames": [MAKE]}
    records: list[dict[str, Any]] = [
        {
            "time": n,
            "rss": (100 + 10 * n) * MB,
            "threads": [reads, works] if n % 5 == 0 else [reads],
        }
        for n in range(40)
    ]

    assert ("make.py", 5) == named(records)
    assert ("train.py", 30) == named([{**record, "threads": [reads]} for record in records])


def test_a_very_deep_stack_is_not_walked_to_its_end() -> None:
    def deep(left: int) -> list[Any]:
        return frames_of(sys._getframe()) if left == 0 else deep(left - 1)

    def fail(left: int) -> None:
        if left == 0:
            raise LookupError
        fail(left - 1)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        found = deep(9_000)
        with pytest.raises(LookupError) as error:
            fail(9_000)
    finally:
        sys.setrecursionlimit(limit)

    assert {"deep"} == {function for _, _, function in found}
    way = frames_of_traceback(error.value.__traceback__)
    assert INNERMOST_FRAMES + OUTERMOST_FRAMES == len(way)
    assert ("fail", "test_a_very_deep_stack_is_not_walked_to_its_end") == (way[0][2], way[-1][2])


def test_the_caller_is_named_when_several_of_its_lines_did_it() -> None:
    records = [
        look(n, 100 + 10 * n, NUMPY, (MAKE, MAKE_TOO)[n % 2], APPEND, MAIN) for n in range(40)
    ]

    growth = growth_in(records, LINES)

    assert growth is not None
    assert ("train.py", 12) == (growth.place.file, growth.place.line)
    assert growth.innermost is not None and "make.py" == growth.innermost.file


def test_the_line_alone_is_named_when_it_did_it_all() -> None:
    records = [look(n, 100 + 10 * n, NUMPY, MAKE, APPEND, MAIN) for n in range(20)]

    assert ("make.py", 5) == named(records)


def test_a_line_with_half_of_the_growth_is_named_with_its_share() -> None:
    lines = [APPEND] * 7 + [[MAIN[0], n, "other"] for n in (40, 41, 42)]
    records = [look(0, 100, MAIN)]
    records += [look(n + 1, 110 + 10 * n, line) for n, line in enumerate(lines)]

    growth = growth_in(records, LINES)

    assert growth is not None
    assert (12, 0.7) == (growth.place.line, growth.share)


def test_growth_that_is_spread_over_many_lines_names_none() -> None:
    records = [look(n, 100 + 10 * n, [MAIN[0], n + 1, "f"]) for n in range(30)]

    assert named(records) is None


def test_the_thread_that_works_is_named_and_not_the_one_that_waits() -> None:
    records = [look(n, 100 + 10 * n, WAIT, MAIN, others=([NUMPY, APPEND],)) for n in range(20)]

    assert ("train.py", 12) == named(records)


def test_of_two_threads_that_work_the_main_one_is_named() -> None:
    records = [look(n, 100 + 10 * n, MAIN, others=([NUMPY, APPEND],)) for n in range(20)]

    assert ("train.py", 30) == named(records)


def test_a_recursion_counts_a_line_once() -> None:
    deep = bounded([tuple(APPEND)] * 500 + [tuple(MAIN)])  # type: ignore[list-item]
    records = [look(n, 100 + 10 * n, *map(list, deep)) for n in range(20)]

    growth = growth_in(records, LINES)

    assert INNERMOST_FRAMES + OUTERMOST_FRAMES == len(deep)
    assert growth is not None and (12, 1.0) == (growth.place.line, growth.share)


def test_without_own_code_nobody_is_named() -> None:
    assert named([look(n, 100 + 10 * n, NUMPY) for n in range(20)]) is None
    assert named([]) is None


damaged = st.fixed_dictionaries(
    {},
    optional={
        "rss": st.none() | st.integers(-5, 10**9) | st.text(max_size=3),
        "time": st.integers(0, 99),
        "same": st.booleans(),
        "threads": st.lists(
            st.none()
            | st.fixed_dictionaries(
                {}, optional={"main": st.booleans(), "frames": st.lists(st.sampled_from([MAIN, NUMPY, WAIT]))}
            ),
            max_size=3,
        ),
    },
)  # fmt: skip


@given(st.lists(damaged, max_size=8))
def test_readings_with_parts_missing_raise_nothing(records: list[dict[str, Any]]) -> None:
    growth_in(records, LINES)
    for record in records:
        stacks_at(record, LINES, None, 1)


# --- what faulthandler wrote

FOREIGN = """\
2026-01-01 12:00:00.000000: F tensorflow/core/framework/tensor_shape.cc:356] Check failed: size >= 0
Fatal Python error: Aborted

Thread 0x00007f8382073b80 (most recent call first):
  File "/opt/venv/lib/python3.11/site-packages/tensorflow/python/ops/gen_dataset_ops.py", line 3086 in iterator_get_next
  File "/home/user/project/train.py", line 30 in main
  File "/home/user/project/train.py", line 33 in <module>

Extension modules: numpy.core._multiarray_umath (total: 1)
"""
THREE_FOURTEEN = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f3c6a8b7740 [Thread-1 (load)] (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 538 in string_at
  File "/home/user/project/my file.py", line 3 in load

Thread 0x00007f3c6b8b7740 [python] (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1121 in join
  File "/home/user/project/train.py", line 30 in main

Current thread's C stack trace (most recent call first):
  Binary file "/usr/bin/python3.14", at _Py_DumpStack+0x34 [0x55a]
  Binary file "/lib/x86_64-linux-gnu/libc.so.6", at +0x42520 [0x7f3]
  <truncated rest of calls>

Extension modules: _ctypes (total: 1)
"""
NO_FRAME = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f3c6a8b7740 (most recent call first):
  <no Python frame>

Thread 0x00007f3c6b8b7740 (most recent call first):
  File "/home/user/project/train.py", line ??? in main
"""
DEEP = (
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n"
    + ('  File "/home/user/project/train.py", line 7 in again\n' * 100 + "  ...\n")
)


def test_a_crash_in_a_thread_of_tensorflow_is_seen_where_python_waits_for_it() -> None:
    crash = crash_in(FOREIGN, LINES, 5)

    assert crash is not None
    assert ("Aborted", False, 5) == (crash.headline, crash.crashing_is_python, crash.pid)
    stack = crash.stack_in("tensorflow")
    assert stack is not None and stack.main
    assert ("iterator_get_next", 30) == (stack.tensorflow_operation, stack.own.line)  # type: ignore[union-attr]


def test_the_words_of_python_3_14_with_names_and_native_stacks_are_read() -> None:
    crash = crash_in(THREE_FOURTEEN, LINES, 5)

    assert crash is not None and crash.crashing_is_python
    assert ["Thread-1 (load)", "python"] == [stack.thread for stack in crash.stacks]
    own = crash.stacks[0].own
    assert own is not None and ("my file.py", 3, "load") == (own.file, own.line, own.function)
    assert [2, 2] == [len(stack.frames) for stack in crash.stacks]
    assert [False, True] == [stack.main for stack in crash.stacks]


def test_a_crashing_thread_without_frames_is_not_pythons() -> None:
    crash = crash_in(NO_FRAME, LINES, 5)

    assert crash is not None and not crash.crashing_is_python
    assert 0 == crash.stacks[1].frames[0].line


def test_a_deep_recursion_keeps_the_frames_that_were_written() -> None:
    crash = crash_in(DEEP, LINES, 5)

    assert crash is not None
    assert 100 == len(crash.stacks[0].frames)


@pytest.mark.parametrize("text", ["", "Segmentation fault", "Timeout (0:00:05)!\nThread 0x01:\n"])
def test_without_last_words_there_is_no_crash(text: str) -> None:
    assert crash_in(text, LINES, 5) is None


@pytest.mark.parametrize("text", [FOREIGN, THREE_FOURTEEN, NO_FRAME, DEEP[:600]])
def test_last_words_cut_at_any_letter_raise_nothing(text: str) -> None:
    for cut in range(len(text)):
        crash_in(text[:cut], LINES, 5)


@given(st.text(alphabet='Fatl Pyhoner:CudT0x1()[]\n"\\/.<>?,', max_size=200))
def test_any_words_after_a_fatal_error_raise_nothing(text: str) -> None:
    assert crash_in(f"Fatal Python error: x\n\n{text}", LINES, 5) is not None


@pytest.mark.death
@pytest.mark.parametrize("version", pythons())
@pytest.mark.parametrize("way", ["plain", "collecting", "thread"])
def test_the_last_words_of_every_python_are_read(version: str, way: str) -> None:
    script = PROGRAMS / "crashes.py"
    dead = subprocess.run(
        [pythons()[version], "-X", "faulthandler", "-c", NO_CORE, str(script), way],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert -11 == dead.returncode, dead.stderr

    crash = crash_in(dead.stderr, SourceLines(str(PROGRAMS)), 5)

    assert crash is not None
    assert ("Segmentation fault", True) == (crash.headline, crash.crashing_is_python)
    first = crash.stacks[0]
    assert first.own is not None
    assert ("crashes.py", 10, "crash", "ctypes.string_at(0)") == (
        first.own.file, first.own.line, first.own.function, first.own.code
    )  # fmt: skip
    functions = [[frame.function for frame in stack.frames] for stack in crash.stacks]
    assert any("wait_for_nothing" in names for names in functions[1:])
    (main,) = [stack for stack in crash.stacks if stack.main]
    assert "main" in [frame.function for frame in main.frames]
    assert ("thread" == way) == (main is not first)


#: Run a file without leaving a core file behind.
NO_CORE = (
    "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_CORE, (0, 0));"
    " sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
)
