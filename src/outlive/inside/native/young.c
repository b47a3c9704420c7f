/* A Python that another process of the run has started: what it needs at once, and nothing else.
 *
 * Most of them end before there is anything to say of them, and to load the agent takes longer than Python itself. So at first
 * there is this library alone: signals, crashes, stderr, and a thread that waits. The agent is loaded when the process
 * has lived for a moment (`late` in own_thread.c), or when something happens that it has to see: `sitecustomize` gives
 * its `load` to the functions that are watched (calls.c).
 *
 * `sitecustomize` loads this file as an extension module, without ctypes and without a header of Python's: the few
 * structures below are those of the stable ABI. */
#include "python.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

enum { ROOM = 8, HIGH = 1000, HIGHEST = 65536, SPARE = 16 };
enum { WAIT_MICROSECONDS = 5000000, LOOK_MICROSECONDS = 200 };
#define DELAY_SECONDS 0.1

/* As in shim.py. */
static const int watched[] = {SIGTERM, SIGINT,  SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGALRM,
                              SIGVTALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE,  SIGABRT, SIGTRAP, SIGSYS};

/* Changed with the GIL. */
enum { NEVER, WAITS, LOADS, LOADED, OVER };
static atomic_int state;
static pthread_t loader;
static PyObject *load_agent;

static struct {
    int (*PyArg_ParseTuple)(PyObject *, const char *, ...);
    PyObject *(*PyModuleDef_Init)(void *);
    PyInterpreterState *(*PyInterpreterState_Main)(void);
} more;

int young_waits(void) { return atomic_load(&state) == WAITS; }

static PyObject *nothing(void) { return py.Py_BuildValue(""); }

static int called_well(PyObject *function)
{
    PyObject *answer = py.PyObject_CallObject(function, NULL);
    int well = answer && py.PyObject_IsTrue(answer) == 1;
    drop(answer);
    return well;
}

/* A program without a free descriptor may end of just that, and then the agent has files to open. */
static int make_room(struct rlimit *before)
{
    int free_one = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (free_one >= 0) {
        close(free_one);
        return 0;
    }
    if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, before) != 0 || before->rlim_cur + ROOM > before->rlim_max)
        return 0;
    struct rlimit wider = {before->rlim_cur + ROOM, before->rlim_max};
    return setrlimit(RLIMIT_NOFILE, &wider) == 0;
}

/* With the GIL, by whoever has set `state` to LOADS. */
static void load_here(void)
{
    struct rlimit before;
    int wider = make_room(&before);
    int well = called_well(load_agent);
    if (wider)
        setrlimit(RLIMIT_NOFILE, &before);
    atomic_store(&state, well ? LOADED : OVER);
}

static void wait_while_loading(void) /* without the GIL */
{
    struct timespec moment = {0, LOOK_MICROSECONDS * 1000};
    for (int waited = 0; waited < WAIT_MICROSECONDS && atomic_load(&state) == LOADS; waited += LOOK_MICROSECONDS)
        nanosleep(&moment, NULL);
}

static void wait_until_loaded(void)
{
    PyThreadState *thread = py.PyEval_SaveThread();
    wait_while_loading();
    py.PyEval_RestoreThread(thread);
}

static int others_load(void) { return atomic_load(&state) == LOADS && !pthread_equal(loader, pthread_self()); }

static void load_now(void)
{
    if (atomic_load(&state) == WAITS) {
        loader = pthread_self();
        atomic_store(&state, LOADS);
        load_here();
    } else if (others_load()) {
        wait_until_loaded();
    }
}

/* In our thread, without the GIL: the process has lived for a moment. Not with a table of descriptors of its own (close_range
 * can do that): newer builds of libffi keep a file open from the moment that ctypes is loaded, and the program's threads use it. */
void young_grow_up(void)
{
    int waits = WAITS;
    if (!atomic_compare_exchange_strong(&state, &waits, LOADS)) {
        wait_while_loading(); /* a thread of the program's does it; afterwards there is work in this one */
        return;
    }
    int gil = py.PyGILState_Ensure();
    loader = pthread_self();
    forks_hold(1);
    collector_hold();
    load_here();
    collector_release();
    forks_hold(-1);
    py.PyGILState_Release(gil);
}

void young_forked(void) /* in a child that was not forked by Python; it may still load the agent when it has to */
{
    if (atomic_load(&state) == LOADS)
        atomic_store(&state, OVER);
}

/* ---- What sitecustomize calls ---- */

/* As aside.py does it. */
static int put_aside(int low)
{
    struct rlimit limit;
    int moved = -1;
    if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return low;
    struct rlimit wider = {limit.rlim_cur + ROOM, limit.rlim_max};
    if (limit.rlim_cur <= HIGHEST && wider.rlim_cur <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &wider) == 0) {
        moved = fcntl(low, F_DUPFD_CLOEXEC, (int)limit.rlim_cur);
        setrlimit(RLIMIT_NOFILE, &limit);
    } else {
        int number = limit.rlim_cur > HIGH + SPARE ? HIGH : (int)limit.rlim_cur - SPARE;
        moved = fcntl(low, F_DUPFD_CLOEXEC, number < 3 ? 3 : number);
    }
    close(low);
    return moved;
}

