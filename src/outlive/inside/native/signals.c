/* Who sent which signal: handlers that wrap whatever was there, write down what they see, and chain to it. */
#include "shim.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

enum { OFTEN = 20, LEVELS = 4 };

/* levels[i] is one of our handlers; chain[i][signal] is what it wraps, written once, before levels[i] is
 * installed for that signal, so that handlers read it without locks. Several levels, since a handler put
 * on top of ours may go on to ours, as "the previous one": it must then reach what was below, not itself. */

static struct sigaction chain[LEVELS][SIGNALS];
static _Atomic int levels_used[SIGNALS];
static _Atomic uint64_t rate_second[SIGNALS], ending_ns;
static _Atomic uint32_t rate[SIGNALS], turn[BANKS];
static atomic_flag slot_busy[SLOTS], changing = ATOMIC_FLAG_INIT;
__typeof__(sigaction) *real_sigaction;
__typeof__(signal) *real_signal;
struct abort_text **abort_text;

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Raw system calls: open, read and close are cancellation points, a handler must not be one. */
static size_t read_proc(int pid, const char *what, char *to, size_t room)
{
    char path[48], digits[12];
    int count = 0;
    char *end = stpcpy(path, "/proc/");
    do
        digits[count++] = (char)('0' + pid % 10);
    while ((pid /= 10) > 0);
    while (count)
        *end++ = digits[--count];
    stpcpy(end, what);
    to[0] = 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return 0;
    long size = syscall(SYS_read, fd, to, room - 1);
    syscall(SYS_close, fd);
    to[size > 0 ? size : 0] = 0;
    return size > 0 ? (size_t)size : 0;
}

/* The parent of `pid`, or 0, and its name: from "pid (name) state ppid ...", a name may hold anything.
 * Not from cmdline: that takes the other process's memory lock and could wait for long. */
static int parent_of(int pid, char *name)
{
    char text[160];
    size_t size = read_proc(pid, "/stat", text, sizeof text);
    char *from = memchr(text, '(', size), *to = memrchr(text, ')', size);
    if (!from || !to || to < from || to + 4 >= text + size)
        return 0;
    size_t length = (size_t)(to - from - 1) < NAME - 1 ? (size_t)(to - from - 1) : NAME - 1;
    if (name)
        memcpy(name, from + 1, length);
    int parent = 0;
    for (const char *digit = to + 4; *digit >= '0' && *digit <= '9'; digit++)
        parent = parent * 10 + (*digit - '0');
    return parent;
}

static void fill(struct slot *slot, int signal, const siginfo_t *info, uint64_t now)
{
    int sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
    memset((char *)slot + sizeof slot->sequence, 0, sizeof *slot - sizeof slot->sequence);
    slot->signo = signal;
    slot->code = info->si_code;
    slot->pid = (int32_t)syscall(SYS_getpid);
    slot->tid = (int32_t)syscall(SYS_gettid);
    slot->realtime_ns = nanoseconds(CLOCK_REALTIME);
    slot->monotonic_ns = now;
    prctl(PR_GET_NAME, slot->thread);
    if (!sent) {
        if (info->si_code > 0)
            slot->fault_address = (uint64_t)(uintptr_t)info->si_addr;
        return;
    }
    slot->sender_pid = info->si_pid;
    slot->sender_uid = (int32_t)info->si_uid;
    if (info->si_pid <= 0) /* from outside this pid namespace */
        return;
    /* A sender that has just ended (kill does) has no command line any more, but still a name. */
    size_t size = read_proc(info->si_pid, "/cmdline", slot->command, COMMAND);
    int pid = parent_of(info->si_pid, size ? NULL : slot->command);
    for (int i = 0; i < ANCESTORS && pid > 0; i++) {
        slot->ancestor_pid[i] = pid;
        pid = parent_of(pid, slot->ancestor_name[i]);
    }
}

int is_fatal(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGABRT ||
           signal == SIGTRAP || signal == SIGSYS;
}

static NOINLINE void record(int signal, const siginfo_t *info, const void *context, int dies)
{
    struct area *to = here();
    if (!to)
        return;
    uint64_t now = nanoseconds(CLOCK_MONOTONIC), second = now >> 30;
    atomic_fetch_add(&to->counts[signal], 1);
    if (atomic_exchange(&rate_second[signal], second) != second)
        atomic_store(&rate[signal], 0);
    if (atomic_fetch_add(&rate[signal], 1) >= OFTEN && !dies)
        return;
    /* Each signal has its own few slots, so that a frequent one does not push out the rare ones. */
    int bank = signal % BANKS;
    for (int i = 0; i < BANK; i++) {
        int index = bank * BANK + (int)(atomic_fetch_add(&turn[bank], 1) % BANK);
        if (atomic_flag_test_and_set(&slot_busy[index]))
            continue; /* another thread is filling it */
        struct slot *slot = &to->slots[index];
        atomic_store(&slot->sequence, 0);
        fill(slot, signal, info, now);
        uint64_t sequence = atomic_fetch_add(&to->signal_total, 1) + 1;
        atomic_store(&slot->sequence, sequence);
        atomic_flag_clear(&slot_busy[index]);
        if (is_fatal(signal) && (info->si_code > 0 || slot->sender_pid == slot->pid))
            keep_crash(to, signal, info, context, sequence, dies);
        break;
    }
    if (signal == SIGABRT && abort_text && *abort_text && readable(*abort_text, 8)) {
        size_t length = strnlen((*abort_text)->text, ABORT_MESSAGE - 1);
        memcpy(to->abort_message, (*abort_text)->text, length);
        to->abort_message[length] = 0;
    }
}

