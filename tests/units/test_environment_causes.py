"""The words of many libraries for the same want: made in memory, pasted from what they really say."""

from __future__ import annotations

import errno
from dataclasses import replace

import pytest

from made_evidence import PID, UNITS, ask, evidence
from outlive.coroner.examine import decide
from outlive.model.events import Crash, Origin, Program, Quit, Stack, Thrown
from outlive.model.evidence import Errors, Evidence, Run
from outlive.model.findings import Ending, EndingKind, Place
from outlive.model.surroundings_at_death import (
    Circumstances,
    Installation,
    Keeper,
    Library,
    OpenFiles,
    Package,
    Pile,
    Room,
    TaskGroup,
    Threads,
)

HERE = Place("train.py", 12, "main", "run()")
OPENED = Place("train.py", 7, "main", "f = open(name)")
IN_THREADING = Place("/usr/lib/python3.11/threading.py", 964, "start", own=False)
GPU_OOM = (
    "OOM when allocating tensor with shape[64,112,112,64] and type float on /job:localhost/replica:0/task:0/device:GPU:0 "
    "by allocator GPU_0_bfc [Op:Conv2D]"
)


def thrown(kind: str, message: str, *bases: str, **known: object) -> Thrown:
    known.setdefault("frames", (HERE,))
    return Thrown(kind, message, pid=PID, bases=bases, **known)  # type: ignore[arg-type]


def died_of(error: Thrown, around: Circumstances | None = None, log: str = "") -> Evidence:
    view = evidence(1, thrown=(error,), log=log, circumstances=around or Circumstances())
    return Evidence(
        Run(Ending(EndingKind.EXCEPTION, exit_code=1), view.run.program, log=log),
        errors=Errors(thrown=view.errors.thrown),
        circumstances=view.circumstances,
    )


def cause_of(view: Evidence) -> tuple[str, str]:
    found = decide("run", view, tuple(UNITS.values())).cause
    assert found is not None
    return found.slug, found.confidence.name