static int is_limited(int what) /* then the agent is loaded at once, with all its memory and all its files */
{
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)what, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* (folder, functions of gc and sys) -> 1: it can be done here; 0: not so; None: this is not the main interpreter. */
static PyObject *open_library(PyObject *self, PyObject *arguments)
{
    const char *folder;
    PyObject *functions, *given[7];
    (void)self;
    if (py.PyInterpreterState_Get() != more.PyInterpreterState_Main())
        return nothing();
    if (!more.PyArg_ParseTuple(arguments, "yO", &folder, &functions))
        return NULL;
    for (int i = 0; i < (int)COUNT(given); i++) {
        given[i] = py.PyTuple_GetItem(functions, i);
        py.Py_IncRef(given[i]);
    }
    int able = atomic_load(&state) == NEVER && !is_limited(RLIMIT_AS) && !is_limited(RLIMIT_FSIZE) &&
               outlive_python_open(given) && library_open() == 0;
    if (able)
        outlive_shim_folder(folder);
    return py.Py_BuildValue("i", able);
}

/* (load): what loads and starts the agent; it answers whether it could. */
static PyObject *begin(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!more.PyArg_ParseTuple(arguments, "O", &load_agent))
        return NULL;
    py.Py_IncRef(load_agent);
    outlive_shim_patch();
    area_may_be_late();
    atomic_store(&state, WAITS);
    own_thread_begin_young(DELAY_SECONDS);
    return nothing();
}

/* (path, flags) -> a descriptor, out of the way, or -1 */
static PyObject *open_aside(PyObject *self, PyObject *arguments)
{
    const char *path;
    int flags;
    (void)self;
    if (!more.PyArg_ParseTuple(arguments, "si", &path, &flags))
        return NULL;
    return py.Py_BuildValue("i", put_aside(open(path, flags | O_CLOEXEC)));
}

/* (the descriptor that Python's fault handler has, or -1): from now on signals are seen. */
static PyObject *watch_signals(PyObject *self, PyObject *arguments)
{
    int fault;
    (void)self;
    if (!more.PyArg_ParseTuple(arguments, "i", &fault))
        return NULL;
    outlive_shim_watch(watched, COUNT(watched));
    if (fault >= 0) {
        outlive_shim_fault_file(fault);
        fault_file_is_borrowed(fault);
    }
    return nothing();
}

/* (function, before, names or None) */
static PyObject *watch(PyObject *self, PyObject *arguments)
{
    PyObject *function, *before, *names, *none = nothing();
    const size_t head = 2 * sizeof(void *); /* object.__basicsize__ */
    (void)self;
    if (!more.PyArg_ParseTuple(arguments, "OOO", &function, &before, &names))
        return NULL;
    int done = outlive_calls_watch(function, head, before, none, names);
    py.Py_DecRef(none);
    return py.Py_BuildValue("i", done);
}

static PyObject *load(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    load_now();
    return nothing();
}

/* Before functions that tell of settings which are ours while our thread loads the agent. */
static PyObject *wait_for_load(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    if (others_load())
        wait_until_loaded();
    return nothing();
}

static int there_was_an_error(void)
{
    PyObject *error = py.PySys_GetObject("last_exc");
    error = error ? error : py.PySys_GetObject("last_value");
    PyObject *none = nothing();
    py.Py_DecRef(none); /* there is always one more */
    return error && error != none;
}

/* At exit. Of a process that has nothing to tell nothing is kept. */
static PyObject *leave(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    if (atomic_load(&state) == WAITS && there_was_an_error())
        load_now(); /* the program has shown it by itself */
    if (atomic_load(&state) == LOADS)
        wait_until_loaded();
    if (atomic_load(&state) != LOADED) {
        atomic_store(&state, OVER);
        outlive_calls_end();
        area_forget();
    }
    own_thread_leave_young();
    return nothing();
}

/* By os._exit(0). */
static PyObject *ends_well(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    if (young_waits())
        area_forget();
    return nothing();
}

/* ---- For os.register_at_fork: through ctypes they would touch many more pages, each of which is then copied. ---- */

static PyObject *fork_before(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    outlive_fork_before();
    return nothing();
}

static PyObject *fork_in_parent(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    outlive_fork_in_parent();
    return nothing();
}

static PyObject *fork_in_child(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    outlive_fork_in_child();
    return nothing();
}

/* ---- As an extension module ---- */

struct method { const char *name; PyObject *(*function)(PyObject *, PyObject *); int flags; const char *text; };
enum { VARARGS = 1, NOARGS = 4 };
static struct method methods[] = {
    {"open", open_library, VARARGS, NULL}, {"begin", begin, VARARGS, NULL},
    {"open_aside", open_aside, VARARGS, NULL}, {"watch_signals", watch_signals, VARARGS, NULL},
    {"watch", watch, VARARGS, NULL}, {"load", load, VARARGS, NULL},
    {"wait", wait_for_load, VARARGS, NULL}, {"leave", leave, VARARGS, NULL},
    {"ends_well", ends_well, VARARGS, NULL}, {"fork_before", fork_before, NOARGS, NULL},
    {"fork_in_parent", fork_in_parent, NOARGS, NULL}, {"fork_in_child", fork_in_child, NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct { int slot; void *value; } slots[] = {{0, NULL}};
static struct {
    intptr_t references;
    void *type, *initialise;
    intptr_t index;
    void *copy;
    const char *name, *text;
    intptr_t size;
    struct method *methods;
    void *slots, *traverse, *clear, *free;
} definition = {.references = 1, .name = "_outlive_shim", .methods = methods, .slots = slots};

EXPORT PyObject *PyInit__outlive_shim(void)
{
    struct { const char *name; void *place; } wanted[] = {
        {"PyArg_ParseTuple", &more.PyArg_ParseTuple}, {"PyModuleDef_Init", &more.PyModuleDef_Init},
        {"PyInterpreterState_Main", &more.PyInterpreterState_Main},
    };
    int missing = !python_functions();
    for (size_t i = 0; i < COUNT(wanted); i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        memcpy(wanted[i].place, &found, sizeof found);
        missing += !found;
    }
    return missing ? NULL : more.PyModuleDef_Init(&definition);
}