/* SIG_DFL was there: let the very same death happen. A fault comes again when the instruction is tried
 * again; anything else is sent to this thread again with the sender's siginfo, and is delivered when our
 * return unblocks it. Should the process survive (pid 1 does), the next watch wraps SIG_DFL again. */
static NOINLINE void end_as_before(int signal, siginfo_t *info)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    int fault = (signal == SIGSEGV || signal == SIGILL || signal == SIGFPE || signal == SIGBUS) &&
                info->si_code > 0 && !(signal == SIGBUS && info->si_code == BUS_MCEERR_AO);
    atomic_store(&ending_ns, nanoseconds(CLOCK_MONOTONIC));
    sigaction(signal, &standard, NULL);
    long pid = syscall(SYS_getpid), tid = syscall(SYS_gettid);
    if (!fault && syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, info) != 0)
        syscall(SYS_tgkill, pid, tid, signal);
}

/* The agent has let Python's fault handler write to a file of ours. A program that closes all descriptors may
 * have another file under that number now: then the handler is passed over, and the signal does what it did. */
static struct { _Atomic int fd; dev_t device; ino_t file; void *_Atomic handler; } fault_file = {.fd = -1};

EXPORT void outlive_shim_fault_file(int fd)
{
    struct stat status;
    struct sigaction now;
    atomic_store(&fault_file.handler, NULL);
    if (fd < 0 || fstat(fd, &status) != 0 || our_sigaction(SIGSEGV, NULL, &now) != 0)
        return;
    fault_file.device = status.st_dev;
    fault_file.file = status.st_ino;
    atomic_store(&fault_file.fd, fd);
    atomic_store(&fault_file.handler, (void *)now.sa_sigaction);
}

/* It was put in the place of another by us. */
void fault_file_changed(void)
{
    struct stat status;
    if (fstat(atomic_load(&fault_file.fd), &status) == 0) {
        fault_file.device = status.st_dev;
        fault_file.file = status.st_ino;
    }
}

static int would_write_into_anothers_file(const struct sigaction *next)
{
    struct stat status;
    void *handler = atomic_load(&fault_file.handler);
    return handler && (void *)next->sa_sigaction == handler &&
           (fstat(atomic_load(&fault_file.fd), &status) != 0 || status.st_dev != fault_file.device ||
            status.st_ino != fault_file.file);
}

static void caught(const struct sigaction *next, int signal, siginfo_t *info, void *context)
{
    int saved = errno, dies = next->sa_handler == SIG_DFL || would_write_into_anothers_file(next);
    record(signal, info, context, dies);
    if (is_fatal(signal))
        fault_file_late();
    if (dies)
        end_as_before(signal, info);
    if (is_fatal(signal) && !dies) { /* what comes next may put SIG_DFL there and let it happen again */
        atomic_store(&ending_ns, nanoseconds(CLOCK_MONOTONIC));
        last_words_begin();
    }
    errno = saved;
    if (dies)
        return;
    if (next->sa_flags & SA_SIGINFO)
        next->sa_sigaction(signal, info, context);
    else
        next->sa_handler(signal);
    if (is_fatal(signal))
        last_words_end();
}

static void level0(int signal, siginfo_t *info, void *context) { caught(&chain[0][signal], signal, info, context); }
static void level1(int signal, siginfo_t *info, void *context) { caught(&chain[1][signal], signal, info, context); }
static void level2(int signal, siginfo_t *info, void *context) { caught(&chain[2][signal], signal, info, context); }
static void level3(int signal, siginfo_t *info, void *context) { caught(&chain[3][signal], signal, info, context); }
static void (*const levels[LEVELS])(int, siginfo_t *, void *) = {level0, level1, level2, level3};

static int level_of(void (*handler)(int, siginfo_t *, void *))
{
    for (int i = 0; i < LEVELS; i++)
        if (handler == levels[i])
            return i;
    return -1;
}

/* Between our look at a disposition and our change of it the program should not change it. Bounded: a
 * handler that calls sigaction may have interrupted the thread that is inside. */
static int enter(void)
{
    for (int tries = 0; tries < 1000; tries++) {
        if (!atomic_flag_test_and_set(&changing))
            return 1;
        sched_yield();
    }
    return 0;
}

static void leave(int entered)
{
    if (entered)
        atomic_flag_clear(&changing);
}

static int wrap(int signal);

/* Somebody put another disposition in the place of ours: take our place again at once. The next refresh may
 * come too late, or never: when Python ends it takes its fault handler away, and destructors crash after that. */
