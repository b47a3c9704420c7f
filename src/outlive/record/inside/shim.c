/* Outlive's shim: a plain shared object that the agent loads with ctypes inside the watched program.
 *
 * It keeps, in a file mapped MAP_SHARED so that it outlives any death (SIGKILL included):
 *   - the tail of what is written to stderr: GOT entries of the loaded objects are pointed at wrappers
 *     that copy the bytes and then call the real function, so no descriptor is redirected;
 *   - who sent which signal: SA_SIGINFO handlers that wrap whatever was there and chain to it.
 *
 * The rule above all others: the program must not notice. So: errno is kept, wrappers and handlers never
 * allocate, never lock, use less than 2 KiB of stack and no thread-local storage (static TLS is scarce),
 * no descriptor stays open, and whatever looks odd is left alone.
 */
#undef _FORTIFY_SOURCE /* its vsnprintf aborts on "%n", which the program's own fprintf may allow */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#else
#error "the shim knows x86_64 and aarch64 only"
#endif
#ifndef __GLIBC__
#error "the shim relies on the locking of glibc's dynamic linker"
#endif

#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- The file. Little-endian; record/native.py reads it: change both and VERSION together. ---- */

enum { VERSION = 1, SIGNALS = 65, SLOTS = 64, BANKS = 21, BANK = 3, RING = 64 * 1024 };
enum { COMMAND = 256, NAME = 64, ANCESTORS = 4, ABORT_MESSAGE = 1024, OFTEN = 20, LEVELS = 4 };

struct slot {
    _Atomic uint64_t sequence; /* written last; 0 while the slot is empty or being written */
    int32_t signo, code, sender_pid, sender_uid, pid, tid;
    uint64_t fault_address, realtime_ns, monotonic_ns;
    char thread[16];
    char command[COMMAND]; /* of the sender, NUL between arguments */
    int32_t ancestor_pid[ANCESTORS]; /* parent of the sender first; 0 ends the list */
    char ancestor_name[ANCESTORS][NAME];
    char unused[40];
};

struct area {
    char magic[8]; /* "OUTLSHIM", written last */
    uint32_t version, size, pid, unused;
    _Atomic uint64_t text_total;   /* bytes of text ever reserved; text_total % RING is the next place */
    _Atomic uint64_t signal_total; /* slots ever filled: the last sequence number given */
    _Atomic uint32_t counts[SIGNALS]; /* deliveries per signal, those without a slot included */
    char abort_message[ABORT_MESSAGE];
    char padding[4096 - 40 - 4 * SIGNALS - ABORT_MESSAGE];
    struct slot slots[SLOTS];
    char ring[RING];
};
_Static_assert(sizeof(struct slot) == 640, "slot layout");
_Static_assert(offsetof(struct area, slots) == 4096, "header layout");

static struct area *_Atomic area; /* NULL: keep nothing */

/* ---- Text. ---- */

static void keep_trusted(const char *from, size_t size)
{
    struct area *to = atomic_load_explicit(&area, memory_order_acquire);
    if (!to || !size)
        return;
    if (size > RING) {
        from += size - RING;
        size = RING;
    }
    size_t at = atomic_fetch_add_explicit(&to->text_total, size, memory_order_relaxed) % RING;
    size_t first = size < RING - at ? size : RING - at;
    memcpy(to->ring + at, from, first);
    memcpy(to->ring, from + first, size - first);
}

/* write(2, bad pointer, n) must stay EFAULT instead of a crash in memcpy. The kernel reads the new mask
 * before it looks at the (impossible) operation, so this asks "is it readable?" and changes nothing. */
static int readable(const void *from, size_t size)
{
    uintptr_t end = (uintptr_t)from + size;
    if (end < (uintptr_t)from)
        return 0;
    for (uintptr_t at = (uintptr_t)from & ~(uintptr_t)7; at < end; at = (at | 4095) + 1)
        if (syscall(SYS_rt_sigprocmask, -1, at, NULL, 8) != 0 && errno == EFAULT)
            return 0;
    return 1;
}

static NOINLINE void keep(const char *from, size_t size)
{
    int saved = errno;
    if (size > RING) {
        from += size - RING;
        size = RING;
    }
    if (atomic_load_explicit(&area, memory_order_relaxed) && readable(from, size))
        keep_trusted(from, size);
    errno = saved;
}

static NOINLINE void keep_vector(const struct iovec *vector, int count)
{
    int saved = errno;
    if (count > 0 && count <= 1024 && readable(vector, (size_t)count * sizeof *vector))
        for (int i = 0; i < count; i++)
            keep(vector[i].iov_base, vector[i].iov_len);
    errno = saved;
}

