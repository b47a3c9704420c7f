/* The sampler's thread: it waits, looks and writes without Python. Python runs in it only when there is something that
 * needs it, and then the collector is held off: no destructor and no callback of the program's runs in a thread that the
 * program does not have. It does not call malloc either, unless Python does: its arena would take 64 MB of the address space. */
#include "sampler.h"

#include <sys/stat.h>
#include <time.h>

static const uint64_t OFTEN_NS = 20000000, SELDOM_NS = 100000000, REFRESH_NS = 1000000000;
static const int64_t GROWING_BYTES = 4000000;
enum { FIRST_TICKS = 10, QUESTION_SIZE = 256 };

static struct settings *settings;
static PyObject *asked, *shown;
static struct { uint64_t rss, refreshed_ns; const void *uncaught; int ticks; char question[QUESTION_SIZE]; } last;

uint64_t monotonic_ns(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t decimal(char **at)
{
    uint64_t value = 0;
    while (**at == ' ')
        ++*at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value * 10 + (uint64_t)(**at - '0');
    return value;
}

/* ---- What is looked at without Python ---- */

static void read_pages(struct pages *to)
{
    char text[129] = "", *next = text;
    memset(to, 0, sizeof *to);
    if (settings->statm < 0 || pread(settings->statm, text, sizeof text - 1, 0) <= 0)
        return;
    to->mapped = decimal(&next) * settings->page_bytes;
    to->resident = decimal(&next) * settings->page_bytes;
    to->shared = decimal(&next) * settings->page_bytes;
    decimal(&next), decimal(&next); /* code, and what once was libraries */
    to->data = decimal(&next) * settings->page_bytes;
    if (to->shared > to->resident)
        to->shared = to->resident;
}

static int fault_file_is_gone(void)
{
    struct stat found;
    return settings->fault >= 0 && (fstat(settings->fault, &found) != 0 || found.st_dev != settings->fault_device ||
                                    found.st_ino != settings->fault_inode);
}

static int there_is_a_question(void)
{
    char text[QUESTION_SIZE] = "";
    long size = readlink(settings->question_path, text, sizeof text - 1);
    if (size <= 0 || strcmp(text, last.question) == 0)
        return 0;
    memcpy(last.question, text, sizeof text);
    return 1;
}

/* Once a second. Without the GIL: it may wait while another thread is inside dlopen. */
static int refresh(void)
{
    uint64_t now = monotonic_ns();
    if (now - last.refreshed_ns < REFRESH_NS)
        return 0;
    last.refreshed_ns = now;
    outlive_shim_patch();
    outlive_shim_watch(settings->signals, settings->signal_count);
    return (fault_file_is_gone() ? FAULT : 0) | (there_is_a_question() ? ASKED : 0);
}

/* ---- With the GIL ---- */

/* Python keeps the exception that ended the main thread. Later only its address is kept: held, it would keep its frames alive. */
static PyObject *uncaught(void)
{
    PyObject *error = py.PySys_GetObject("last_exc");
    error = error ? error : py.PySys_GetObject("last_value");
    if (error == last.uncaught)
        return NULL;
    last.uncaught = error;
    if (error)
        py.Py_IncRef(error);
    return error;
}

static int let_go(void *held)
{
    py.Py_DecRef(held);
    return 0;
}

/* While Python told of it the program may have let go of it: then all that its frames hold dies with our reference. That
 * is for the main thread to do. */
static void let_go_in_the_main_thread(PyObject *held)
{
    if (held)
        py.Py_AddPendingCall(let_go, held); /* no room in the list: it stays */
}

/* Python gets the very error that is held: were it to look for it again, it could find the next one, hold that, and be the
 * last to let go of it. */
static PyObject *handed_over(PyObject *error)
{
    if (!error)
        return py.Py_BuildValue("");
    py.Py_IncRef(error);
    return error;
}

static void call_python(int why, const struct danger *danger, int unnamed, PyObject *error)
{
    forks_hold(1);
    collector_hold();
    if (unnamed)
        stacks_name(shown);
    if (why)
        drop(py.PyObject_CallFunction(asked, "iKKKN", why, (unsigned long long)danger->rss,
                                      (unsigned long long)danger->limit, (unsigned long long)danger->used,
                                      handed_over(error)));
    collector_release();
    forks_hold(-1);
}

static uint64_t pause_after(uint64_t rss, int near)
{
    int64_t grown = (int64_t)(rss - last.rss);
    last.rss = rss;
    int growing = grown >= GROWING_BYTES || (near && grown > 0);
    return ++last.ticks < FIRST_TICKS || growing ? OFTEN_NS : SELDOM_NS;
}

static void write_down(uint64_t rss, int found)
{
    size_t size;
    const char *body = stacks_written(rss, found == SAME, &size);
    if (settings->memory)
        ring_append(settings, body, size);
}

/* One look and what follows from it. In here the GIL is taken once, or twice when Python has to run. */
static uint64_t tick(PyThreadState *state)
{
    struct danger danger = {0};
    read_pages(&settings->pages);
    uint64_t rss = settings->pages.resident;
    int why = refresh() | danger_consider(settings, &danger);
    if (!settings->memory && !settings->closed)
        why |= RING_WANTED;
    why |= settings->every_tick ? EVERY_TICK : 0;
    danger.rss = danger.rss ? danger.rss : rss;

    py.PyEval_RestoreThread(state);
    int on = collector_off();
    int found = stacks_take(settings);
    collector_back(on);
    PyObject *error = uncaught();
    why |= error ? UNCAUGHT : 0;
    if (last.ticks % FIRST_TICKS == 0)
        settings_heal();
    if (why & RING_WANTED || found == UNNAMED)
        call_python(why & RING_WANTED, &danger, found == UNNAMED, NULL);
    py.PyEval_SaveThread();
    write_down(rss, found);
    if (why & ~RING_WANTED) {
        py.PyEval_RestoreThread(state);
        call_python(why & ~RING_WANTED, &danger, 0, error);
        let_go_in_the_main_thread(error);
        py.PyEval_SaveThread();
    }
    return pause_after(rss, danger.near);
}

/* ---- The thread ---- */

/* What our thread runs, with the GIL at first and at last. */
EXPORT int outlive_sampler_run(void)
{
    PyThreadState *state = py.PyEval_SaveThread();
    for (uint64_t pause = OFTEN_NS; !own_thread_pause(pause);)
        pause = tick(state);
    py.PyEval_RestoreThread(state);
    return 0;
}

EXPORT void outlive_sampler_begin(struct settings *with, PyObject *call, PyObject *show)
{
    settings = with, asked = call, shown = show;
}

/* In a forked child there is no such thread any more. */
void sampler_forked(void)
{
    memset(&last, 0, sizeof last);
    danger_forked();
    stacks_forked();
}
