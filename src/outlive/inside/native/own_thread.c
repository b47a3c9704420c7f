/* Our thread, from its start to its end.
 *
 * It is started by Python's own function (kept since the start: gevent and eventlet put others in its place), called from
 * here: when a program forks or ends, no line of our Python runs in its thread. Signal handlers would run between such
 * lines, and what they raise would be lost; a tracer would count them as the program's. */
#include "sampler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

enum { OWN_STACK = 1024 * 1024, STOP_SECONDS = 2, LEAVE_SECONDS = 10, GONE_MICROSECONDS = 50 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct {
    PyObject *start, *live; /* Python's function, and what it has the new thread call */
    PyObject *prepare, *leave; /* what it does first in a forked child, and what it does last, at exit */
    struct timespec from;
    unsigned long ident;
    _Atomic int number; /* as the kernel counts it; 0: it has not begun */
    int exists, ends, leaves, directly;
    int is_new;  /* a forked child that is not prepared yet */
    int parked;  /* it has no GIL, and will not ask for it before it has had its `turn` */
    int held_up; /* by a fork */
} own;

int own_threads(void) { return own.exists; }
int is_own_thread(unsigned long ident) { return ident == own.ident; }

static void after(struct timespec *when, double seconds)
{
    clock_gettime(CLOCK_MONOTONIC, when);
    when->tv_sec += (time_t)seconds;
    when->tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    when->tv_sec += when->tv_nsec / 1000000000;
    when->tv_nsec %= 1000000000;
}

/* The kernel takes the status of the last thread that ends: where the main one has ended by itself, its own. 0: it lives. */
static int status_of_main_thread(void)
{
    char path[64], text[1024] = "", *state, *status;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    long size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = 0;
    state = strrchr(text, ')');
    status = strrchr(text, ' ');
    return state && status && state[1] == ' ' && state[2] == 'Z' ? atoi(status) : 0;
}

/* End this thread as the main one has ended, if it has. Strict mode kills a thread alone: the process must not outlive it. */
EXPORT void outlive_thread_vanish(void)
{
    int status = status_of_main_thread();
    sigset_t none;
    own_thread_ended();
    sigemptyset(&none);
    if (status & 0x7f && pthread_sigmask(SIG_SETMASK, &none, NULL) == 0)
        kill(getpid(), status & 0x7f);
    syscall(SYS_exit, status >> 8);
}

static int park(const struct timespec *until) /* without the GIL; whether the thread is to end */
{
    pthread_mutex_lock(&turn);
    own.parked = 1;
    pthread_cond_broadcast(&changed);
    while (!own.ends && !atomic_load(&confined) && pthread_cond_timedwait(&changed, &turn, until) == 0)
        ;
    int ends = own.ends;
    own.parked = 0;
    pthread_mutex_unlock(&turn);
    if (atomic_load(&confined) && !own.leaves)
        outlive_thread_vanish(); /* without the GIL: whoever has that may have ended already */
    return ends;
}

int own_thread_pause(uint64_t nanoseconds)
{
    struct timespec until;
    after(&until, (double)nanoseconds / 1e9);
    return park(&until);
}

static int prepared(void) /* whether there is something to do */
{
    if (!own.is_new)
        return 1;
    own.is_new = 0;
    PyObject *answer = py.PyObject_CallObject(own.prepare, NULL);
    int is_wanted = answer && py.PyObject_IsTrue(answer) == 1;
    drop(answer);
    return is_wanted;
}

static void work(int ends) /* with the GIL */
{
    if (!ends && prepared())
        outlive_sampler_run();
    if (own.leaves)
        drop(py.PyObject_CallObject(own.leave, NULL));
}

/* Whoever waits for its end need not wait any longer. */
void own_thread_ended(void)
{
    pthread_mutex_lock(&turn);
    own.exists = 0;
    own.parked = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

static void begun(void)
{
    own.ident = (unsigned long)pthread_self();
    atomic_store(&own.number, (int)syscall(SYS_gettid));
}

/* What the new thread calls, with the GIL. */
EXPORT int outlive_thread_live(void)
{
    begun();
    PyThreadState *state = py.PyEval_SaveThread();
    int ends = park(&own.from);
    if (!ends || own.leaves) {
        py.PyEval_RestoreThread(state);
        work(ends);
        state = py.PyEval_SaveThread();
    }
    /* With the GIL: who waits for it goes on when Python has ended the thread. One that asks for the GIL when Python itself
     * is ending is ended by pthread_exit, which needs a library that may not be there any more. */
    py.PyEval_RestoreThread(state);
    own_thread_ended();
    return 0;
}

/* What that of a forked child does: it is no thread of Python's before it has something to do. */
static void *live_in_child(void *unused)
{
    begun();
    int ends = park(&own.from);
    if (!ends || own.leaves) {
        int state = py.PyGILState_Ensure();
        work(ends);
        py.PyGILState_Release(state);
    }
    own_thread_ended();
    return unused;
}

/* What that of a young process does (young.c). */
static void *live_young(void *unused)
{
    begun();
    int ends = park(&own.from);
    if (!ends)
        young_grow_up();
    if (own.prepare && (!ends || own.leaves)) { /* otherwise the agent was not loaded, or does without this thread */
        int state = py.PyGILState_Ensure();
        work(ends);
        py.PyGILState_Release(state);
    }
    own_thread_ended();
    return unused;
}

static int wait_without_gil(int seconds)
{
    struct timespec until;
    after(&until, seconds);
    pthread_mutex_lock(&turn);
    while (own.exists && pthread_cond_timedwait(&changed, &turn, &until) == 0)
        ;
    int ended = !own.exists;
    pthread_mutex_unlock(&turn);
    return ended;
}

static int wait_for_its_end(int seconds)
{
    PyThreadState *state = py.PyEval_SaveThread();
    int ended = wait_without_gil(seconds);
    py.PyEval_RestoreThread(state);
    return ended;
}

static void wait_until_it_is_gone(void) /* for the kernel too */
{
    struct timespec moment = {0, GONE_MICROSECONDS * 1000};
    int number = atomic_load(&own.number);
    for (int waited = 0; number && waited < STOP_SECONDS * 1000000; waited += GONE_MICROSECONDS)
        if (syscall(SYS_tgkill, getpid(), number, 0) == 0)
            nanosleep(&moment, NULL);
        else
            return;
}

/* The program confines itself now (seccomp): our thread has to be gone before, or the program may die of what it does. It
 * ends where it waits; if it waits for the GIL, it gets it. */
void own_thread_confine(void)
{
    if (!own.exists || is_own_thread((unsigned long)pthread_self()))
        return;
    pthread_mutex_lock(&turn);
    int waits = own.parked;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    int ended = !waits && py.PyGILState_Check() ? wait_for_its_end(STOP_SECONDS) : wait_without_gil(STOP_SECONDS);
    if (ended)
        wait_until_it_is_gone();
}

static void tell_it_to_end(int leaves)
{
    pthread_mutex_lock(&turn);
    own.ends = 1;
    own.leaves = leaves;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

static int start_by_python(void)
{
    own_thread_next(1, own.directly);
    PyObject *started = py.PyObject_CallFunction(own.start, "O()", own.live);
    own_thread_next(0, 0);
    drop(started);
    return started != NULL;
}

/* Not by Python: what its function touches in a child is copied by the kernel, page by page, and most children end at once. */
static int start_plainly(void *(*live)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, OWN_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int started = pthread_create(&thread, &attributes, live, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

static int start_in_child(void) { return start_plainly(live_in_child); }
static int start_young(void) { return start_plainly(live_young); }

static void begin_by(int (*start)(void), double delay) /* with the GIL */
{
    sigset_t all, before;
    if (own.exists || own.leaves || (!own.prepare && start != start_young) || atomic_load(&confined))
        return;
    after(&own.from, delay);
    own.ends = own.parked = 0;
    own.exists = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* it must not get the program's signals */
    if (!start())
        own.exists = 0; /* no more threads to be had: the program's affair, not ours */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void own_thread_begin_in_child(double delay) { begin_by(start_in_child, delay); }

void own_thread_begin_young(double delay)
{
    own_thread_forked();
    own.is_new = 0;
    begin_by(start_young, delay);
}

void own_thread_leave_young(void)
{
    if (own.prepare)
        outlive_thread_leave();
    else
        tell_it_to_end(0);
}

/* A fork by who does not have the GIL (a library, or through ctypes): were it our thread that has it at that moment, nobody
 * could ever give it back in the child. Python itself forks with the GIL. */
void own_thread_before_fork(void)
{
    struct timespec until;
    own.held_up = own.exists && !py.PyGILState_Check();
    if (!own.held_up)
        return;
    after(&until, STOP_SECONDS);
    pthread_mutex_lock(&turn);
    while (own.exists && !own.parked && pthread_cond_timedwait(&changed, &turn, &until) == 0)
        ;
}

void own_thread_after_fork_in_parent(void)
{
    if (own.held_up)
        pthread_mutex_unlock(&turn);
}

void own_thread_forked(void)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&turn, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
    own.exists = own.ends = own.leaves = own.held_up = 0;
    own.ident = 0;
    atomic_store(&own.number, 0);
    own.is_new = 1;
}

/* These are called with the GIL (ctypes.PyDLL); the caller keeps what it gives alive. */

EXPORT void outlive_thread_open(PyObject *start, PyObject *live, int directly)
{
    /* Python ends a thread by pthread_exit, which loads this first, and aborts where it cannot: in a chroot, say. */
    dlopen("libgcc_s.so.1", RTLD_LAZY);
    dlerror();
    if (!own.exists)
        own_thread_forked();
    own.start = start, own.live = live, own.directly = directly, own.is_new = 0;
}

/* Python calls it through ctypes, which tells audit hooks: that must have happened before the program can add one. */
static void wait_until_it_is_called(void)
{
    struct timespec until;
    PyThreadState *state = py.PyEval_SaveThread();
    after(&until, STOP_SECONDS);
    pthread_mutex_lock(&turn);
    while (own.exists && !own.parked && pthread_cond_timedwait(&changed, &turn, &until) == 0)
        ;
    pthread_mutex_unlock(&turn);
    py.PyEval_RestoreThread(state);
}

EXPORT void outlive_thread_start(PyObject *prepare, PyObject *leave, double delay)
{
    own.prepare = prepare, own.leave = leave;
    begin_by(start_by_python, delay);
    if (!own.directly)
        wait_until_it_is_called();
}

EXPORT int outlive_thread_stop(void)
{
    if (own.exists)
        tell_it_to_end(0);
    return wait_for_its_end(STOP_SECONDS);
}

/* At exit: what is left to do is done in there, and waited for. */
EXPORT void outlive_thread_leave(void)
{
    if (own.exists) {
        tell_it_to_end(1);
        wait_for_its_end(LEAVE_SECONDS);
    } else if (own.leave) {
        drop(py.PyObject_CallObject(own.leave, NULL));
    }
}