/* Formats a second time, for us; its own frame, gone before the real call. Longer text is cut. */
static NOINLINE __attribute__((format(printf, 1, 0))) void keep_format(const char *format, va_list list)
{
    char text[1024];
    va_list again;
    int saved = errno;
    if (!atomic_load_explicit(&area, memory_order_relaxed))
        return;
    va_copy(again, list);
    int length = vsnprintf(text, sizeof text, format, again);
    va_end(again);
    if (length >= (int)sizeof text) {
        length = sizeof text - 1;
        memcpy(text + length - 4, "...\n", 4);
    }
    if (length > 0)
        keep_trusted(text, (size_t)length);
    errno = saved;
}

static __attribute__((format(printf, 1, 2))) void keep_formatted(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep_format(format, list);
    va_end(list);
}

/* ---- Wrappers: copy, then the real function, whose result and errno are the result. ---- */

#undef putc
int _IO_putc(int, FILE *); /* what putc is called in objects built with glibc before 2.28 */
int __fprintf_chk(FILE *, int, const char *, ...);
int __vfprintf_chk(FILE *, int, const char *, va_list);

#define REAL(function) static __typeof__(function) *real_##function
REAL(write);
REAL(writev);
REAL(fwrite);
REAL(fwrite_unlocked);
REAL(fputs);
REAL(fputc);
REAL(putc);
REAL(_IO_putc);
REAL(fprintf);
REAL(vfprintf);
REAL(__fprintf_chk);
REAL(__vfprintf_chk);
REAL(perror);
REAL(sigaction);
REAL(signal);
REAL(dlsym);

static ssize_t our_write(int fd, const void *from, size_t size)
{
    if (fd == 2)
        keep(from, size);
    return real_write(fd, from, size);
}

static ssize_t our_writev(int fd, const struct iovec *vector, int count)
{
    if (fd == 2)
        keep_vector(vector, count);
    return real_writev(fd, vector, count);
}

static size_t our_fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    size_t total;
    if (stream == stderr && !__builtin_mul_overflow(size, count, &total))
        keep(from, total);
    return real_fwrite(from, size, count, stream);
}

static size_t our_fwrite_unlocked(const void *from, size_t size, size_t count, FILE *stream)
{
    size_t total;
    if (stream == stderr && !__builtin_mul_overflow(size, count, &total))
        keep(from, total);
    return real_fwrite_unlocked(from, size, count, stream);
}

static int our_fputs(const char *text, FILE *stream)
{
    if (stream == stderr)
        keep_trusted(text, strlen(text));
    return real_fputs(text, stream);
}

static NOINLINE void keep_byte(int byte)
{
    char text = (char)byte;
    keep_trusted(&text, 1);
}

#define OUR_PUTC(function)                        \
    static int our_##function(int byte, FILE *stream) \
    {                                             \
        if (stream == stderr)                     \
            keep_byte(byte);                      \
        return real_##function(byte, stream);     \
    }
OUR_PUTC(fputc)
OUR_PUTC(putc)
OUR_PUTC(_IO_putc)

static int our_vfprintf(FILE *stream, const char *format, va_list list)
{
    if (stream == stderr)
        keep_format(format, list);
    return real_vfprintf(stream, format, list);
}

static int our_fprintf(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = our_vfprintf(stream, format, list);
    va_end(list);
    return result;
}

static int our___vfprintf_chk(FILE *stream, int flag, const char *format, va_list list)
{
    if (stream == stderr)
        keep_format(format, list);
    return real___vfprintf_chk(stream, flag, format, list);
}

static int our___fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = our___vfprintf_chk(stream, flag, format, list);
    va_end(list);
    return result;
}

static void our_perror(const char *text)
{
    int some = text && *text;
    keep_formatted("%s%s%m\n", some ? text : "", some ? ": " : "");
    real_perror(text);
}

/* ---- Signals. ----
 * levels[i] is one of our handlers; chain[i][signal] is what it wraps, written once, before levels[i] is
 * installed for that signal, so that handlers read it without locks. Several levels, since a handler put
 * on top of ours may go on to ours, as "the previous one": it must then reach what was below, not itself. */

static struct sigaction chain[LEVELS][SIGNALS];
static _Atomic int levels_used[SIGNALS];
static _Atomic uint64_t rate_second[SIGNALS], ending_ns;
static _Atomic uint32_t rate[SIGNALS], turn[BANKS];
static atomic_flag slot_busy[SLOTS], changing = ATOMIC_FLAG_INIT;
static struct abort_text { unsigned int size; char text[]; } **abort_text; /* glibc's __abort_msg */

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

