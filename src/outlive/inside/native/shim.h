/* Outlive's shim: a plain shared object that the agent loads with ctypes inside the watched program.
 *
 * It keeps, in a file mapped MAP_SHARED so that it outlives any death (SIGKILL included):
 *   - the tail of what is written to stderr (text.c): GOT entries of the loaded objects are pointed at
 *     wrappers (patching.c) that copy the bytes and then call the real function, so no descriptor is
 *     redirected;
 *   - who sent which signal (signals.c): SA_SIGINFO handlers that wrap whatever was there and chain to it;
 *   - at a crash, the raw words of it (crash.c), also when the stack of a thread is used up (threads.c).
 * And it lets the agent see the calls of some functions of Python's own that are written in C (calls.c).
 *
 * The rule above all others: the program must not notice. So: errno is kept, wrappers and handlers never
 * allocate, never lock, use less than 2 KiB of stack and no thread-local storage (static TLS is scarce),
 * no descriptor stays open, and whatever looks odd is left alone.
 */
#ifndef OUTLIVE_SHIM_H
#define OUTLIVE_SHIM_H
#undef _FORTIFY_SOURCE /* its vsnprintf aborts on "%n", which the program's own fprintf may allow */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the shim knows x86_64 and aarch64 only"
#endif
#ifndef __GLIBC__
#error "the shim relies on the locking of glibc's dynamic linker"
#endif

#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- The file. Little-endian; recorder/crash/shim_file.py reads it: change both and VERSION together. ---- */

enum { VERSION = 2, SIGNALS = 65, SLOTS = 64, BANKS = 21, BANK = 3, RING = 64 * 1024 };
enum { COMMAND = 256, NAME = 16, ANCESTORS = 12, ABORT_MESSAGE = 1024, LAST_WORDS = 24 * 1024 };
enum { CRASHES = 2, REGISTERS = 34, CODE = 16, MOUNT = 160, MAPS = 16 * 1024, STACK = 48 * 1024 };
enum { LINES = 7680, LINE = 512 };

struct slot {
    _Atomic uint64_t sequence; /* written last; 0 while the slot is empty or being written */
    int32_t signo, code, sender_pid, sender_uid, pid, tid;
    uint64_t fault_address, realtime_ns, monotonic_ns;
    char thread[16];
    char command[COMMAND]; /* of the sender, NUL between arguments */
    int32_t ancestor_pid[ANCESTORS]; /* parent of the sender first; 0 ends the list */
    char ancestor_name[ANCESTORS][NAME];
    char unused[72];
};

/* What the signal with this sequence number left behind. Memory in clear: it is decoded and dropped after
 * the run. */
struct crash {
    _Atomic uint64_t sequence; /* written last */
    uint32_t machine, register_count; /* as in ELF; how many of: */
    uint64_t registers[REGISTERS];
    uint64_t counter, stack_pointer;
    uint64_t thread_stack_top, thread_stack_size; /* 0: not a thread that threads.c began */
    uint64_t stack_start;
    uint64_t block_size, blocks, blocks_free; /* of the file system of `mount`, if it is one in memory */
    uint32_t stack_size, maps_size, code_size, unused;
    unsigned char code[CODE]; /* at the program counter */
    char mount[MOUNT];        /* where the file system of the file at the fault's address is mounted (SIGBUS) */
    char maps[MAPS];          /* lines of /proc/self/maps */
    char stack[STACK];        /* from `stack_start` up */
    char scratch[LINES + LINE];
};

struct area {
    char magic[8]; /* "OUTLSHIM", written last */
    uint32_t version, size, pid;
    _Atomic uint32_t last_words_size; /* of what a fault handler wrote, wherever it wrote it */
    _Atomic uint64_t text_total;   /* bytes of text ever reserved; text_total % RING is the next place */
    _Atomic uint64_t signal_total; /* slots ever filled: the last sequence number given */
    _Atomic uint32_t counts[SIGNALS]; /* deliveries per signal, those without a slot included */
    char abort_message[ABORT_MESSAGE];
    _Atomic uint32_t late; /* files of this kind that forked children have made in a hurry */
    char padding[4096 - 44 - 4 * SIGNALS - ABORT_MESSAGE];
    struct slot slots[SLOTS];
    char ring[RING];
    char last_words[LAST_WORDS];
    struct crash crashes[CRASHES];
};
_Static_assert(sizeof(struct slot) == 640, "slot layout");
_Static_assert(offsetof(struct crash, maps) == 544, "crash layout");
_Static_assert(offsetof(struct area, slots) == 4096, "header layout");


