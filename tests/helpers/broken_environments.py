"""Small virtual environments that are really broken, and compiled files that really fail to load."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

SECONDS = 60
INCLUDE = sysconfig.get_path("include")
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@dataclass(frozen=True)
class Environment:
    """A virtual environment without pip."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def site(self) -> Path:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        return self.folder / "lib" / version / "site-packages"

    def metadata(
        self, name: str, version: str, *files: str, requires: tuple[str, ...] = ()
    ) -> None:
        """The metadata of a package, as pip leaves it."""
        folder = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        (folder / "RECORD").write_text("".join(f"{file},,\n" for file in files))

    def write(self, name: str, text: str) -> Path:
        path = self.site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def extension(self, name: str, source: str, *options: str, suffix: str = SUFFIX) -> Path:
        """Compile an extension module of a package or of its own."""
        path = self.site / f"{name}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        compile_c(source, path, f"-I{INCLUDE}", *options)
        return path

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=False
        )


def make_environment(folder: Path) -> Environment:
    """As ``python -m venv --without-pip`` does, in a few milliseconds."""
    environment = Environment(folder)
    environment.site.mkdir(parents=True)
    (folder / "bin").mkdir()
    real = os.path.realpath(sys.executable)
    os.symlink(real, folder / "bin" / "python")
    (folder / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(real)}\ninclude-system-site-packages = false\n"
    )
    return environment


def compile_c(source: str, target: Path, *options: str) -> None:
    """A shared object of a C source."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no C compiler")
        pytest.skip("no C compiler")
    subprocess.run(
        [
            compiler,
            "-shared",
            "-fPIC",
            "-O2",
            "-x",
            "c",
            "-",
            "-x",
            "none",
            "-o",
            str(target),
            *options,
        ],
        input=source,
        text=True,
        check=True,
        timeout=SECONDS,
    )


MODULE = """
#include <Python.h>
{above}
static int start(PyObject *module) {{ {start} return 0; }}
static PyModuleDef_Slot slots[] = {{{{Py_mod_exec, start}}, {{0, NULL}}}};
static struct PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "{name}", NULL, 0, NULL, slots}};
PyMODINIT_FUNC PyInit_{name}(void) {{ return PyModuleDef_Init(&definition); }}
"""


def module_source(name: str, above: str = "", start: str = "") -> str:
    return MODULE.format(name=name, above=above, start=start)


#: What ``import_array()`` of the headers of NumPy 1 compiles to.
NUMPY_1_START = r"""
    PyObject *numpy = PyImport_ImportModule("numpy.core._multiarray_umath");
    if (numpy == NULL) return -1;
    PyObject *capsule = PyObject_GetAttrString(numpy, "_ARRAY_API");
    Py_DECREF(numpy);
    if (capsule == NULL) return -1;
    void **api = (void **)PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(capsule);
    if (api == NULL) return -1;
    unsigned runtime = (*(unsigned (*)(void))api[0])();
    if (runtime != 0x1000009) {
        PyErr_Format(PyExc_RuntimeError, "module compiled against ABI version 0x%x but this version of numpy is 0x%x",
                     0x1000009, (int)runtime);
        return -1;
    }
"""
NUMPY_2_START = NUMPY_1_START.replace("numpy.core.", "numpy._core.").replace(
    "0x1000009", "0x2000000"
)