static NOINLINE void record(int signal, const siginfo_t *info, int dies)
{
    struct area *to = atomic_load_explicit(&area, memory_order_acquire);
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
        atomic_store(&slot->sequence, atomic_fetch_add(&to->signal_total, 1) + 1);
        atomic_flag_clear(&slot_busy[index]);
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

static void caught(const struct sigaction *next, int signal, siginfo_t *info, void *context)
{
    int saved = errno, dies = next->sa_handler == SIG_DFL;
    record(signal, info, dies);
    if (dies)
        end_as_before(signal, info);
    errno = saved;
    if (dies)
        return;
    if (next->sa_flags & SA_SIGINFO)
        next->sa_sigaction(signal, info, context);
    else
        next->sa_handler(signal);
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

/* Whoever asks what was installed is told what we wrap: some libraries install theirs only over SIG_DFL,
 * some warn about a stranger's handler, and "previous" handlers are called later on. */
static int our_sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
    int entered = act && enter();
    int result = real_sigaction(signal, act, old);
    leave(entered);
    int level = result == 0 && old ? level_of(old->sa_sigaction) : -1;
    if (level >= 0)
        *old = chain[level][signal];
    return result;
}

static sighandler_t our_signal(int signal, sighandler_t handler)
{
    int entered = enter();
    sighandler_t old = real_signal(signal, handler);
    leave(entered);
    int level = level_of((void (*)(int, siginfo_t *, void *))(void *)old);
    return level >= 0 ? chain[level][signal].sa_handler : old;
}

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

/* ---- Patching. ---- */

static void *our_dlsym(void *handle, const char *name);

static struct hook {
    const char *name;
    void *ours, **real;
    const char *only; /* only in objects whose file name starts so */
    int lazy;         /* a call not bound yet would be bound to `real` (nobody interposes) */
} hooks[] = {
#define HOOK(function) {#function, (void *)our_##function, (void **)&real_##function, "", 0}
    HOOK(write), HOOK(writev), HOOK(fwrite), HOOK(fwrite_unlocked), HOOK(fputs), HOOK(fputc),
    HOOK(putc), HOOK(_IO_putc), HOOK(fprintf), HOOK(vfprintf), HOOK(__fprintf_chk),
    HOOK(__vfprintf_chk), HOOK(perror), HOOK(sigaction), HOOK(signal),
    {"dlsym", (void *)our_dlsym, (void **)&real_dlsym, "_ctypes.", 0},
};

/* ctypes asks for functions by name, there is no GOT entry. Only there: it always asks a handle, while
 * RTLD_NEXT and RTLD_DEFAULT depend on who is calling. */
static void *our_dlsym(void *handle, const char *name)
{
    void *found = real_dlsym(handle, name);
    for (size_t i = 0; found && i < COUNT(hooks); i++)
        if (found == *hooks[i].real && !*hooks[i].only)
            return hooks[i].ours;
    return found;
}

static pthread_mutex_t patching = PTHREAD_MUTEX_INITIALIZER; /* held also across fork */
static uintptr_t page_size, lowest_real = UINTPTR_MAX, highest_real;
static struct { unsigned long long adds, subs; int objects, wanted, patched; } walk;

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static int is_system(const char *path) /* the C library, the dynamic linker, the kernel's vdso */
{
    static const char *const starts[] = {"libc.so", "libc-2", "libpthread", "libdl", "ld-", "ld.so", "linux-"};
    for (size_t i = 0; i < COUNT(starts); i++)
        if (strncmp(base_name(path), starts[i], strlen(starts[i])) == 0)
            return 1;
    return 0;
}

static int find_real_functions(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!libc)
        return -ENOSYS;
    for (size_t i = 0; i < COUNT(hooks); i++) {
        Dl_info where;
        void *found = dlsym(RTLD_DEFAULT, hooks[i].name); /* where the program's calls go */
        hooks[i].lazy = found && dladdr(found, &where) && is_system(where.dli_fname);
        *hooks[i].real = hooks[i].lazy ? found : dlsym(libc, hooks[i].name);
        uintptr_t real = (uintptr_t)*hooks[i].real;
        lowest_real = real && real < lowest_real ? real : lowest_real;
        highest_real = real > highest_real ? real : highest_real;
    }
    abort_text = dlsym(libc, "__abort_msg");
    dlerror(); /* leave no message of ours for the program to find */
    return real_vfprintf && real___vfprintf_chk ? 0 : -ENOSYS;
}

