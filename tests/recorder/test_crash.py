"""What is read from the raw words of a crash: frames, names, addresses, instructions. The crashes are real."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.coroner.gather.linux_faults import fault_in
from outlive.model.crash import FaultAddress, NativeFrame, Site
from outlive.recorder.crash.crash_site import site_of
from outlive.recorder.crash.demangling import demangled, short
from outlive.recorder.crash.eh_frame import NoRule, rules_at
from outlive.recorder.crash.instructions import Instruction, decode, lacks
from outlive.recorder.crash.mappings import Mappings
from outlive.recorder.crash.shim_file import CrashWords
from outlive.recorder.crash.symbols import SymbolFile
from outlive.recorder.sampler import has_own_pid_namespace
from tests.inside.test_shim import Ended, both_ways, compile_helper, library, victim

__all__ = ["library"]  # a fixture


def site_at(ended: Ended) -> dict:
    (words,) = ended.seen.crashes
    (seen,) = (one for one in ended.seen.signals if one.sequence == words.sequence)
    return site_of(seen, words)


def crash(kind: str, shim: Path, tmp_path: Path) -> dict:
    with victim("crash.py", kind, "none", library=shim, data=tmp_path / "data") as running:
        return site_at(running.finish())


def functions(site: dict) -> list[str]:
    return [name for _, _, name in site["frames"]]


# Real crashes.


def test_the_frames_lead_from_the_fault_through_the_interpreter_to_the_beginning(
    library: Path, tmp_path: Path
) -> None:
    site = crash("segv", library, tmp_path)

    names = functions(site)
    assert "_PyEval_EvalFrameDefault" in names
    assert names.index("_PyEval_EvalFrameDefault") > 0
    assert any("main" in name for name in names[-6:]), names
    assert {"kind": "null", "address": 0, "execution": False} == site["fault"]
    assert site["main_thread"]


def test_a_thread_without_a_stack_for_signals_has_its_frames(library: Path, tmp_path: Path) -> None:
    site = crash("segv_in_thread", library, tmp_path)

    assert not site["main_thread"]
    assert "_PyEval_EvalFrameDefault" in functions(site)
    assert "null" == site["fault"]["kind"]


def test_an_abort_shows_who_called_it(library: Path, tmp_path: Path) -> None:
    names = functions(crash("bad_free", library, tmp_path))

    assert "abort" in names[:5]
    assert "ffi_call" in names


def test_a_shortened_file_is_told_by_name(library: Path, tmp_path: Path) -> None:
    site = crash("bus", library, tmp_path)

    assert "file" == site["fault"]["kind"]
    assert site["fault"]["file_offset"] == 0


def test_a_stack_that_is_used_up_in_a_native_thread_is_seen(library: Path, tmp_path: Path) -> None:
    made = compile_helper("deep.c", tmp_path / "deep.so", "-O0", "-fno-optimize-sibling-calls")
    arguments = (str(made), "1000000")

    with_it, without_it = both_ways(
        "used_up_stack.py", *arguments, library=library, tmp_path=tmp_path
    )

    assert with_it.status == without_it.status == -signal.SIGSEGV
    site = site_at(with_it)
    assert "stack-end" == site["fault"]["kind"]
    assert 256 * 1024 == site["fault"]["stack"] == site["thread_stack"]
    assert "deeper_and_deeper" == functions(site)[0]
    assert site["repeats"] > 50


def test_a_deep_native_call_that_fits_is_left_alone(library: Path, tmp_path: Path) -> None:
    made = compile_helper("deep.c", tmp_path / "deep.so", "-O0", "-fno-optimize-sibling-calls")
    arguments = (str(made), "100")

    with_it, without_it = both_ways(
        "used_up_stack.py", *arguments, library=library, tmp_path=tmp_path
    )

    assert with_it.same_as(without_it)
    assert 0 == with_it.status


def test_threads_end_as_they_would_have(library: Path, tmp_path: Path) -> None:
    with_it, without_it = both_ways("thread_kinds.py", library=library, tmp_path=tmp_path)

    assert with_it.same_as(without_it), (with_it.stderr, without_it.stderr)
    assert 0 == with_it.status


def test_what_a_fault_handler_writes_elsewhere_is_kept_and_nothing_else_of_that_file(
    library: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told"

    with victim(
        "other_fault_file.py", str(told), library=library, data=tmp_path / "data"
    ) as running:
        ended = running.finish()

    assert ended.status == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in ended.seen.last_words
    assert told.read_text().endswith(ended.seen.last_words)
    assert "nothing of this" not in ended.seen.last_words
    assert b"" == ended.stderr == ended.seen.stderr_tail


def test_a_crash_after_the_end_of_python_is_seen(library: Path, tmp_path: Path) -> None:
    with_it, without_it = both_ways("crashes_at_exit.py", library=library, tmp_path=tmp_path)

    assert with_it.same_as(without_it)
    assert (-signal.SIGSEGV, b"done\n") == (with_it.status, with_it.stdout)
    assert "null" == site_at(with_it)["fault"]["kind"]


def test_a_handled_fault_is_recorded_and_the_program_goes_on(library: Path, tmp_path: Path) -> None:
    """SIGSEGV handlers that recover are how some runtimes work."""
    made = compile_helper("recovers.c", tmp_path / "recovers.so")
    with_it, without_it = both_ways("recovers.py", str(made), library=library, tmp_path=tmp_path)

    assert with_it.same_as(without_it)
    assert (0, b"300\n") == (with_it.status, with_it.stdout)
    assert 300 == with_it.seen.counts[signal.SIGSEGV]


def test_words_that_make_no_sense_cost_nothing_but_themselves(
    library: Path, tmp_path: Path
) -> None:
    with victim("crash.py", "segv", "none", library=library, data=tmp_path / "data") as running:
        ended = running.finish()
    (words,) = ended.seen.crashes
    (seen,) = ended.seen.signals
    chance = random.Random(3)
    for _ in range(200):
        registers = tuple(
            value if chance.random() < 0.7 else chance.getrandbits(64) for value in words.registers
        )
        stack = bytearray(words.stack)
        for _ in range(50):
            stack[chance.randrange(len(stack))] = chance.randrange(256)
        garbled = CrashWords(
            **{name: getattr(words, name) for name in CrashWords.__slots__}
            | {"registers": registers, "stack": bytes(stack)}
        )

        assert site_of.__wrapped__(seen, garbled)["frames"]


# Mappings.

MAPS = Mappings(
    """\