SAID = [
    ("gpu-memory-exhausted", "PROVEN", thrown("tensorflow.ResourceExhaustedError", GPU_OOM)),
    ("gpu-memory-exhausted", "PROVEN", thrown("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 7.79 GiB total)", "RuntimeError")),
    ("gpu-memory-exhausted", "PROVEN", thrown("tensorflow.InternalError", "CUDA runtime implicit initialization on GPU:0 failed. Status: out of memory")),
    ("gpu-memory-exhausted", "LIKELY", thrown("tensorflow.InternalError", "Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED")),
    ("numpy-abi-mismatch", "PROVEN", thrown("ValueError", "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject")),
    ("numpy-abi-mismatch", "PROVEN", thrown("ValueError", "numpy.ndarray size changed, may indicate binary incompatibility. Expected 88 from C header, got 80 from PyObject")),
    ("numpy-abi-mismatch", "PROVEN", thrown("ImportError", "numpy.core.multiarray failed to import")),
    ("numpy-abi-mismatch", "PROVEN", thrown("ImportError", "numpy._core.multiarray failed to import (auto-generated because you didn't call 'numpy.import_array()' after cimporting numpy; use '<void>numpy._import_array' to disable if you are certain you don't need it).")),
    ("numpy-abi-mismatch", "PROVEN", thrown("RuntimeError", "module compiled against API version 0x10 but this version of numpy is 0xe")),
    ("numpy-abi-mismatch", "PROVEN", thrown("AttributeError", "_ARRAY_API not found")),
    ("numpy-abi-mismatch", "LIKELY", thrown("ImportError", "\n\nIMPORTANT: PLEASE READ THIS FOR ADVICE ON HOW TO SOLVE THIS ISSUE!\n\nImporting the numpy C-extensions failed. This error can happen for\nmany reasons\n\nOriginal error was: No module named 'numpy.core._multiarray_umath'")),
    ("protobuf-mismatch", "PROVEN", thrown("TypeError", "Descriptors cannot not be created directly.\nIf this call came from a _pb2.py file, your generated code is out of date")),
    ("protobuf-mismatch", "PROVEN", thrown("google.protobuf.runtime_version.VersionError", "Detected mismatched Protobuf Gencode/Runtime major versions when loading x.proto: gencode 4.25.3 runtime 6.31.1. Same major version is required.")),
    ("protobuf-mismatch", "LIKELY", thrown("ImportError", "cannot import name 'builder' from 'google.protobuf.internal' (/v/site-packages/google/protobuf/internal/__init__.py)")),
    ("protobuf-mismatch", "LIKELY", thrown("ImportError", "cannot import name 'runtime_version' from 'google.protobuf' (/v/google/protobuf/__init__.py)")),
    ("protobuf-mismatch", "LIKELY", thrown("AttributeError", "'MessageFactory' object has no attribute 'GetPrototype'")),
    ("shared-library-missing", "PROVEN", thrown("ImportError", "libcudart.so.12: cannot open shared object file: No such file or directory")),
    ("shared-library-missing", "PROVEN", thrown("ImportError", "libGL.so.1: cannot open shared object file: No such file or directory")),
    ("shared-library-missing", "PROVEN", thrown("ImportError", "/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /v/site-packages/x/_y.so)")),
    ("shared-library-missing", "PROVEN", thrown("tensorflow.NotFoundError", "./ops.so: undefined symbol: _ZN10tensorflow8OpKernel11TraceStringE")),
    ("shared-library-missing", "PROVEN", thrown("ImportError", "/v/site-packages/sklearn/libgomp-d22c30c5.so.1.0.0: cannot allocate memory in static TLS block")),
    ("shared-library-missing", "PROVEN", thrown("OSError", "./libfast.so: wrong ELF class: ELFCLASS32")),
    ("shared-library-missing", "PROVEN", thrown("ImportError", "Traceback (most recent call last):\n  File \"x.py\", line 3\nImportError: libcublas.so.12: cannot open shared object file: No such file or directory\n\nFailed to load the native TensorFlow runtime.")),
    ("disk-full", "LIKELY", thrown("OSError", "[Errno 28] No space left on device", errno=errno.ENOSPC)),
    ("disk-full", "PROVEN", thrown("OSError", "[Errno 122] Disk quota exceeded: 'a'", errno=errno.EDQUOT)),
    ("disk-full", "LIKELY", thrown("sqlite3.OperationalError", "database or disk is full")),
    ("disk-full", "LIKELY", thrown("OSError", "Can't write data (file write failed: time = Mon Jan  1, filename = 'a.h5', file descriptor = 5, errno = 28, error message = 'No space left on device')")),
    ("too-many-open-files", "LIKELY", thrown("OSError", "[Errno 24] Too many open files: 'a'", errno=errno.EMFILE)),
    ("too-many-open-files", "LIKELY", thrown("tensorflow.ResourceExhaustedError", "part-097.tfrecord; Too many open files [Op:IteratorGetNext]")),
    ("too-many-threads", "LIKELY", thrown("RuntimeError", "can't start new thread")),
    ("too-many-threads", "LIKELY", thrown("tensorflow.InternalError", "Thread tf_data_private_threadpool creation via pthread_create() failed.")),
    ("too-many-threads", "LIKELY", thrown("BlockingIOError", "[Errno 11] Resource temporarily unavailable", errno=errno.EAGAIN, frames=(Place("/usr/lib/python3.11/subprocess.py", 1, "_execute_child", own=False), HERE))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("slug", "sure", "error"),
    SAID,
    ids=[f"{slug}-{error.message[:30]!r}" for slug, _, error in SAID],
)
def test_the_words_of_a_library_lead_to_the_cause(slug: str, sure: str, error: Thrown) -> None:
    view = died_of(error)

    assert (slug, sure) == cause_of(view)
    (finding,) = ask(slug, view)
    assert HERE == finding.where
    assert finding.remedies and finding.because


#: Alike in words or number, and something else.
OTHERS = [
    thrown("OSError", "[Errno 30] Read-only file system: 'a'", errno=errno.EROFS),
    thrown("OSError", "[Errno 28] inotify watch limit reached", errno=errno.ENOSPC),
    thrown("OSError", "[Errno 27] File too large", errno=errno.EFBIG),
    thrown("OSError", "100 requested and 3 written"),
    thrown("BlockingIOError", "[Errno 11] Resource temporarily unavailable", errno=errno.EAGAIN),
    thrown("ModuleNotFoundError", "No module named 'numpy'", "ImportError"),
    thrown("ModuleNotFoundError", "No module named 'google'", "ImportError"),
    thrown("ImportError", "cannot import name 'Adam' from 'keras.optimizers'"),
    thrown("AttributeError", "module 'numpy' has no attribute 'float'"),
    thrown("ValueError", "the picture has no space left for a label"),
    thrown("FileNotFoundError", "[Errno 2] No such file or directory: 'weights.so'", "OSError", errno=errno.ENOENT),
    thrown("RuntimeError", "too many values to unpack"),
]  # fmt: skip


@pytest.mark.parametrize("error", OTHERS, ids=[error.message[:40] for error in OTHERS])
def test_an_error_that_is_alike_is_no_such_cause(error: Thrown) -> None:
    causes = {slug for slug, _, _ in SAID}

    found = {finding.slug for finding in decide("run", died_of(error), tuple(UNITS.values())).findings}  # fmt: skip

    assert not found & causes


IN_TENSORBOARD = Place("/v/site-packages/tensorboard/compat/x.py", 3, "make", own=False)
GENERATED = Place("/v/site-packages/labels/map_pb2.py", 9, "<module>", own=False)


@pytest.mark.parametrize(
    ("message", "frames", "words"),
    [
        ("'MessageFactory' object has no attribute 'GetPrototype'", (IN_TENSORBOARD, HERE), "tensorboard uses features"),
        ("", (GENERATED, HERE), "map_pb2.py of labels uses features"),
        ("Couldn't build proto file into descriptor pool: duplicate symbol 'A'", (GENERATED, HERE), "already defines"),
        ("cannot import name 'builder' from 'google.protobuf.internal' (x)", (GENERATED, HERE), "newer protobuf"),
    ],
    ids=["a function that is gone", "no words", "defined twice", "newer code"],
)  # fmt: skip
def test_whose_protobuf_code_does_not_fit_is_told(
    message: str, frames: tuple[Place, ...], words: str
) -> None:
    kind = "ImportError" if "import" in message else "AttributeError" if "attribute" in message else "TypeError"  # fmt: skip

    (finding,) = ask("protobuf-mismatch", died_of(thrown(kind, message, frames=frames)))

    assert words in finding.says
    assert HERE == finding.where


def test_gpu_memory_exhausted_names_the_tensor_and_the_card() -> None:
    (finding,) = ask("gpu-memory-exhausted", died_of(thrown("ResourceExhaustedError", GPU_OOM)))

    assert "[64,112,112,64]" in finding.says and "GPU 0" in finding.says


def test_memory_of_the_machine_is_not_that_of_a_card() -> None:
    text = GPU_OOM.replace("GPU:0", "CPU:0").replace("GPU_0_bfc", "cpu")

    assert [] == ask("gpu-memory-exhausted", died_of(thrown("ResourceExhaustedError", text)))


@pytest.mark.parametrize(
    ("slug", "log"),
    [
        ("too-many-threads", "F0000 env.cc:1] Check failed: ret == 0 (11 vs. 0)Thread tf_data_map creation via pthread_create() failed."),
        ("too-many-threads", "terminate called after throwing an instance of 'std::system_error'\n  what():  Resource temporarily unavailable"),
        ("protobuf-mismatch", "[libprotobuf FATAL google/protobuf/stubs/common.cc:83] This program was compiled against version 3.9.2 of the Protocol Buffer runtime library, which is not compatible with the installed version (3.19.6)."),
    ],
)  # fmt: skip
def test_an_abort_is_known_by_its_last_words(slug: str, log: str) -> None:
    view = evidence("SIGABRT", log=log)

    assert (slug, "LIKELY") == cause_of(view)


def test_the_same_words_before_another_end_prove_nothing() -> None:
    log = "Thread tf_data_map creation via pthread_create() failed."

    assert [] == ask("too-many-threads", evidence("SIGKILL", log=log))
    assert [] == ask("too-many-threads", evidence(0, log=log))


def test_a_library_that_interrupts_the_program_for_want_of_threads_is_no_ctrl_c() -> None:
    error = thrown("KeyboardInterrupt", "", "BaseException")
    log = "OpenBLAS blas_thread_init: pthread_create failed for thread 3 of 4: Resource temporarily unavailable"

    assert ("too-many-threads", "LIKELY") == cause_of(died_of(error, log=log))


def test_the_control_group_that_refused_a_thread_proves_it() -> None:
    around = Circumstances(
        threads=Threads(38, 36, None, running=((HERE, 36),)),
        task_groups=(TaskGroup("/sys/fs/cgroup/pids/job", 40, 38, 1),),
    )

    (finding,) = ask("too-many-threads", died_of(thrown("RuntimeError", "can't start new thread"), around))  # fmt: skip

    assert "PROVEN" == finding.confidence.name
    assert "allows 40" in finding.says and "36 of them run main" in finding.says


def test_a_thread_whose_stack_does_not_fit_met_another_limit() -> None:
    limit = 2 * 10**9
    error = thrown("RuntimeError", "can't start new thread")
    full = Threads(12, 10, None, address_limit=limit, mapped_bytes=limit - 10**7)
    roomy = Threads(12, 10, None, address_limit=limit, mapped_bytes=limit // 2)

    assert [] == ask("too-many-threads", died_of(error, Circumstances(threads=full)))
    assert 1 == len(ask("too-many-threads", died_of(error, Circumstances(threads=roomy))))


@pytest.mark.parametrize(
    ("file", "where"),
    [("/data/a/17.rec", HERE), ("/home/u/progress.txt", OPENED), ("", OPENED)],
    ids=["one more of them", "something else", "nothing named"],
)
def test_the_line_that_opened_the_files_is_named(file: str, where: Place) -> None:
    around = Circumstances(
        files=OpenFiles(
            64, 64, 64, (("/data/a/*.rec", 50), ("pipe", 4)),
            (Keeper("self.index", 50, "_io.BufferedReader", OPENED), Keeper("names", 900, "Name")),
        )
    )  # fmt: skip
    error = thrown("OSError", "[Errno 24] Too many open files", errno=errno.EMFILE, file=file)

    (finding,) = ask("too-many-open-files", died_of(error, around))

    assert (where, "PROVEN") == (finding.where, finding.confidence.name)
    assert "self.index holds 50" in finding.says


def test_the_table_of_the_whole_machine_is_another_thing() -> None:
    error = thrown("OSError", "[Errno 23] Too many open files in system", errno=errno.ENFILE)

    (finding,) = ask("too-many-open-files", died_of(error, Circumstances(machine_files=(99, 100))))

    assert "The machine has reached" in finding.says and "99 of 100" in finding.says


FULL = Room("/out/a", "/out", "ext4", 10, 10**9, 100, "named", (Pile("/out/c-*", 4, 9 * 10**8),))
ROOMY = Room("/", "/", "ext4", 10**9, 10**10, 100, "in hand")


@pytest.mark.parametrize(
    ("rooms", "sure", "words"),
    [
        ((FULL,), "PROVEN", "4 files /out/c-* take 900 MB"),
        ((ROOMY, FULL), "PROVEN", "/out"),
        ((ROOMY,), "LIKELY", "1.0 GB are free since the program ended"),
        ((), "LIKELY", "its disk was full"),
    ],
    ids=["named", "beside another", "has room by now", "nothing known"],
)
def test_the_file_system_decides_how_sure_it_is(rooms: tuple[Room, ...], sure: str, words: str) -> None:  # fmt: skip
    error = thrown("OSError", "[Errno 28] No space left on device", errno=errno.ENOSPC)

    (finding,) = ask("disk-full", died_of(error, Circumstances(rooms=rooms)))

    assert sure == finding.confidence.name
    assert words in finding.says


def test_a_library_that_lies_elsewhere_is_pointed_to() -> None:
    around = Circumstances(
        libraries=(Library("fast.so", ("libcudart.so.12", "libc.so.6")),),
        found={"libcudart.so.12": "/v/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"},
    )
    error = thrown("ImportError", "libcudart.so.12: cannot open shared object file: No such file")

    (finding,) = ask("shared-library-missing", died_of(error, around))

    assert "fast.so needs libcudart.so.12" in finding.says
    assert "/v/site-packages/nvidia/cuda_runtime/lib:" in finding.remedies[0].commands[0]


@pytest.mark.parametrize(
    ("installation", "command"),
    [
        (Installation("/v", "/v/bin/python", "venv"), '/v/bin/python -m pip install "numpy<2"'),
        (Installation("/v", "/v/bin/python", "uv"), 'uv pip install --python /v/bin/python "numpy<2"'),
        (Installation("/c", "/c/bin/python", "conda"), 'conda install -p /c "numpy<2"'),
        (Installation("/v", "/v/bin/python", "uv", True), 'uv add "numpy<2"'),
        (Installation("/c", "/c/bin/python", "conda", packages={"numpy": Package("numpy", "2.1", "pip")}), '/c/bin/python -m pip install "numpy<2"'),
        (Installation("/v", "/v/bin/python", "venv", packages={"numpy": Package("numpy", "2.1", "uv")}), 'uv pip install --python /v/bin/python "numpy<2"'),
        (Installation(), 'python -m pip install "numpy<2"'),
    ],
    ids=["pip", "uv", "conda", "uv project", "pip in conda", "uv in a venv", "nothing known"],
)  # fmt: skip
def test_the_command_is_for_the_tool_that_manages_the_package(installation: Installation, command: str) -> None:  # fmt: skip
    error = thrown("ImportError", "numpy.core.multiarray failed to import")

    (finding,) = ask("numpy-abi-mismatch", died_of(error, Circumstances(installation=installation)))

    assert command in [word for remedy in finding.remedies for word in remedy.commands]


def test_a_crash_after_the_warning_of_numpy_is_put_down_to_it_during_an_import() -> None:
    log = (
        "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.4.6 as it may crash."
    )
    importing = Place("<frozen importlib._bootstrap>", 1, "_call_with_frames_removed", own=False)
    at_import, later = (
        evidence("SIGSEGV", log=log, report=Crash("Segmentation fault", (Stack("0x1", frames),)))
        for frames in ((importing, HERE), (HERE,))
    )

    assert "LIKELY" == ask("numpy-abi-mismatch", at_import)[0].confidence.name
    assert "POSSIBLE" == ask("numpy-abi-mismatch", later)[0].confidence.name


@pytest.mark.parametrize(
    ("symbol", "owner"),
    [
        ("_ZN10tensorflow8OpKernel11TraceStringERKNS_15OpKernelContextEb", "TensorFlow"),
        ("_ZN3c106detail14torchCheckFailEPKcS2_jS2_", "PyTorch"),
        ("PyUnicode_AsUTF8", "Python"),
        ("my_old_function", "a library"),
    ],
)
def test_whose_symbol_is_missing_is_told(symbol: str, owner: str) -> None:
    error = thrown("tensorflow.NotFoundError", f"./ops.so: undefined symbol: {symbol}")

    (finding,) = ask("shared-library-missing", died_of(error))

    assert f"another release of {owner}" in finding.says


@pytest.mark.parametrize(
    ("point", "slug"), [("/dev/shm", "shared-memory-full"), ("/tmp", "disk-full")]
)
def test_a_write_that_is_refused_in_shared_memory_is_told_as_that(point: str, slug: str) -> None:
    error = thrown("OSError", "[Errno 28] No space left on device", errno=errno.ENOSPC)
    room = replace(FULL, path=f"{point}/a", point=point, kind="tmpfs")

    assert (slug, "PROVEN") == cause_of(died_of(error, Circumstances(rooms=(room,))))


def test_an_exit_while_the_error_is_handled_is_for_its_sake() -> None:
    error = thrown("OSError", "[Errno 28] No space left on device", errno=errno.ENOSPC)
    view = evidence(3, quits=(Quit("sys.exit", 3, (HERE,), PID, handling=error),))

    assert ("disk-full", "LIKELY") == cause_of(view)


def test_an_error_of_a_thread_before_another_end_is_not_the_reason() -> None:
    full = thrown("OSError", "[Errno 28] No space left", errno=errno.ENOSPC, origin=Origin.THREAD)
    view = evidence(1, thrown=(full, thrown("KeyError", "'a'")))

    assert [] == ask("disk-full", view)


@pytest.mark.parametrize(("seen", "found"), [(True, 0), (False, 1)])
def test_an_error_in_the_background_that_was_asked_for_is_not_the_reason_of_an_exit(
    seen: bool, found: int
) -> None:
    full = thrown("OSError", "No space left", errno=errno.ENOSPC, origin=Origin.FUTURE, seen=seen)
    view = evidence(3, thrown=(full,), quits=(Quit("sys.exit", 3, (HERE,), PID),))

    assert found == len(ask("disk-full", view))


def test_a_healthy_run_gets_nothing_whatever_it_prints() -> None:
    log = "\n".join(error.message for _, _, error in SAID)
    full = thrown("OSError", "[Errno 28] No space left", errno=errno.ENOSPC, origin=Origin.FUTURE)

    verdict = decide("run", evidence(0, log=log), tuple(UNITS.values()))

    assert () == verdict.findings
    assert [] == ask("disk-full", evidence(0, thrown=(full,), log=log))


def test_a_program_that_the_loader_cannot_start() -> None:
    log = "./tool: error while loading shared libraries: libhdf5.so.103: cannot open shared object file: No such file"
    view = evidence(127, log=log, program=Program(pid=PID, own_pids=frozenset({PID})))

    assert ("shared-library-missing", "PROVEN") == cause_of(view)


def test_what_could_not_be_flushed_at_the_end_met_a_full_disk() -> None:
    log = "Exception ignored in: <_io.TextIOWrapper name='<stdout>'>\nOSError: [Errno 28] No space left on device"

    assert ("disk-full", "LIKELY") == cause_of(evidence(120, log=log))
    assert [] == ask("disk-full", evidence(2, log=log))