static int inside(const struct dl_phdr_info *object, uintptr_t address, uint32_t flag)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & flag) &&
            address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return 1;
    }
    return 0;
}

/* Which of our functions an entry should lead to: it leads to the real one, or it is this object's own
 * stub of a call that is not bound yet. Anything else is left alone: a stranger's interposer, or ours. */
static const struct hook *hook_for(const struct dl_phdr_info *object, uintptr_t now, const char *name)
{
    const struct hook *found = NULL;
    if (now >= lowest_real && now <= highest_real) {
        for (size_t i = 0; i < COUNT(hooks) && !found; i++)
            if (now == (uintptr_t)*hooks[i].real)
                found = &hooks[i];
    } else if (name) {
        for (size_t i = 0; i < COUNT(hooks) && !found; i++)
            if (hooks[i].lazy && strcmp(name, hooks[i].name) == 0)
                found = &hooks[i];
    }
    if (found && strncmp(base_name(object->dlpi_name), found->only, strlen(found->only)) != 0)
        return NULL;
    return found;
}

static int patch_slot(const struct dl_phdr_info *object, uintptr_t slot, void *ours)
{
    uintptr_t page = slot & ~(page_size - 1);
    int protected = 0;
    if (!inside(object, slot, PF_W))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        /* As the dynamic linker does it: whole pages, the last partial one stays writable. */
        if (part->p_type == PT_GNU_RELRO && page >= (start & ~(page_size - 1)) && slot < (end & ~(page_size - 1)))
            protected = 1;
    }
    if (protected && mprotect((void *)page, page_size, PROT_READ | PROT_WRITE) != 0)
        return 0;
    atomic_store((void *_Atomic *)slot, ours);
    if (protected)
        mprotect((void *)page, page_size, PROT_READ);
    return 1;
}

static int patch_object(const struct dl_phdr_info *object)
{
    uintptr_t base = object->dlpi_addr;
    uintptr_t code = 0, code_size = 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(base + part->p_vaddr);
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            code = base + part->p_vaddr;
            code_size = part->p_memsz;
        }
    }
    if (!dynamic || is_system(object->dlpi_name) || inside(object, (uintptr_t)&patch_object, PF_X))
        return 0;
    uintptr_t symbols = 0, names = 0, tables[2] = {0, 0};
    size_t names_size = 0, sizes[2] = {0, 0}, relative = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t value = dynamic->d_un.d_val, address = value < base ? value + base : value;
        switch (dynamic->d_tag) {
        case DT_SYMTAB: symbols = address; break;
        case DT_STRTAB: names = address; break;
        case DT_STRSZ: names_size = value; break;
        case DT_RELA: tables[0] = address; break;
        case DT_RELASZ: sizes[0] = value; break;
        case DT_RELACOUNT: relative = value; break; /* that many come first and have no name */
        case DT_JMPREL: tables[1] = address; break;
        case DT_PLTRELSZ: sizes[1] = value; break;
        case DT_RELAENT: if (value != sizeof(ElfW(Rela))) return 0; break;
        case DT_SYMENT: if (value != sizeof(ElfW(Sym))) return 0; break;
        case DT_PLTREL: if (value != DT_RELA) return 0; break;
        }
    }
    int patched = 0;
    for (int t = 0; t < 2 && symbols && names; t++) {
        const ElfW(Rela) *entries = (const ElfW(Rela) *)tables[t];
        size_t count = entries ? sizes[t] / sizeof *entries : 0;
        for (size_t i = t == 0 && relative < count ? relative : 0; i < count; i++) {
            uint64_t type = ELF64_R_TYPE(entries[i].r_info);
            if (type != JUMP_SLOT && type != GLOB_DAT)
                continue;
            uintptr_t slot = base + entries[i].r_offset;
            if (slot % sizeof(void *))
                continue;
            uintptr_t now = atomic_load((_Atomic uintptr_t *)slot);
            const char *name = NULL; /* looked up only where needed: big objects have 100,000s */
            if (type == JUMP_SLOT && now - code < code_size) {
                const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols + ELF64_R_SYM(entries[i].r_info);
                if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < names_size)
                    name = (const char *)names + symbol->st_name;
            }
            const struct hook *hook = hook_for(object, now, name);
            if (hook)
                patched += patch_slot(object, slot, hook->ours);
        }
    }
    return patched > 0;
}