55d0c0000000-55d0c0001000 r--p 00000000 08:01 11                         /usr/bin/python3
55d0c0001000-55d0c0200000 r-xp 00001000 08:01 11                         /usr/bin/python3
7f0000000000-7f0000001000 ---p 00000000 00:00 0
7f0000001000-7f0000011000 rw-p 00000000 00:00 0
7f1000000000-7f1000004000 rw-s 00002000 00:2e 42                         /data/my file.bin (deleted)
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
"""
)


@pytest.mark.parametrize(
    ("address", "stack"),
    [
        (0x7F0000000FF0, 0x7F0000001000),  # in the guard of a thread's stack
        (0x7F0000001FF0, None),  # on that stack
        (0x7FFBFFFFFFF0, 0x7FFC00000000),  # below the main thread's stack
        (0x7FFB00000000, None),  # far below it
        (0x55D0C0001000, None),
        (0, None),
    ],
)
def test_the_end_of_a_stack_is_told_from_other_places(address: int, stack: int | None) -> None:
    found = MAPS.stack_above(address)

    assert stack == (found.start if found else None)


def test_a_mapping_knows_its_file() -> None:
    mapping = MAPS.at(0x7F1000000010)

    assert mapping is not None
    assert ("/data/my file.bin", True, 0x2010) == (
        mapping.file,
        mapping.deleted,
        mapping.file_offset(0x7F1000000010),
    )


# Instructions.


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("0f0b", Instruction(trap="ud2")),
        ("62f17c4858c0", Instruction("AVX-512")),  # vaddps zmm
        ("c5fc58c1", Instruction("AVX")),  # vaddps ymm
        ("c5f5fec2", Instruction("AVX2")),  # vpaddd ymm
        ("c5f1fec2", Instruction("AVX")),  # vpaddd xmm
        ("c4e27d58c0", Instruction("AVX2")),  # vpbroadcastd
        ("c4e275b8c2", Instruction("FMA")),  # vfmadd231ps
        ("c4e37168c230", Instruction("FMA4")),  # vfmaddps
        ("c4e27d13c0", Instruction("F16C")),  # vcvtph2ps
        ("c4e2f8f3c8", Instruction("BMI1")),  # blsr
        ("c4e2fbf6c1", Instruction("BMI2")),  # mulx
        ("c4e27bf7c1", Instruction("BMI2")),  # shrx
        ("c4e27549c0", Instruction("AMX")),
        ("8fe97880c0", Instruction("XOP")),
        ("660f3800c1", Instruction("SSSE3")),  # pshufb
        ("660f3a0cc100", Instruction("SSE4.1")),  # blendps
        ("f20f38f0c1", Instruction("SSE4.2")),  # crc32
        ("66480f38dcc1", Instruction("AES")),
        ("f3480fb8c1", Instruction("POPCNT")),
        ("4889e5", Instruction()),
        ("", Instruction()),
    ],
)
def test_an_instruction_belongs_to_a_set(code: str, expected: Instruction) -> None:
    assert expected == decode(bytes.fromhex(code))


def test_what_a_cpu_lacks_is_known_only_from_its_list() -> None:
    avx512 = Instruction("AVX-512")

    assert lacks(avx512, {"avx", "avx2"}) is True
    assert lacks(avx512, {"avx512f"}) is False
    assert lacks(avx512, ()) is None
    assert lacks(Instruction(), {"avx"}) is None


@pytest.mark.parametrize("code", ["00000000", "0100a0e3"])
def test_an_undefined_instruction_of_arm64_is_a_trap(code: str) -> None:
    expected = Instruction(trap="udf") if code == "00000000" else decode(bytes.fromhex(code), 183)

    assert expected == decode(bytes.fromhex(code), 183)


# Names.


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("_ZN10tensorflow6CropOpIfE7ComputeEPNS_15OpKernelContextE", "tensorflow::CropOp::Compute"),
        ("_ZNSt6vectorIiSaIiEEixEm", "std::vector::operator[]"),
        ("strlen", "strlen"),
        ("_Znwm", "operator new"),
        ("_ZN4absl12lts_2023080213InlinedVectorINS_11string_viewELm4EE4sizeEv", "absl::lts_20230802::InlinedVector::size"),
        ("_Z", "_Z"),
    ],
)  # fmt: skip
def test_names_are_shown_without_arguments_and_templates(symbol: str, expected: str) -> None:
    assert expected == short(demangled(symbol))


def test_symbols_and_rules_of_an_object_are_found(tmp_path: Path) -> None:
    made = compile_helper("deep.c", tmp_path / "deep.so", "-O0")
    listed = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout
    table = {
        words[2]: int(words[0], 16)
        for line in listed.splitlines()
        if len(words := line.split()) == 3
    }
    elf = SymbolFile(str(made))

    for name in ("deeper_and_deeper", "begin", "in_a_thread"):
        assert name == elf.symbol_of(table[name] + 5, None)
        assert name == elf.symbol_of(table[name] + 5, table[name])
        assert table[name] == rules_at(elf, table[name] + 5).begin
    with pytest.raises(NoRule):
        rules_at(elf, 0)


def test_an_object_that_is_damaged_is_no_trouble(tmp_path: Path) -> None:
    whole = compile_helper("deep.c", tmp_path / "deep.so", "-O0").read_bytes()
    chance = random.Random(5)
    path = tmp_path / "damaged.so"
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(30):
            damaged[chance.randrange(6, len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.randrange(64, len(damaged))])
        try:
            elf = SymbolFile(str(path))
        except ValueError:
            continue
        for address in range(0, 0x2000, 0x101):
            elf.symbol_of(address, address)
            try:
                rules_at(elf, address)
            except NoRule:
                pass
        elf.close()


# Words.


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (FaultAddress("null", 16), "0x10, a null pointer"),
        (FaultAddress("null", 0, execution=True), "0x0, a null pointer that was called"),
        (FaultAddress("stack-end", 4096, stack_bytes=64_000), "past the end of the thread's stack of 64.0 kB"),
        (FaultAddress("file", 4096, file="/d/x.bin", file_offset=8192, file_bytes=5000), "past the end of the mapped file x.bin"),
        (FaultAddress("file", 4096, file="/d/x.bin", file_offset=4096, file_bytes=5000, permissions="r--p"), "in the mapped file x.bin (r--p)"),
        (FaultAddress("unmapped", 4096), "where nothing is mapped"),
        (FaultAddress("no-address"), "not a valid address"),
    ],
)  # fmt: skip
def test_an_address_is_told_in_words(fault: FaultAddress, words: str) -> None:
    assert words in fault.words


TENSORFLOW = "/v/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2"
PYTHON = NativeFrame("/v/bin/python3.11", 1, "_PyEval_EvalFrameDefault")
LIBC = NativeFrame("/lib/libc.so.6", 1, "memcpy")
KERNEL = NativeFrame(
    TENSORFLOW, 1, "tensorflow::{unnamed}::CropOp::Compute::{lambda#1}::operator()"
)
DEVICE = NativeFrame(TENSORFLOW, 2, "tensorflow::ThreadPoolDevice::Compute")
EXTENSION = NativeFrame("/home/me/fast.so", 3, "resize")


def test_the_innermost_call_out_of_python_decides_whose_crash_it_is() -> None:
    assert True is Site((LIBC, KERNEL, DEVICE, PYTHON)).in_tensorflow
    assert False is Site((LIBC, EXTENSION, PYTHON, KERNEL, PYTHON)).in_tensorflow
    assert None is Site((LIBC, PYTHON, KERNEL)).in_tensorflow
    assert None is Site(()).in_tensorflow


def test_a_kernel_is_named_by_its_class_and_not_by_the_device_that_runs_it() -> None:
    assert "CropOp" == Site((LIBC, KERNEL, DEVICE)).kernel
    assert "" == Site((LIBC, DEVICE)).kernel


def test_the_top_is_the_code_that_led_there() -> None:
    assert "resize (fast.so)" == Site((LIBC, EXTENSION, PYTHON)).place
    assert "memcpy (libc.so.6)" == Site((LIBC,)).place
    assert "" == Site(()).place


def test_the_way_to_an_abort_begins_with_who_aborted() -> None:
    raised = NativeFrame("/lib/libc.so.6", 1)
    abort = NativeFrame("/lib/libc.so.6", 1, "abort")
    log = NativeFrame(TENSORFLOW, 1, "absl::lts_20250814::log_internal::LogMessage::Flush")
    site = Site((raised, abort, log, KERNEL, KERNEL, PYTHON))

    assert site.aborted
    assert f"abort (libc.so.6) ← {KERNEL} ← {PYTHON}" == site.words_for_frames()
    assert not Site((raised, PYTHON, abort)).aborted


def test_only_an_abort_that_python_called_is_its_own() -> None:
    raised, inner = NativeFrame("/lib/libc.so.6", 1), NativeFrame("/lib/libc.so.6", 2)
    abort = NativeFrame("/lib/libc.so.6", 1, "abort")
    python = NativeFrame("/usr/lib/libpython3.11.so.1.0", 1)

    assert Site((raised, abort, python)).aborted_by_python
    assert not Site((raised, abort, inner, python)).aborted_by_python, "malloc that found a fault"
    assert not Site((raised, abort, KERNEL, python)).aborted_by_python
    assert not Site((raised, python)).aborted_by_python


@pytest.mark.parametrize("name", ["libstdc++.so.6.0.30", "libc-2.31.so", "ld-linux-x86-64.so.2"])
def test_libraries_that_everybody_has_are_not_the_top(name: str) -> None:
    assert NativeFrame(f"/lib/{name}", 1).plumbing
    assert not NativeFrame("/lib/libcrypto.so", 1).plumbing


# The kernel's log.

INITIAL_NAMESPACE = not has_own_pid_namespace()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "python[3727]: segfault at 0 ip 00007efc6cf85ad8 sp 00007ffe7ae238c8 error 4 in libc.so.6[167ad8,7efc6ce44000+156000] likely on CPU 1 (core 1, socket 0)",
            (3727, "SIGSEGV", "libc.so.6+0x167ad8", "0x0, a null pointer"),
        ),
        (
            "train my model[12]: segfault at 7f0000001000 ip 00005581d0001139 sp 00007ffc0 error 6 in a.out[5581d0001000+1000]",
            (12, "SIGSEGV", "a.out+0x139", "0x7f0000001000"),
        ),
        (
            "app[9]: segfault at 0 ip 0000000000000000 sp 00007ffd0 error 14",
            (9, "SIGSEGV", "", "0x0, a null pointer that was called"),
        ),
        (
            "traps: python[88] general protection fault ip:7f01 sp:7ffd error:0 in libfoo.so[7f00+2000]",
            (88, "SIGSEGV", "libfoo.so+0x1", "not a valid address"),
        ),
        (
            "traps: python[88] trap invalid opcode ip:7f01 sp:7ffd error:0 in libfoo.so[7f00+2000]",
            (88, "SIGILL", "libfoo.so+0x1", None),
        ),
        (
            "traps: python[88] trap divide error ip:7f01 sp:7ffd error:0 in libfoo.so[7f00+2000]",
            (88, "SIGFPE", "libfoo.so+0x1", None),
        ),
        ("Out of memory: Killed process 9 (python)", None),
    ],
)  # fmt: skip
def test_a_fault_in_the_kernels_log_is_read(line: str, expected: tuple | None) -> None:
    found = fault_in(line)

    if expected is None or found is None:
        assert expected is found
        return
    pid, name, site = found
    pid_expected, name_expected, place, address = expected
    assert (pid_expected, name_expected, place) == (pid, name, site.place)
    assert (site.fault is None) if address is None else (address in site.fault.words)


def test_a_program_that_is_no_python_is_judged_by_the_kernels_log(
    outlive: Outlive, tmp_path: Path
) -> None:
    if not os.access("/dev/kmsg", os.R_OK) or not INITIAL_NAMESPACE:
        pytest.skip("the kernel log cannot be read here")
    made = tmp_path / "crasher"
    source = Path(__file__).parent.parent / "shim_programs" / "null_main.c"
    subprocess.run(["cc", "-o", made, source], check=True, timeout=60)

    done = outlive("run", str(made))

    assert done.status == -signal.SIGSEGV
    assert "user-native-crashed" in done.stderr
    assert "a null pointer" in done.stderr
