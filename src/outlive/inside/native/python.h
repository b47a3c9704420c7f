/* What is used of Python: public functions, looked up by name. No header of Python's: one library serves them all. */
#ifndef OUTLIVE_PYTHON_H
#define OUTLIVE_PYTHON_H
#include "shim.h"

typedef struct object PyObject;
typedef struct thread_state PyThreadState;
typedef struct interpreter PyInterpreterState;

struct python {
    PyThreadState *(*PyThreadState_Get)(void);
    PyThreadState *(*PyThreadState_Next)(PyThreadState *);
    PyObject *(*PyThreadState_GetFrame)(PyThreadState *);
    PyInterpreterState *(*PyInterpreterState_Get)(void);
    PyThreadState *(*PyInterpreterState_ThreadHead)(PyInterpreterState *);
    PyThreadState *(*PyEval_SaveThread)(void);
    void (*PyEval_RestoreThread)(PyThreadState *);
    PyObject *(*PyFrame_GetBack)(PyObject *);
    PyObject *(*PyFrame_GetCode)(PyObject *);
    int (*PyFrame_GetLineNumber)(PyObject *);
    PyObject *(*PyObject_GetAttrString)(PyObject *, const char *);
    PyObject *(*PyObject_GenericGetAttr)(PyObject *, PyObject *);
    PyObject *(*PyObject_CallObject)(PyObject *, PyObject *);
    PyObject *(*PyObject_CallFunction)(PyObject *, const char *, ...);
    int (*PyObject_IsTrue)(PyObject *);
    PyObject *(*PyImport_GetModuleDict)(void);
    PyObject *(*PyDict_New)(void);
    int (*PyDict_SetItem)(PyObject *, PyObject *, PyObject *);
    PyObject *(*PyDict_GetItemString)(PyObject *, const char *);
    PyObject *(*PyDict_GetItemWithError)(PyObject *, PyObject *);
    PyObject *(*PySys_GetObject)(const char *);
    PyObject *(*PyLong_FromUnsignedLong)(unsigned long);
    long (*PyLong_AsLong)(PyObject *);
    double (*PyFloat_AsDouble)(PyObject *);
    PyObject *(*PyTuple_GetItem)(PyObject *, intptr_t);
    PyObject *(*PyUnicode_FromString)(const char *);
    intptr_t (*PyUnicode_GetLength)(PyObject *);
    uint32_t (*PyUnicode_ReadChar)(PyObject *, intptr_t);
    PyObject *(*PyErr_Occurred)(void);
    void (*PyErr_Clear)(void);
    int (*PyGILState_Check)(void);
    int (*PyGILState_Ensure)(void);
    void (*PyGILState_Release)(int);
    PyObject *(*PyList_New)(intptr_t);
    int (*PyList_Append)(PyObject *, PyObject *);
    PyObject *(*Py_BuildValue)(const char *, ...);
    const char *(*Py_GetVersion)(void);
    void (*PyMem_RawFree)(void *);
    void (*Py_IncRef)(PyObject *);
    void (*Py_DecRef)(PyObject *);
    int (*Py_AddPendingCall)(int (*)(void *), void *);
};
extern struct python py;
extern size_t ident_offset; /* of a thread's identity in its state */

int python_functions(void); /* whether all are there */
unsigned long ident_of(PyThreadState *state);

/* What a Python that was started by another one of the run has in C from the start (young.c). */
EXPORT int outlive_python_open(PyObject *const *given);
EXPORT int outlive_calls_watch(PyObject *function, size_t head, PyObject *before, PyObject *after, PyObject *names);
EXPORT void outlive_calls_end(void), outlive_thread_leave(void), outlive_shim_folder(const char *path);
EXPORT int outlive_shim_patch(void), outlive_shim_watch(const int *signals, int count);
EXPORT void outlive_shim_fault_file(int fd);
EXPORT void outlive_fork_before(void), outlive_fork_in_parent(void), outlive_fork_in_child(void);
PyThreadState *newest_thread(void);

/* While the GIL is ours all the time. */
int collector_off(void); /* whether it was on */
void collector_back(int on);

/* Between these two the collector does not start in our thread, though others may run in between. */
void collector_hold(void);
void collector_release(void);

/* The program may have read a setting in between, and put it back later as what was there before: it is set right. */
void settings_heal(void);
void collector_forked(void);

void drop(PyObject *given); /* a result, or the error that came instead */

#endif
