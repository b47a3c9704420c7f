"""Python's own functions through ctypes."""

import ctypes

api = ctypes.pythonapi
api.PyErr_CheckSignals()
print(api.Py_IsInitialized(), api.PyGILState_Check(), ctypes.py_object(5).value)