static int each_object(struct dl_phdr_info *object, size_t size, void *data)
{
    int *index = data;
    if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof object->dlpi_subs)
        return 1;
    if (*index == 0) {
        if (object->dlpi_adds == walk.adds && object->dlpi_subs == walk.subs)
            return 1;
        if (!walk.wanted)
            return 2;
        if (object->dlpi_subs != walk.subs)
            walk.objects = 0; /* something was unloaded, an address may be in use again: look at all */
        walk.adds = object->dlpi_adds;
        walk.subs = object->dlpi_subs;
    }
    if ((*index)++ >= walk.objects) /* new ones come at the end of the list */
        walk.patched += patch_object(object);
    return 0;
}

/* Signals are blocked while `patching` is held: a handler that forks would wait for its own thread. */
static int walk_objects(int wanted)
{
    sigset_t all, before;
    int index = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&patching);
    walk.wanted = wanted;
    int result = dl_iterate_phdr(each_object, &index);
    if (result == 0)
        walk.objects = index;
    pthread_mutex_unlock(&patching);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* dl_iterate_phdr shows objects that another thread's dlopen is still relocating; writing to (and
 * protecting!) their GOT would crash that thread. dlopen holds the linker's lock until all is done, and
 * so does dlsym while it asks an indirect function for its address: so the work is done in there. */
static atomic_int resolving;
static void under_the_lock(void) {}
static void (*patch_under_the_lock(void))(void)
{
    if (atomic_load(&resolving))
        walk_objects(1);
    return under_the_lock;
}
EXPORT void outlive_shim_under_lock(void) __attribute__((ifunc("patch_under_the_lock")));

/* fork may have copied the linker's other lock while a thread that is gone held it: then whoever takes it
 * in this child waits forever. Let a thread of no importance find out; until it returns nothing is patched. */
enum { USABLE, UNKNOWN, ASKED };
static atomic_int linker = USABLE;

static int stop_at_once(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)object, (void)size, (void)data;
    return 1;
}

static void *ask_linker(void *data)
{
    dl_iterate_phdr(stop_at_once, NULL);
    atomic_store(&linker, USABLE);
    return data;
}

static int linker_usable(void)
{
    int unknown = UNKNOWN;
    if (atomic_compare_exchange_strong(&linker, &unknown, ASKED)) {
        sigset_t all, before;
        pthread_attr_t attributes;
        pthread_t thread;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread must not get the program's signals */
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 256 * 1024);
        pthread_create(&thread, &attributes, ask_linker, NULL);
        pthread_attr_destroy(&attributes);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return atomic_load(&linker) == USABLE;
}

EXPORT int outlive_shim_patch(void)
{
    int saved = errno, result = 0;
    if (page_size && linker_usable() && walk_objects(0) == 2) {
        int before = walk.patched;
        atomic_store(&resolving, 1);
        dlsym(RTLD_DEFAULT, "outlive_shim_under_lock"); /* looks in this object too */
        atomic_store(&resolving, 0);
        result = walk.patched - before;
    }
    errno = saved;
    return result;
}

/* ---- Opening. ---- */

static void before_fork(void) { pthread_mutex_lock(&patching); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&patching); }
static void after_fork_in_child(void)
{
    atomic_store(&area, NULL); /* that is the parent's: keep nothing until reopened */
    pthread_mutex_init(&patching, NULL);
    atomic_store(&linker, UNKNOWN);
    atomic_flag_clear(&changing);
    for (int i = 0; i < SLOTS; i++)
        atomic_flag_clear(&slot_busy[i]);
}

EXPORT size_t outlive_shim_size(void) { return sizeof(struct area); }

EXPORT int outlive_shim_reopen(const char *path)
{
    struct stat status;
    atomic_store(&area, NULL);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    struct area *to = MAP_FAILED;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != sizeof(struct area))
        errno = EINVAL; /* a shorter file would be SIGBUS */
    else
        to = mmap(NULL, sizeof *to, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = errno;
    close(fd); /* at once: programs close all descriptors and reuse the numbers */
    if (to == MAP_FAILED)
        return -error;
    to->version = VERSION;
    to->size = sizeof *to;
    to->pid = (uint32_t)getpid();
    atomic_thread_fence(memory_order_release);
    memcpy(to->magic, "OUTLSHIM", 8);
    atomic_store(&area, to); /* an old mapping stays: an interrupted writer may be in the middle of it */
    return 0;
}

EXPORT int outlive_shim_open(const char *path)
{
    if (!page_size) {
        int error = find_real_functions();
        if (error)
            return error;
        if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0)
            return -ENOMEM;
        page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    }
    return outlive_shim_reopen(path);
}
