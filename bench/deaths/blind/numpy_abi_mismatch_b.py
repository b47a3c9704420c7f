"""A Cython module checks the size of numpy.dtype that it was compiled with; the installed NumPy has another."""
# expect: numpy-abi-mismatch

import os
import subprocess
import sys
import sysconfig

CODE = r"""
#include <Python.h>
static int check(const char *name, Py_ssize_t expected) {
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *type = numpy ? PyObject_GetAttrString(numpy, name) : NULL;
  if (!type) return -1;
  Py_ssize_t got = ((PyTypeObject *)type)->tp_basicsize;
  if (got == expected) return 0;
  PyErr_Format(PyExc_ValueError, "numpy.%s size changed, may indicate binary incompatibility. "
               "Expected %zd from C header, got %zd from PyObject", name, expected, got);
  return -1;
}
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_hdbtree", 0, -1, 0};
PyMODINIT_FUNC PyInit__hdbtree(void) { if (check("dtype", 96) < 0) return NULL; return PyModule_Create(&def); }
"""


def build_package(root):
    os.makedirs(f"{root}/hdbtree", exist_ok=True)
    with open(f"{root}/hdbtree/_hdbtree.c", "w") as f:
        f.write(CODE)
    with open(f"{root}/hdbtree/__init__.py", "w") as f:
        f.write("from hdbtree._hdbtree import *\n")
    command = f"gcc -shared -fPIC -I{sysconfig.get_paths()['include']} -o _hdbtree.so _hdbtree.c"
    subprocess.run(command, shell=True, check=True, cwd=f"{root}/hdbtree")


if not os.path.exists("packages"):
    build_package("packages")
sys.path.append("packages")

import hdbtree  # noqa: E402  # <- here
import tensorflow as tf  # noqa: E402

print(hdbtree.cluster(tf.random.uniform([100, 2]).numpy()))
