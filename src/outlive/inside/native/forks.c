/* What is done around a fork, without a line of Python.
 *
 * Our thread goes on through all of it. It does not exist in the child; Python's own threads that do not, leave
 * behind in there what they held. So a fork waits while ours holds something of the program's, which is a matter of
 * microseconds. Python 3.12 and later warn of a fork with threads: `our_fopen` tells them of the program's alone.
 *
 * A child gets a thread of its own, which waits: most children become another program, or end, before it has
 * anything to do. */
#include "python.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define CHILD_SECONDS 0.1
enum { MOST_OTHERS = 12, HOLD_MICROSECONDS = 2000000, LOOK_MICROSECONDS = 50 };

static int holding; /* our thread runs Python, and has perhaps something of the program's in its hands; changed with the GIL */
static atomic_int in_linker; /* it is inside the dynamic linker, whose lock would stay locked in a child */

static PyObject *others; /* the other threads of Python at the last fork, as (file, line, name), or NULL */
static unsigned long main_thread;
static int threads = -1; /* all others, as the kernel counts them */
static struct { int known; struct rlimit before; } data_limit; /* of the program, while ours is in force */

void forks_hold(int more) { holding += more; }
void forks_in_linker(int is) { atomic_store(&in_linker, is); }

static int busy(void) { return holding || atomic_load(&in_linker); }

static void wait_while_busy(void)
{
    PyThreadState *state = py.PyEval_SaveThread();
    struct timespec moment = {0, LOOK_MICROSECONDS * 1000};
    for (int waited = 0; waited < HOLD_MICROSECONDS && busy(); waited += LOOK_MICROSECONDS)
        nanosleep(&moment, NULL);
    py.PyEval_RestoreThread(state);
}

static int count_threads(void) /* that the program has besides this one */
{
    struct stat status;
    if (stat("/proc/self/task", &status) != 0 || status.st_nlink < 3)
        return -1;
    return (int)status.st_nlink - 3 - own_threads();
}

static PyObject *name_of(PyObject *ident)
{
    PyObject *threading = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "threading");
    PyObject *active = threading ? py.PyObject_GetAttrString(threading, "_active") : NULL;
    PyObject *thread = active && ident ? py.PyDict_GetItemWithError(active, ident) : NULL;
    PyObject *key = thread ? py.PyUnicode_FromString("_name") : NULL;
    PyObject *name = key ? py.PyObject_GenericGetAttr(thread, key) : NULL;
    py.PyErr_Clear();
    py.Py_DecRef(key);
    py.Py_DecRef(active);
    return name;
}

static void add(PyObject *list, unsigned long number, PyObject *frame)
{
    PyObject *ident = py.PyLong_FromUnsignedLong(number), *name = name_of(ident);
    PyObject *code = py.PyFrame_GetCode(frame), *file = py.PyObject_GetAttrString(code, "co_filename");
    PyObject *told = file ? py.Py_BuildValue("OiO", file, py.PyFrame_GetLineNumber(frame), name ? name : ident) : NULL;
    if (told)
        py.PyList_Append(list, told);
    py.PyErr_Clear();
    py.Py_DecRef(told);
    py.Py_DecRef(file);
    py.Py_DecRef(code);
    py.Py_DecRef(name);
    py.Py_DecRef(ident);
}

static void look_at_others(void)
{
    PyThreadState *mine = py.PyThreadState_Get();
    PyThreadState *state = newest_thread();
    for (int count = 0; state && count < MOST_OTHERS; state = py.PyThreadState_Next(state)) {
        PyObject *frame = state != mine && !is_own_thread(ident_of(state)) ? py.PyThreadState_GetFrame(state) : NULL;
        others = frame && !others ? py.PyList_New(0) : others;
        if (frame && others)
            add(others, ident_of(state), frame);
        count += frame != NULL;
        py.Py_DecRef(frame);
    }
}

static void forget_others(void)
{
    py.Py_DecRef(others);
    others = NULL;
}

/* Called by Python, as functions of ctypes.PyDLL: with the GIL, and without a line of Python. */

EXPORT void outlive_fork_before(void)
{
    int saved = errno;
    if (busy())
        wait_while_busy();
    threads = count_threads();
    forget_others();
    look_at_others();
    errno = saved;
}

EXPORT void outlive_fork_in_parent(void) { forget_others(); }

EXPORT void outlive_fork_in_child(void)
{
    int saved = errno;
    holding = 0;
    collector_forked();
    main_thread = (unsigned long)pthread_self();
    if (data_limit.known)
        setrlimit(RLIMIT_DATA, &data_limit.before);
    data_limit.known = 0;
    own_thread_begin_in_child(CHILD_SECONDS);
    errno = saved;
}

EXPORT unsigned long outlive_fork_main(void) { return main_thread; } /* as Python numbers them; 0: not forked */

EXPORT int outlive_fork_threads(void) { return threads; }

EXPORT PyObject *outlive_fork_others(void) /* a list, given away, or None */
{
    PyObject *told = others ? others : py.Py_BuildValue("");
    others = NULL;
    return told;
}

/* The program's own limit on data, to be given back to a child at once; a negative `known`: ours is not in force. */
EXPORT void outlive_fork_data_limit(int known, unsigned long soft, unsigned long hard)
{
    data_limit.before = (struct rlimit){soft, hard};
    data_limit.known = known;
}

/* ---- How many threads there are, for Python's warning. ---- */

__typeof__(fopen) *real_fopen;
__typeof__(fopen64) *real_fopen64;

static FILE *without_ours(FILE *file)
{
    char text[1024];
    size_t size = fread(text, 1, sizeof text - 16, file);
    text[size] = 0;
    char *field = strrchr(text, ')'), *end;
    for (int number = 2; field && number < 20; number++) /* the name, which may hold anything, is the second */
        field = strchr(field + 1, ' ');
    long count = field ? strtol(field, &end, 10) : 0;
    FILE *copy = count > 1 ? fmemopen(NULL, sizeof text, "w+") : NULL;
    if (!copy) {
        rewind(file);
        return file;
    }
    fprintf(copy, "%.*s %ld%s", (int)(field - text), text, count - own_threads(), end);
    rewind(copy);
    fclose(file);
    return copy;
}

static FILE *opened(FILE *file, const char *path)
{
    return file && own_threads() && path && strcmp(path, "/proc/self/stat") == 0 ? without_ours(file) : file;
}

FILE *our_fopen(const char *path, const char *mode) { return opened(real_fopen(path, mode), path); }
FILE *our_fopen64(const char *path, const char *mode) { return opened(real_fopen64(path, mode), path); }
