/* Outlive's shim: a plain shared object that the agent loads with ctypes inside the watched program.
 *
 * It keeps, in a file mapped MAP_SHARED so that it outlives any death (SIGKILL included):
 *   - the tail of what is written to stderr (text.c): GOT entries of the loaded objects are pointed at
 *     wrappers (patching.c) that copy the bytes and then call the real function, so no descriptor is
 *     redirected;
 *   - who sent which signal (signals.c): SA_SIGINFO handlers that wrap whatever was there and chain to it.
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
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

/* ---- The file. Little-endian; record/native.py reads it: change both and VERSION together. ---- */

enum { VERSION = 1, SIGNALS = 65, SLOTS = 64, BANKS = 21, BANK = 3, RING = 64 * 1024 };
enum { COMMAND = 256, NAME = 64, ANCESTORS = 4, ABORT_MESSAGE = 1024 };

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


extern struct area *_Atomic area; /* NULL: keep nothing */

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

/* ---- What the files know of each other. ---- */

int readable(const void *from, size_t size); /* text.c */

struct abort_text { unsigned int size; char text[]; };
extern struct abort_text **abort_text; /* signals.c: glibc's __abort_msg */
void signals_forked(void);

int patching_open(void); /* patching.c: 0, or -errno; the first time it looks for the real functions */
void patching_before_fork(void);
void patching_after_fork_in_parent(void);
void patching_after_fork_in_child(void);

#endif
