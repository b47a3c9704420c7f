# Two extension modules: one asks NumPy for its table of functions as NumPy 1 had it, one was built for a newer NumPy's table.
headers=$($PYTHON -c 'import sysconfig; print(sysconfig.get_path("include"))')
arrays=$($PYTHON -c 'import numpy; print(numpy.get_include())')
mkdir -p oldfilters newfilters include
cat > oldfilters/_core.c <<'C'
#include <Python.h>
/* what import_array() of NumPy 1.x was compiled into */
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_core", 0, -1, 0};
PyMODINIT_FUNC PyInit__core(void) {
    PyObject *numpy = PyImport_ImportModule("numpy.core._multiarray_umath");
    PyObject *table = numpy ? PyObject_GetAttrString(numpy, "_ARRAY_API") : NULL;
    if (table == NULL) {
        PyErr_Print();
        PyErr_SetString(PyExc_ImportError, "numpy.core.multiarray failed to import");
        return NULL;
    }
    return PyModule_Create(&module);
}
C
cc -shared -fPIC -I"$headers" -o oldfilters/_core.so oldfilters/_core.c
echo 'from . import _core' > oldfilters/__init__.py
cp -r "$arrays"/numpy include/
sed -i 's/define NPY_API_VERSION 0x[0-9a-fA-F]*/define NPY_API_VERSION 0x000000ff/; s/define NPY_FEATURE_VERSION NPY_1_23_API_VERSION/define NPY_FEATURE_VERSION NPY_API_VERSION/' include/numpy/_numpyconfig.h include/numpy/numpyconfig.h
sed -i 's/#define NPY_FEATURE_VERSION_STRING "2.0"/&\n#elif NPY_FEATURE_VERSION == 0x000000ff\n    #define NPY_FEATURE_VERSION_STRING "9.0"/' include/numpy/numpyconfig.h
cat > newfilters/_core.c <<'C'
#include <Python.h>
#include <numpy/arrayobject.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_core", 0, -1, 0};
PyMODINIT_FUNC PyInit__core(void) {
    if (_import_array() < 0) return NULL;
    return PyModule_Create(&module);
}
C
cc -shared -fPIC -I"$headers" -Iinclude -o newfilters/_core.so newfilters/_core.c
echo 'from . import _core' > newfilters/__init__.py
rm -r include
