/* Python's functions by name, and how its collector is kept from starting in our thread. */
#include "python.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* No program sets these: found outside of `hold` and `release`, they were put back by one that saw them in between. */
static const long OUR_INTERVAL = 5000117, SHORT_INTERVAL = 500, LONGEST_STILL = 20000; /* microseconds */
enum { OURS = 2147480117, GENERATIONS = 3, SEARCHED = 240 };

/* Python 3.11: where the state of a thread points to its running frames, which of them is the innermost, and where a frame
 * object points to it. */
enum { RUNNING = 56, INNERMOST = 8, OF_OBJECT = 24, PATIENCE = 10000 };

struct python py;
size_t ident_offset;
static PyObject *get_threshold, *set_threshold, *is_enabled, *enable, *disable, *get_interval, *set_interval;
static int real[GENERATIONS], known, held, standing;
static long real_interval;
static int lists_unfinished; /* threads */

int python_functions(void)
{
    struct { const char *name; void *place; } wanted[] = {
#define WANTED(function) {#function, &py.function}
        WANTED(PyThreadState_Get), WANTED(PyThreadState_Next), WANTED(PyThreadState_GetFrame),
        WANTED(PyInterpreterState_Get), WANTED(PyInterpreterState_ThreadHead), WANTED(PyEval_SaveThread),
        WANTED(PyEval_RestoreThread), WANTED(PyFrame_GetBack), WANTED(PyFrame_GetCode),
        WANTED(PyFrame_GetLineNumber), WANTED(PyObject_GetAttrString), WANTED(PyObject_GenericGetAttr),
        WANTED(PyObject_CallObject), WANTED(PyObject_CallFunction), WANTED(PyObject_IsTrue),
        WANTED(PyImport_GetModuleDict), WANTED(PyDict_New), WANTED(PyDict_SetItem),
        WANTED(PyDict_GetItemString), WANTED(PyDict_GetItemWithError),
        WANTED(PySys_GetObject), WANTED(PyLong_FromUnsignedLong), WANTED(PyLong_AsLong), WANTED(PyFloat_AsDouble), WANTED(PyTuple_GetItem),
        WANTED(PyUnicode_FromString), WANTED(PyUnicode_GetLength), WANTED(PyUnicode_ReadChar),
        WANTED(PyErr_Occurred), WANTED(PyErr_Clear), WANTED(PyMem_RawFree), WANTED(Py_IncRef), WANTED(Py_DecRef),
        WANTED(Py_AddPendingCall), WANTED(PyGILState_Check), WANTED(PyGILState_Ensure), WANTED(PyGILState_Release),
        WANTED(PyList_New), WANTED(PyList_Append), WANTED(Py_BuildValue), WANTED(Py_GetVersion),
    };
    int missing = 0;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        memcpy(wanted[i].place, &found, sizeof found);
        missing += !found;
    }
    dlerror(); /* leave no message of ours for the program to find */
    return !missing;
}

/* No function tells the identity of a thread from its state: found by that of the thread that asks, which must be
 * there once. It stands in the first 240 bytes from 3.9 (184) to 3.13, and every state is longer. */
static int find_identity(void)
{
    const uintptr_t *words = (const uintptr_t *)py.PyThreadState_Get();
    int found = 0;
    for (size_t i = 0; i < SEARCHED / sizeof *words; i++)
        if (words[i] == (uintptr_t)pthread_self()) {
            ident_offset = i * sizeof *words;
            found++;
        }
    return found == 1;
}

unsigned long ident_of(PyThreadState *state)
{
    unsigned long ident;
    memcpy(&ident, (const char *)state + ident_offset, sizeof ident);
    return ident;
}

/* ---- The threads of this interpreter ---- */

static char *word_at(const void *from, size_t offset)
{
    char *word;
    memcpy(&word, (const char *)from + offset, sizeof word);
    return word;
}

/* Python 3.11 puts a new thread at the head of its list first and fills in its state then, without the GIL when native
 * code calls Python (TensorFlow's threads do, for every tf.numpy_function). To ask such a state for its frame is to follow
 * a null pointer: it ended one in sixteen programs with such a pipeline. Other versions list a state when it is complete
 * (3.9, 3.10, 3.12, 3.13: 4 to 12 million walks beside three threads that come and go). 1: what is needed to tell is known. */
static int find_unfinished(void)
{
    lists_unfinished = strncmp(py.Py_GetVersion(), "3.11.", 5) == 0;
    if (!lists_unfinished)
        return 1;
    PyThreadState *mine = py.PyThreadState_Get();
    PyObject *frame = py.PyThreadState_GetFrame(mine);
    const char *running = word_at(mine, RUNNING);
    int as_known = frame && running && word_at(running, INNERMOST) == word_at(frame, OF_OBJECT);
    py.Py_DecRef(frame);
    return as_known;
}

/* The head of the list, from which PyThreadState_Next goes on; with the GIL. NULL: it is being made for too long. */
PyThreadState *newest_thread(void)
{
    for (int tries = 0; tries < PATIENCE; tries++) {
        PyThreadState *head = py.PyInterpreterState_ThreadHead(py.PyInterpreterState_Get());
        if (!lists_unfinished || word_at(head, RUNNING))
            return head;
        sched_yield(); /* whoever makes it does not need the GIL */
    }
    return NULL;
}