extern struct area *_Atomic area; /* NULL: keep nothing */
extern atomic_int may_be_late;    /* in a forked child that has no file of its own yet: make it when it is needed */
struct area *late_area(void);

static inline struct area *here(void)
{
    struct area *now = atomic_load_explicit(&area, memory_order_acquire);
    return now || !atomic_load_explicit(&may_be_late, memory_order_relaxed) ? now : late_area();
}

/* ---- The functions of the C library that are wrapped: ours, and the real ones. ---- */

#undef putc
int _IO_putc(int, FILE *); /* what putc is called in objects built with glibc before 2.28 */
int __fprintf_chk(FILE *, int, const char *, ...);
int __vfprintf_chk(FILE *, int, const char *, va_list);

#define WRAPPED(function)                        \
    extern __typeof__(function) *real_##function; \
    __typeof__(function) our_##function
WRAPPED(write);
WRAPPED(writev);
WRAPPED(fwrite);
WRAPPED(fwrite_unlocked);
WRAPPED(fputs);
WRAPPED(fputc);
WRAPPED(putc);
WRAPPED(_IO_putc);
WRAPPED(fprintf);
WRAPPED(vfprintf);
WRAPPED(__fprintf_chk);
WRAPPED(__vfprintf_chk);
WRAPPED(perror);
WRAPPED(sigaction);
WRAPPED(signal);
WRAPPED(prctl);
WRAPPED(pthread_create);
WRAPPED(fopen);
WRAPPED(fopen64);

/* ---- What the files know of each other. ---- */

int readable(const void *from, size_t size); /* text.c */
void last_words_begin(void);
void last_words_end(void);

struct abort_text { unsigned int size; char text[]; };
extern struct abort_text **abort_text; /* signals.c: glibc's __abort_msg */
int is_fatal(int signal);
extern _Atomic int confined; /* the program may die of system calls that it did not count on */
void signals_forked(void);

/* crash.c: keep what belongs to the signal with this number in the file */
void keep_crash(struct area *in, int signal, const siginfo_t *info, const void *context, uint64_t sequence, int dies);
void crash_forked(void);

void threads_stack(uint64_t *top, uint64_t *size); /* threads.c */
void own_thread_next(int is_next, int directly); /* the next thread that this one starts is ours, and a small stack enough */
void sampler_forked(void);  /* sampler.c */

/* own_thread.c, forks.c */
int own_threads(void), is_own_thread(unsigned long ident);
int own_thread_pause(uint64_t nanoseconds); /* in our thread, without the GIL: whether it is to end */
void own_thread_ended(void), own_thread_confine(void);
void own_thread_begin_in_child(double delay);
void own_thread_before_fork(void), own_thread_after_fork_in_parent(void), own_thread_forked(void);
void forks_in_linker(int is), forks_hold(int more);
void fault_file_changed(void); /* signals.c: what it writes to has become another file of ours */
void fault_file_late(void); /* opening.c: give the fault handler of a forked child a file of its own */

void own_thread_begin_young(double delay), own_thread_leave_young(void);

/* young.c */
int young_waits(void);
void young_grow_up(void), young_forked(void);

/* opening.c */
int library_open(void); /* 0, or -errno */
void area_may_be_late(void);
void area_forget(void); /* of a process that has nothing to tell */
void fault_file_is_borrowed(int fd); /* it gets a file of its own when there is something to write */

int patching_open(void); /* patching.c: 0, or -errno; the first time it looks for the real functions */
int patch_pointer(void **slot, void *ours); /* whether it was done */
void patching_before_fork(void);
void patching_after_fork_in_parent(void);
void patching_after_fork_in_child(void);

#endif
