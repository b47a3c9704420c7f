"""Virtual environments that are really broken: the doctor says what Python then says itself."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import random
import sys
from pathlib import Path

import pytest

from broken_environments import (
    NUMPY_1_START,
    NUMPY_2_START,
    Environment,
    compile_c,
    make_environment,
    module_source,
)
from made_machines import ask
from outlive.data.formats.elf import NotElf, find_in, read_elf
from outlive.doctor.look.everything import look_around
from outlive.doctor.look.instructions import needs_of, sample
from outlive.doctor.look.loader import Loader, read_cache
from outlive.inside.machine.host import Host
from outlive.model.findings import Checked, State
from outlive.model.surroundings import Surroundings

FINE, UNKNOWN, WARNING, WILL_FAIL = State.FINE, State.UNKNOWN, State.WARNING, State.WILL_FAIL


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return make_environment(tmp_path / "env")


def look(
    environment: Environment, *, trials: bool = False, folder: str = "/", **variables: str
) -> Surroundings:
    return look_around(
        Host(),
        environment.python,
        folder,
        os.environ | variables,
        platform.machine(),
        trials=trials,
    )


def says(answer: Checked) -> str:
    return " ".join(finding.says for finding in answer.findings)


INSTALL = (
    "several-tensorflows", "numpy-abi-mixed", "generated-code-unfit", "shared-library-unresolved",
    "built-for-another-python", "object-detection-unready",
)  # fmt: skip


@pytest.mark.parametrize("slug", INSTALL)
def test_an_empty_environment_has_nothing_broken(slug: str, environment: Environment) -> None:
    assert FINE == ask(slug, look(environment)).state


def test_no_tensorflow_is_told_with_the_command_for_this_python(environment: Environment) -> None:
    answer = ask("tensorflow-missing", look(environment))

    assert WILL_FAIL == answer.state
    command = f'{environment.python} -m pip install "tensorflow"'
    assert command in answer.findings[0].remedies[0].commands


def test_the_command_is_that_of_the_tool_that_manages_the_environment(
    environment: Environment,
) -> None:
    settings = environment.folder / "pyvenv.cfg"
    settings.write_text(f"{settings.read_text()}uv = 0.9.1\n")

    answer = ask("tensorflow-missing", look(environment))

    command = f'uv pip install --python {environment.python} "tensorflow"'
    assert command in answer.findings[0].remedies[0].commands


# shared-library-unresolved


def library(
    folder: Path, name: str, source: str = "int there(void) { return 1; }", *options: str
) -> None:
    compile_c(source, folder / name, f"-Wl,-soname,{name}", *options)


def test_a_library_that_is_gone_is_missed_as_the_import_misses_it(
    environment: Environment, tmp_path: Path
) -> None:
    environment.metadata("colours", "1.0", f"colours/_fast{'.so'}")
    library(tmp_path, "libgone.so.3")
    environment.extension(
        "colours/_fast",
        module_source("_fast", "int there(void);", "there();"),
        str(tmp_path / "libgone.so.3"),
    )
    (tmp_path / "libgone.so.3").unlink()

    answer = ask("shared-library-unresolved", look(environment))

    assert "libgone.so.3" in environment.run("import colours._fast").stderr
    assert WARNING == answer.state
    assert "colours needs libgone.so.3" in says(answer)


def test_a_library_is_found_where_the_loader_finds_it(
    environment: Environment, tmp_path: Path
) -> None:
    """By RUNPATH, by RPATH with $ORIGIN, by LD_LIBRARY_PATH: and the import works."""
    places = {name: tmp_path / name for name in ("run", "here", "variable")}
    for name, place in places.items():
        place.mkdir()
        library(place, f"lib{name}.so")
    (environment.site / "beside.libs").mkdir()
    library(environment.site / "beside.libs", "libhere.so")
    source = "int there(void);"
    environment.extension(
        "by_run", module_source("by_run", source, "there();"), str(places["run"] / "librun.so"),
        f"-Wl,--enable-new-dtags,-rpath,{places['run']}",
    )  # fmt: skip
    environment.extension(
        "by_here", module_source("by_here", source, "there();"), str(places["here"] / "libhere.so"),
        "-Wl,--disable-new-dtags,-rpath,$ORIGIN/beside.libs",
    )  # fmt: skip
    environment.extension(
        "by_variable", module_source("by_variable", source, "there();"),
        str(places["variable"] / "libvariable.so"),
    )  # fmt: skip
    (places["here"] / "libhere.so").unlink()

    with_variable = ask(
        "shared-library-unresolved", look(environment, LD_LIBRARY_PATH=str(places["variable"]))
    )
    without = ask("shared-library-unresolved", look(environment))

    assert 0 == environment.run("import by_run, by_here").returncode
    assert FINE == with_variable.state, with_variable
    assert "libvariable.so" in says(without) and "librun" not in says(without)
    assert "libhere" not in says(without)


def test_a_library_of_an_older_version_is_told(environment: Environment, tmp_path: Path) -> None:
    script = tmp_path / "versions"
    script.write_text("V_1 { global: there; };\nV_2 { global: more; } V_1;\n")
    new = "int there(void) { return 1; } int more(void) { return 2; }"
    library(tmp_path, "libgrows.so", new, f"-Wl,--version-script={script}")
    environment.extension(
        "needs_new", module_source("needs_new", "int more(void);", "more();"),
        str(tmp_path / "libgrows.so"), f"-Wl,-rpath,{tmp_path}",
    )  # fmt: skip
    good = ask("shared-library-unresolved", look(environment))
    script.write_text("V_1 { global: there; more; };\n")
    library(tmp_path, "libgrows.so", new, f"-Wl,--version-script={script}")

    answer = ask("shared-library-unresolved", look(environment))

    assert FINE == good.state
    assert "V_2" in environment.run("import needs_new").stderr
    assert WARNING == answer.state
    assert "libgrows.so with V_2" in says(answer)


def test_what_is_missing_below_a_library_is_told(environment: Environment, tmp_path: Path) -> None:
    library(tmp_path, "libdeep.so")
    library(
        tmp_path, "libmiddle.so", "int there(void); int middle(void) { return there(); }", str(tmp_path / "libdeep.so")
    )  # fmt: skip
    environment.extension(
        "top", module_source("top", "int middle(void);", "middle();"),
        str(tmp_path / "libmiddle.so"), f"-Wl,-rpath,{tmp_path}", f"-Wl,-rpath-link,{tmp_path}",
    )  # fmt: skip
    (tmp_path / "libdeep.so").unlink()

    answer = ask("shared-library-unresolved", look(environment))

    assert "libdeep.so" in environment.run("import top").stderr
    assert "libdeep.so" in says(answer)
    assert any("libmiddle.so" in str(fact.value) for fact in answer.findings[0].because)


def test_a_library_that_another_package_brings_may_be_loaded_first(
    environment: Environment, tmp_path: Path
) -> None:
    """As torch loads those of the nvidia wheels: by ctypes, before its own extension is imported."""
    (environment.site / "runtime").mkdir()
    library(environment.site / "runtime", "libfirst.so")
    environment.extension(
        "second", module_source("second", "int there(void);", "there();"),
        str(environment.site / "runtime" / "libfirst.so"),
    )  # fmt: skip
    first = environment.site / "runtime" / "libfirst.so"

    answer = ask("shared-library-unresolved", look(environment))

    loads = f"import ctypes; ctypes.CDLL({str(first)!r}, ctypes.RTLD_GLOBAL); import second"
    assert 0 == environment.run(loads).returncode
    assert FINE == answer.state


def test_a_damaged_file_breaks_nothing(environment: Environment) -> None:
    good = environment.extension("good", module_source("good")).read_bytes()
    for size in (0, 3, 64, 100, 1000, len(good) // 2):
        (environment.site / f"cut{size}.so").write_bytes(good[:size])
    for place in range(16, 64, 3):
        garbled = bytearray(good)
        garbled[place] ^= 0xFF
        (environment.site / f"garbled{place}.so").write_bytes(bytes(garbled))

    answer = ask("shared-library-unresolved", look(environment))

    assert answer.state in (FINE, WARNING)


def test_no_damage_to_a_file_breaks_its_readers(environment: Environment) -> None:
    source = environment.extension("good", module_source("good"))
    good, path = source.read_bytes(), str(environment.site / "bad.so")
    program = read_elf(os.path.realpath(sys.executable))
    chance = random.Random(5)
    read = 0
    for _ in range(600):
        damaged = bytearray(good)
        for _ in range(chance.choice((1, 2, 8, 50))):
            at = chance.choice(
                (chance.randrange(64), chance.randrange(64, 2000), chance.randrange(len(good)))
            )
            damaged[at] = chance.choice((0, 255, chance.randrange(256)))
        Path(path).write_bytes(bytes(damaged))
        with contextlib.suppress(NotElf):
            elf = read_elf(path)
            Loader("", program, {}, [elf]).missing(elf)
            needs_of(sample(path, *elf.code))
            find_in(path, elf.constants, (b"numpy",))
            read += 1

    assert 0 < read < 600


def test_the_cache_of_the_loader_is_read() -> None:
    known = read_cache("/etc/ld.so.cache")

    if not Path("/etc/ld.so.cache").exists():
        pytest.skip("this system has no cache of libraries")
    assert any(name.startswith("libc.so") for name in known)
    assert all(path.startswith("/") for paths in known.values() for path in paths)
    assert {} == read_cache("/etc/passwd")


# numpy-abi-mixed


def with_numpy(environment: Environment) -> None:
    """The NumPy of the tests, in this environment."""
    numpy = importlib.metadata.distribution("numpy")
    folder = Path(str(numpy.locate_file("")))
    for name in ("numpy", "numpy.libs", f"numpy-{numpy.version}.dist-info"):
        if (folder / name).exists():
            os.symlink(folder / name, environment.site / name)


def test_an_extension_for_numpy_1_is_told_as_its_import_tells(environment: Environment) -> None:
    with_numpy(environment)
    environment.metadata("old", "1.0", "old/_core.so")
    environment.extension("old/_core", module_source("_core", "", NUMPY_1_START), suffix=".so")
    environment.extension("new_core", module_source("new_core", "", NUMPY_2_START))

    answer = ask("numpy-abi-mixed", look(environment))

    really = environment.run("import old._core")
    assert 0 != really.returncode and "compiled using NumPy 1.x cannot be run" in really.stderr
    assert 0 == environment.run("import new_core").returncode
    assert WILL_FAIL == answer.state
    assert "old is compiled for NumPy 1" in says(answer)
    assert 1 == len(answer.findings)


def test_extensions_for_numpy_1_and_2_are_fine_with_numpy_1(environment: Environment) -> None:
    environment.metadata("numpy", "1.26.4")
    environment.extension("old_core", module_source("old_core", "", NUMPY_1_START))
    environment.extension("new_core", module_source("new_core", "", NUMPY_2_START))

    answer = ask("numpy-abi-mixed", look(environment))

    assert FINE == answer.state
    assert "2 packages" in says(answer)


# generated-code-unfit

GENERATED = """\
from google.protobuf import runtime_version as _runtime_version
_runtime_version.ValidateProtobufRuntimeVersion(
    _runtime_version.Domain.PUBLIC,
    {version},
    '',
    'shop.proto'
)
"""
OLD_STYLE = """\
from google.protobuf import descriptor as _descriptor
DESCRIPTOR = _descriptor.FileDescriptor(
  name='shop.proto', package='shop', syntax='proto3', serialized_pb=b'',
)
_THING = _descriptor.Descriptor(
  name='Thing', full_name='shop.Thing', filename=None, file=DESCRIPTOR, containing_type=None, fields=[], nested_types=[],
  enum_types=[], extensions=[],
)
"""


def with_protobuf(environment: Environment) -> str:
    """The protobuf of the tests, in this environment."""
    protobuf = importlib.metadata.distribution("protobuf")
    folder = Path(str(protobuf.locate_file("")))
    for name in ("google", f"protobuf-{protobuf.version}.dist-info"):
        os.symlink(folder / name, environment.site / name)
    return protobuf.version


def test_code_for_a_newer_protobuf_is_told_as_its_import_tells(environment: Environment) -> None:
    with_protobuf(environment)
    environment.metadata("shop", "1.0", "shop/shop_pb2.py")
    environment.write("shop/shop_pb2.py", GENERATED.format(version="99,\n    1,\n    2"))

    answer = ask("generated-code-unfit", look(environment))

    assert "VersionError" in environment.run("import shop.shop_pb2").stderr
    assert WILL_FAIL == answer.state
    assert "shop contains code for protobuf 99.1.2 or later" in says(answer)


def test_code_of_the_old_style_is_told_as_its_import_tells(environment: Environment) -> None:
    with_protobuf(environment)
    environment.write("shop/shop_pb2.py", OLD_STYLE)

    answer = ask("generated-code-unfit", look(environment))
    slow = ask(
        "generated-code-unfit", look(environment, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION="python")
    )

    assert (
        "Descriptors cannot be created directly" in environment.run("import shop.shop_pb2").stderr
    )
    assert WILL_FAIL == answer.state
    assert "before 3.19" in says(answer)
    assert FINE == slow.state


def test_code_for_this_protobuf_is_fine(environment: Environment) -> None:
    version = with_protobuf(environment)
    environment.write(
        "shop/shop_pb2.py", GENERATED.format(version=",\n    ".join(version.split(".")[:3]))
    )

    answer = ask("generated-code-unfit", look(environment))

    assert 0 == environment.run("import shop.shop_pb2").returncode
    assert FINE == answer.state


# several-tensorflows


def test_tensorflow_and_tensorflow_cpu_side_by_side(environment: Environment) -> None:
    environment.write("tensorflow/__init__.py", "")
    environment.metadata("tensorflow", "2.21.0")
    environment.metadata("tensorflow-cpu", "2.20.0")

    answer = ask("several-tensorflows", look(environment))

    assert WILL_FAIL == answer.state
    assert "tensorflow 2.21.0 and tensorflow-cpu 2.20.0 are installed on top of each other" in says(
        answer
    )
    assert "uninstall -y tensorflow tensorflow-cpu" in answer.findings[0].remedies[0].commands[0]


def test_the_parts_that_tensorflow_brings_itself_are_no_second_one(
    environment: Environment,
) -> None:
    environment.write("tensorflow/__init__.py", "")
    for name in ("tensorflow", "tensorflow-intel", "tensorflow-io-gcs-filesystem"):
        environment.metadata(name, "2.12.0")

    assert FINE == ask("several-tensorflows", look(environment)).state


def test_a_script_that_hides_tensorflow_is_told(environment: Environment, tmp_path: Path) -> None:
    environment.write("tensorflow/__init__.py", "")
    environment.metadata("tensorflow", "2.21.0")
    (tmp_path / "tensorflow.py").write_text("")

    answer = ask("several-tensorflows", look(environment, folder=str(tmp_path)))

    assert WILL_FAIL == answer.state
    assert str(tmp_path / "tensorflow.py") in says(answer)


def test_the_same_one_twice_in_metadata_is_told(environment: Environment) -> None:
    environment.write("tensorflow/__init__.py", "")
    environment.metadata("tensorflow", "2.21.0")
    environment.metadata("tensorflow", "2.15.0")

    assert WILL_FAIL == ask("several-tensorflows", look(environment)).state


# kerases-mixed


@pytest.mark.parametrize(
    ("tensorflow", "others", "variables", "state"),
    [
        ("2.21.0", {"keras": "3.15.1"}, {}, FINE),
        ("2.15.1", {"keras": "2.15.0"}, {}, FINE),
        ("2.16.1", {"keras": "2.15.0"}, {}, WILL_FAIL),
        ("2.15.1", {"keras": "3.0.5"}, {}, WILL_FAIL),
        ("2.21.0", {}, {}, WILL_FAIL),
        ("2.21.0", {"keras": "3.15.1"}, {"TF_USE_LEGACY_KERAS": "1"}, WILL_FAIL),
        ("2.21.0", {"keras": "3.15.1", "tf-keras": "2.21.0"}, {"TF_USE_LEGACY_KERAS": "1"}, FINE),
        ("2.21.0", {"keras": "3.15.1", "tf-keras": "2.16.0"}, {}, WARNING),
    ],
)
def test_kerases_mixed(
    tensorflow: str, others: dict[str, str], variables: dict[str, str], state: State, environment: Environment
) -> None:  # fmt: skip
    environment.metadata("tensorflow", tensorflow)
    for name, version in others.items():
        environment.metadata(name, version)

    assert state == ask("kerases-mixed", look(environment, **variables)).state


# built-for-another-python


def test_a_module_for_another_python_is_told_as_its_import_tells(environment: Environment) -> None:
    environment.extension(
        "pictures/_decode", module_source("_decode"), suffix=".cpython-39-x86_64-linux-gnu.so"
    )
    environment.extension("sounds/_decode", module_source("_decode"))
    environment.extension(
        "sounds/_decode", module_source("_decode"), suffix=".cpython-39-x86_64-linux-gnu.so"
    )

    answer = ask("built-for-another-python", look(environment))

    assert "ModuleNotFoundError" in environment.run("import pictures._decode").stderr
    assert WILL_FAIL == answer.state
    assert "pictures is compiled for the Python cpython-39" in says(answer)
    assert "sounds" not in says(answer)


def test_a_module_for_another_processor_is_told(environment: Environment) -> None:
    path = environment.extension("fast", module_source("fast"))
    data = bytearray(path.read_bytes())
    data[18:20] = (183 if platform.machine() == "x86_64" else 62).to_bytes(2, "little")
    path.write_bytes(bytes(data))

    answer = ask("built-for-another-python", look(environment))

    assert 0 != environment.run("import fast").returncode
    assert WILL_FAIL == answer.state
    assert "the CPU" in says(answer)


# requirements-unmet


def test_a_requirement_that_is_not_met_is_told(environment: Environment) -> None:
    environment.metadata(
        "tensorflow", "2.21.0",
        requires=("numpy>=1.26", "keras>=3.12", "wheelhouse; extra == 'x'", "colorama; sys_platform == 'win32'"),
    )  # fmt: skip
    environment.metadata("numpy", "1.24.0")
    environment.metadata("keras", "3.15.1")
    environment.metadata("other", "1.0", requires=("gone",))
    packaging = Path(str(importlib.metadata.distribution("packaging").locate_file("packaging")))
    os.symlink(packaging, environment.site / "packaging")

    answer = ask("requirements-unmet", look(environment))

    assert WARNING == answer.state
    assert "tensorflow requires numpy>=1.26, but 1.24.0 is installed" in says(answer)
    assert "1 requirement of other packages is not met" in says(answer)
    assert 2 == len(answer.findings)


def test_without_a_reader_of_requirements_it_cannot_be_told(environment: Environment) -> None:
    assert UNKNOWN == ask("requirements-unmet", look(environment)).state


# tensorflow-dies-at-import, instructions-missing

ENDINGS = {
    "an error": ("raise ImportError('DLL load failed')", "ImportError: DLL load failed"),
    "a segmentation fault": (
        "import ctypes; ctypes.string_at(0)",
        "killed the process with SIGSEGV",
    ),
    "an abort": ("import os; os.abort()", "killed the process with SIGABRT"),
    "an exit": ("import os; os._exit(7)", "ended the process with status 7"),
    "an exit by exception": ("raise SystemExit(3)", "SystemExit: 3"),
}


@pytest.mark.death
@pytest.mark.parametrize("name", ENDINGS)
def test_an_import_that_ends_badly_is_told_and_the_doctor_lives(
    name: str, environment: Environment
) -> None:
    code, words = ENDINGS[name]
    environment.metadata("tensorflow", "2.21.0")
    environment.write("tensorflow/__init__.py", f"print('noise'); {code}\n")

    answer = ask("tensorflow-dies-at-import", look(environment, trials=True))

    assert WILL_FAIL == answer.state
    assert words in says(answer)


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended meanwhile
        return ""


@pytest.mark.death
def test_an_import_that_never_ends_is_ended(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outlive.doctor.look.environment.TRIAL_SECONDS", 2)
    environment.write(
        "tensorflow/__init__.py",
        "import os, time\nif os.fork() == 0: open('/proc/self/comm', 'w').write('stray')\ntime.sleep(600)\n",
    )

    answer = ask("tensorflow-dies-at-import", look(environment, trials=True))

    assert WILL_FAIL == answer.state
    assert "did not finish within" in says(answer)
    living = [
        text.split()[1]
        for path in Path("/proc").glob("[0-9]*/stat")
        if (text := read(path)) and text.rpartition(")")[2].split()[0] != "Z"
    ]
    assert "(stray)" not in living


def test_what_the_import_says_last_is_a_fact(environment: Environment) -> None:
    line = "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine."
    environment.write(
        "tensorflow/__init__.py",
        f'import os; os.write(2, b"noise\\n{line}\\nmore\\n"); os.abort()\n',
    )

    answer = ask("tensorflow-dies-at-import", look(environment, trials=True))

    assert line in [fact.value for fact in answer.findings[0].because]


@pytest.mark.parametrize("more", ["", "import os, sys; os.close(1); sys.stdout = None"])
def test_an_import_that_works_is_fine(more: str, environment: Environment) -> None:
    environment.write("tensorflow/__init__.py", f"__version__ = '2.21.0'\n{more}\n")

    answer = ask("tensorflow-dies-at-import", look(environment, trials=True))

    assert FINE == answer.state
    assert "TensorFlow 2.21.0 imports (" in says(answer)


def test_a_python_that_is_none_is_told(tmp_path: Path) -> None:
    here = look_around(Host(), "/bin/true", "/", dict(os.environ), platform.machine())

    assert here.python is None
    answer = ask("tensorflow-missing", here)
    assert WILL_FAIL == answer.state
    assert "/bin/true does not behave like Python" in says(answer)


def test_h5py_that_dies_is_told(environment: Environment) -> None:
    environment.metadata("h5py", "3.14.0")
    environment.write("h5py/__init__.py", "import os; os.abort()\n")

    answer = ask("hdf5-mixed", look(environment, trials=True))

    assert WILL_FAIL == answer.state
    assert "SIGABRT" in says(answer)


H5PY = """\
class version:
    version = "3.14.0"
    hdf5_version = "1.14.6"
    hdf5_built_version_tuple = {built}
