# An extension module that calls a function which the library of today no longer has.
headers=$($PYTHON -c 'import sysconfig; print(sysconfig.get_path("include"))')
mkdir -p fastboxes
cat > fastboxes/_native.c <<'C'
#include <Python.h>
extern int box_overlap_v1(void);
static PyObject *overlap(PyObject *self, PyObject *none) { return PyLong_FromLong(box_overlap_v1()); }
static PyMethodDef methods[] = {{"overlap", overlap, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", 0, -1, methods};
PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&module); }
C
cc -shared -fPIC -I"$headers" -Wl,-z,now -o fastboxes/_native.so fastboxes/_native.c
echo 'from fastboxes._native import overlap' > fastboxes/__init__.py
