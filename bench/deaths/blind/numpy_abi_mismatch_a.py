"""A wheel that was built with NumPy 1.x: its import_array() finds another ABI."""
# expect: numpy-abi-mismatch

import pathlib
import subprocess
import sys
import sysconfig

import numpy as np

SOURCE = r"""
#include <Python.h>
static void **PyArray_API;
static int import_array(void) {
  PyObject *m = PyImport_ImportModule("numpy.core.multiarray");
  if (!m) return -1;
  PyObject *api = PyObject_GetAttrString(m, "_ARRAY_API");
  Py_DECREF(m);
  if (!api) { PyErr_Print(); PyErr_SetString(PyExc_ImportError, "numpy.core.multiarray failed to import"); return -1; }
  PyArray_API = (void **)PyCapsule_GetPointer(api, NULL);
  Py_DECREF(api);
  unsigned now = ((unsigned (*)(void))PyArray_API[0])();
  if (now == 0x1000009) return 0;
  PyErr_Format(PyExc_RuntimeError,
               "module compiled against ABI version 0x%x but this version of numpy is 0x%x", 0x1000009, now);
  return -1;
}
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fastbox", 0, -1, 0};
PyMODINIT_FUNC PyInit_fastbox(void) { if (import_array() < 0) return NULL; return PyModule_Create(&module); }
"""


def install():
    pathlib.Path("fastbox.c").write_text(SOURCE)
    include = "-I" + sysconfig.get_paths()["include"]
    subprocess.run(["gcc", "-shared", "-fPIC", include, "-o", "fastbox.so", "fastbox.c"], check=True)
    sys.path.insert(0, ".")


def suppress(boxes, scores):
    import fastbox  # <- here

    return fastbox.nms(boxes, scores)


install()
rng = np.random.default_rng(0)
print(suppress(rng.random((10, 4)), rng.random(10)))  # <- here