"""


@pytest.mark.parametrize(("built", "state"), [((1, 14, 6), FINE), ((1, 10, 4), WARNING)])
def test_hdf5_mixed(built: tuple[int, ...], state: State, environment: Environment) -> None:
    environment.metadata("h5py", "3.14.0")
    environment.write("h5py/__init__.py", H5PY.format(built=built))

    assert state == ask("hdf5-mixed", look(environment, trials=True)).state


VECTORS = """
typedef struct { double a, b, c, d; } four;
typedef unsigned long word;
#define F(n) void copy##n(four *x, const four *y, int k) { for (int i = 0; i < k; i++) { four t = y[i]; t.a *= n; t.c += t.a; x[i] = t; } } \\
             word shift##n(word a, word b, int k) { word r = n; for (int i = 0; i < k; i++) r ^= (a << (b + i)) + (r >> (a & 31)); return r; }
#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)
G(1) G(2) G(3) G(4) G(5) G(6) G(7) G(8)
"""
x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="x86 code")


@x86
@pytest.mark.parametrize(
    ("options", "sets"),
    [
        ((), ()),
        (("-msse4.2",), ()),
        (("-mavx",), ("avx",)),
        (("-march=haswell",), ("avx", "avx2", "bmi2", "fma")),
        (("-O3", "-march=x86-64-v3"), ("avx", "avx2", "bmi2", "fma")),
    ],
)
def test_what_code_is_built_with_is_told_from_a_sample(
    options: tuple[str, ...], sets: tuple[str, ...], tmp_path: Path
) -> None:
    compile_c(VECTORS, tmp_path / "code.so", *options)

    elf = read_elf(str(tmp_path / "code.so"))

    assert sets == needs_of(sample(elf.path, *elf.code))[0]


@x86
def test_a_processor_without_what_a_package_needs_is_told(environment: Environment) -> None:
    from dataclasses import replace

    environment.metadata("tensorflow", "2.21.0", "tensorflow/_core.so")
    environment.extension(
        "tensorflow/_core", module_source("_core", VECTORS), "-mavx", suffix=".so"
    )
    here = look(environment)
    flags = here.facts["cpu flags"]
    old = {**here.facts, "cpu flags": replace(flags, value="fpu sse sse2 pni hypervisor")}
    new = {**here.facts, "cpu flags": replace(flags, value="fpu sse sse2 pni avx")}

    lacking, having = (
        ask("instructions-missing", replace(here, facts=facts)) for facts in (old, new)
    )

    assert WILL_FAIL == lacking.state
    assert "tensorflow is built with AVX, which this CPU does not have" in says(lacking)
    assert "-cpu host" in lacking.findings[0].remedies[0].commands[0]
    assert FINE == having.state


def test_numpy_tells_its_own_baseline(environment: Environment) -> None:
    with_numpy(environment)

    answer = ask("instructions-missing", look(environment, trials=True))

    assert FINE == answer.state
    assert "numpy.__cpu_baseline__" in [fact.source for fact in answer.findings[0].because]


# cuda-not-found, gpu-memory-held

BUILD = "import collections\nbuild_info = collections.OrderedDict([('is_cuda_build', {cuda}), ('cuda_version', '12.5.1'), ('cudnn_version', '9')])\n"
SMI = """#!/bin/sh
case "$*" in
*query-gpu*) echo "GPU-1, NVIDIA T4, 15360, {used}" ;;
*) echo "GPU-1, 4711, python, 9000" ;;
esac
"""


def gpu_machine(
    environment: Environment, tmp_path: Path, *, cuda: bool, used: int = 0
) -> Surroundings:
    root = tmp_path / "root"
    for name, text in {
        "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX 550.54\n",
        "proc/self/limits": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    environment.write("tensorflow/__init__.py", "")
    environment.write("tensorflow/python/platform/build_info.py", BUILD.format(cuda=cuda))
    tool = tmp_path / "tools" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(SMI.format(used=used))
    tool.chmod(0o755)
    variables = {"PATH": f"{tool.parent}:{os.environ['PATH']}"}
    return look_around(Host(str(root)), environment.python, "/", variables, "x86_64", trials=False)


def test_cuda_libraries_that_are_missing_are_named(
    environment: Environment, tmp_path: Path
) -> None:
    for name in ("cudart.so.12", "cublas.so.12", "cufft.so.11", "cusolver.so.11", "cusparse.so.12"):
        environment.write(f"nvidia/all/lib/lib{name}", "")

    answer = ask("cuda-not-found", gpu_machine(environment, tmp_path, cuda=True))

    assert WARNING == answer.state
    assert "libcudnn.so.9" in says(answer) and "cudart" not in says(answer)
    assert "CUDA 12.5.1 and cuDNN 9" in answer.findings[0].remedies[0].text


def test_for_a_build_without_cuda_the_messages_are_noise(
    environment: Environment, tmp_path: Path
) -> None:
    answer = ask("cuda-not-found", gpu_machine(environment, tmp_path, cuda=False))

    assert FINE == answer.state
    assert "ignore messages" in says(answer)


@pytest.mark.parametrize(("used", "state"), [(200, FINE), (9000, WARNING)])
def test_a_card_that_others_hold_is_told(
    used: int, state: State, environment: Environment, tmp_path: Path
) -> None:
    answer = ask("gpu-memory-held", gpu_machine(environment, tmp_path, cuda=True, used=used))

    assert state == answer.state
    assert "NVIDIA T4" in says(answer)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exec sleep 60", "no answer within"),
        ("echo 'NVIDIA-SMI has failed'; exit 9", "NVIDIA-SMI has failed"),
        ("exit 3", "status 3"),
    ],
)
def test_a_driver_that_does_not_answer_is_told(
    script: str, why: str, environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outlive.doctor.look.gpu.SECONDS", 1)
    gpu_machine(environment, tmp_path, cuda=True)
    (tmp_path / "tools" / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
    variables = {"PATH": f"{tmp_path / 'tools'}:{os.environ['PATH']}"}

    here = look_around(Host(str(tmp_path / "root")), None, "/", variables, "x86_64")
    answer = ask("gpu-memory-held", here)

    assert UNKNOWN == answer.state
    assert why in says(answer)


# object-detection-unready


def test_what_the_object_detection_api_lacks_is_named(environment: Environment) -> None:
    environment.metadata("tensorflow", "2.21.0")
    environment.metadata("setuptools", "82.0.0")
    environment.write("object_detection/__init__.py", "")
    environment.write("object_detection/model_lib_v2.py", "")

    answer = ask("object-detection-unready", look(environment))

    assert WARNING == answer.state
    for words in (
        "tf-slim",
        "tf-keras",
        "TF_USE_LEGACY_KERAS=1",
        "tf.estimator",
        "setuptools before 81",
    ):
        assert words in says(answer), words


def test_another_package_of_that_name_is_not_the_api(environment: Environment) -> None:
    environment.write("object_detection/__init__.py", "")

    assert FINE == ask("object-detection-unready", look(environment)).state


# other Pythons


def test_every_python_of_this_machine_can_be_looked_at(tmp_path: Path) -> None:
    from pythons import pythons

    for version, python in pythons().items():
        here = look_around(Host(), python, "/", dict(os.environ), platform.machine(), trials=False)

        assert here.python is not None, here.gaps
        assert version == ".".join(map(str, here.python.version[:2]))
    assert sys.version_info[:3] in [here.python.version] or here.python.version >= (3, 9)