static NOINLINE void wrap_again(int signal)
{
    int saved = errno, entered = enter();
    if (entered)
        wrap(signal);
    leave(entered);
    errno = saved;
}

/* Whoever asks what was installed is told what we wrap: some libraries install theirs only over SIG_DFL,
 * some warn about a stranger's handler, and "previous" handlers are called later on. */
int our_sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
    int entered = act && enter();
    int result = real_sigaction(signal, act, old);
    leave(entered);
    int level = result == 0 && old ? level_of(old->sa_sigaction) : -1;
    if (level >= 0)
        *old = chain[level][signal];
    if (act && result == 0 && is_fatal(signal) && atomic_load(&levels_used[signal]) && !atomic_load(&confined))
        wrap_again(signal);
    return result;
}

sighandler_t our_signal(int signal, sighandler_t handler)
{
    int entered = enter();
    sighandler_t old = real_signal(signal, handler);
    leave(entered);
    int level = level_of((void (*)(int, siginfo_t *, void *))(void *)old);
    return level >= 0 ? chain[level][signal].sa_handler : old;
}

/* ---- A program that confines itself (seccomp) may die of any system call that it did not count on. ---- */

_Atomic int confined;
__typeof__(prctl) *real_prctl;

/* Put back what we wrap: from now on every signal does what it would have done. */
static void unwrap_all(void)
{
    struct sigaction now;
    for (int signal = 1; signal < SIGNALS; signal++) {
        int level = atomic_load(&levels_used[signal]) && real_sigaction(signal, NULL, &now) == 0
                        ? level_of(now.sa_sigaction)
                        : -1;
        if (level >= 0)
            real_sigaction(signal, &chain[level][signal], NULL);
    }
}

/* Whoever installs a filter says before that nothing more may be gained; libseccomp then makes a system call. */
int our_prctl(int option, ...)
{
    int saved = errno;
    va_list list;
    va_start(list, option);
    unsigned long more[4] = {va_arg(list, unsigned long), va_arg(list, unsigned long), va_arg(list, unsigned long),
                             va_arg(list, unsigned long)};
    va_end(list);
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) {
        atomic_store(&confined, 1);
        unwrap_all();
        own_thread_confine();
    }
    errno = saved;
    return real_prctl(option, more[0], more[1], more[2], more[3]);
}

EXPORT int outlive_shim_confined(void) { return atomic_load(&confined); }

static int same(const struct sigaction *a, const struct sigaction *b)
{
    const int restorer = 0x04000000; /* SA_RESTORER: the C library's own business */
    return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & ~restorer) == 0 &&
           memcmp(&a->sa_mask, &b->sa_mask, 8) == 0;
}

static int wrap(int signal)
{
    struct sigaction old, ours, seen;
    memset(&old, 0, sizeof old);
    if (sigaction(signal, NULL, &old) != 0 || old.sa_handler == SIG_IGN || level_of(old.sa_sigaction) >= 0)
        return 0;
    if (old.sa_handler == SIG_DFL && nanoseconds(CLOCK_MONOTONIC) - atomic_load(&ending_ns) < 2000000000u)
        return 0; /* about to die of it: do not get in the way */
    int level = 0, used = atomic_load(&levels_used[signal]);
    while (level < used && !same(&chain[level][signal], &old))
        level++;
    if (level == LEVELS)
        return 0; /* too many different handlers: let them be */
    if (level == used) {
        chain[level][signal] = old;
        atomic_store(&levels_used[signal], used + 1);
    }
    ours = old; /* the mask and the other flags keep their meaning */
    ours.sa_sigaction = levels[level];
    ours.sa_flags |= SA_SIGINFO | (old.sa_handler == SIG_DFL ? SA_ONSTACK | SA_RESTART : 0);
    /* Swap. If somebody changed the disposition all the same (by a system call), put back what we took
     * from them, and so on until what we took is what we had put there. */
    for (int tries = 0; tries < 100; tries++) {
        memset(&seen, 0, sizeof seen);
        if (sigaction(signal, &ours, &seen) != 0)
            return 0;
        if (same(&seen, &old))
            return level_of(ours.sa_sigaction) >= 0;
        old = ours;
        ours = seen;
    }
    return 0;
}

EXPORT int outlive_shim_watch(const int *signals, int count)
{
    int saved = errno, wrapped = 0;
    sigset_t all, before;
    if (atomic_load(&confined))
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler here would find the door closed */
    int entered = enter();
    for (int i = 0; i < count && entered; i++)
        if (signals[i] > 0 && signals[i] < SIGNALS && signals[i] != SIGCHLD && signals[i] != SIGPROF &&
            signals[i] != SIGWINCH && signals[i] != SIGCONT)
            wrapped += wrap(signals[i]);
    leave(entered);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return wrapped;
}

void signals_forked(void)
{
    atomic_flag_clear(&changing);
    for (int i = 0; i < SLOTS; i++)
        atomic_flag_clear(&slot_busy[i]);
}