/* Functions of ``gc`` and ``sys`` as they were at the start. 1: everything is there. */
EXPORT int outlive_python_open(PyObject *const *given)
{
    PyObject **const wanted[] = {&get_threshold, &set_threshold, &is_enabled,  &enable,
                                 &disable,       &get_interval,  &set_interval};
    for (size_t i = 0; i < COUNT(wanted); i++)
        *wanted[i] = given[i];
    return python_functions() && find_identity() && find_unfinished();
}

void drop(PyObject *given)
{
    if (given)
        py.Py_DecRef(given);
    else
        py.PyErr_Clear();
}

/* Switched off while the thresholds are read and set: to read them makes a tuple, which may start the collector. */
int collector_off(void)
{
    PyObject *answer = py.PyObject_CallObject(is_enabled, NULL);
    int on = answer && py.PyObject_IsTrue(answer) == 1;
    drop(answer);
    if (on)
        drop(py.PyObject_CallObject(disable, NULL));
    return on;
}

void collector_back(int on)
{
    if (on)
        drop(py.PyObject_CallObject(enable, NULL));
}

static int read_thresholds(int *to)
{
    PyObject *answer = py.PyObject_CallObject(get_threshold, NULL);
    for (int i = 0; answer && i < GENERATIONS; i++)
        to[i] = (int)py.PyLong_AsLong(py.PyTuple_GetItem(answer, i));
    int done = answer != NULL;
    drop(answer);
    return done;
}

static void write_thresholds(const int *to)
{
    drop(py.PyObject_CallFunction(set_threshold, "iii", to[0], to[1], to[2]));
}

/* Not by `disable`: what the program says meanwhile could not be told from what we said. A threshold that no program
 * sets can: whatever is no longer ours was set by the program, and stays. */
void collector_hold(void)
{
    static const int ours[GENERATIONS] = {OURS, OURS, OURS};
    int now[GENERATIONS];
    if (held++)
        return;
    int on = collector_off();
    if (read_thresholds(now)) {
        for (int i = 0; i < GENERATIONS; i++)
            real[i] = now[i] == OURS ? real[i] : now[i];
        known = 1;
        write_thresholds(ours);
    }
    collector_back(on);
}

static void put_back(void)
{
    int now[GENERATIONS], changed = 0, on = collector_off();
    if (known && read_thresholds(now)) {
        for (int i = 0; i < GENERATIONS; i++)
            if (now[i] == OURS) {
                now[i] = real[i];
                changed = 1;
            }
        if (changed)
            write_thresholds(now);
    }
    collector_back(on);
}

void collector_release(void)
{
    if (--held == 0)
        put_back();
}

/* ---- How long a thread waits before it asks for its turn ---- */

static long read_interval(void)
{
    PyObject *answer = py.PyObject_CallObject(get_interval, NULL);
    double seconds = answer ? py.PyFloat_AsDouble(answer) : 0;
    drop(answer);
    return (long)(seconds * 1e6 + 0.5);
}

/* Also when a program has read and set it, each time cut off. */
static int is_our_interval(long microseconds) { return labs(microseconds - OUR_INTERVAL) <= 2; }

static void write_interval(long microseconds) /* Python cuts off what is less than one */
{
    drop(py.PyObject_CallFunction(set_interval, "d", ((double)microseconds + 0.5) / 1e6));
}

static void interval_back(void)
{
    if (real_interval && is_our_interval(read_interval()))
        write_interval(real_interval);
}

/* Gives the microseconds that were there. */
EXPORT long outlive_turns_hold(void)
{
    if (standing++)
        return real_interval;
    long now = read_interval();
    real_interval = is_our_interval(now) ? real_interval : now;
    write_interval(OUR_INTERVAL);
    return real_interval;
}

/* Whoever waits has read the interval when it began to wait: with the GIL in our hands each asks for its turn once more and begins anew, by
 * the long interval. What they asked for is given once, and our own wait for it is a short one: by the long one it took 5 s and more beside
 * a thread that computes, and as long for every other thread of the program. Who has it then reads the long interval, set as soon as we
 * are back. */
EXPORT void outlive_turns_stand_still(void)
{
    long wait = real_interval * 3 / 2;
    wait = wait < LONGEST_STILL ? wait : LONGEST_STILL;
    struct timespec left = {0, wait * 1000};
    while (nanosleep(&left, &left) != 0)
        ;
    write_interval(SHORT_INTERVAL < real_interval ? SHORT_INTERVAL : real_interval);
    py.PyEval_RestoreThread(py.PyEval_SaveThread());
    write_interval(OUR_INTERVAL);
}

EXPORT void outlive_turns_release(void)
{
    if (--standing == 0)
        interval_back();
}

void settings_heal(void)
{
    if (!held && known)
        put_back();
    if (!standing)
        interval_back();
}

/* In a forked child: whoever held it off is a thread of the parent's. */
void collector_forked(void)
{
    held = standing = 0;
    settings_heal();
}

EXPORT void outlive_collector_hold(void) { collector_hold(); }
EXPORT void outlive_collector_release(void) { collector_release(); }
