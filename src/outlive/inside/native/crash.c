/* What a fatal signal leaves behind: registers, the instruction, the stack, and what lies at these addresses.
 *
 * Raw data only. Frames and symbols are found in it after the death, by another process: an unwinder takes
 * locks, and a crash may have happened while they were held. Everything is written straight into the mapped
 * file, all memory is asked for before it is read, and the files of /proc are read piece by piece. */
#include "shim.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <time.h>
#include <ucontext.h>

enum { PAGE = 4096, GUARDS = 256, MAX_READS = 4096, MAX_CODE_LINES = 1024, TIMES_A_SECOND = 2 };

static atomic_flag crash_busy[CRASHES];
static _Atomic uint32_t crash_turn, crash_rate;
static _Atomic uint64_t crash_second;

/* In the order of DWARF, which is how the tables for unwinding number them; the program counter is last. */
static void keep_registers(struct crash *to, const ucontext_t *context)
{
#if defined(__x86_64__)
    static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    to->machine = EM_X86_64;
    to->register_count = COUNT(order);
    for (size_t i = 0; i < COUNT(order); i++)
        to->registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    to->stack_pointer = to->registers[7];
#else
    to->machine = EM_AARCH64;
    to->register_count = 33;
    for (int i = 0; i < 31; i++)
        to->registers[i] = context->uc_mcontext.regs[i];
    to->registers[31] = to->stack_pointer = context->uc_mcontext.sp;
    to->registers[32] = context->uc_mcontext.pc;
#endif
    to->counter = to->registers[to->register_count - 1];
}

static void keep_code(struct crash *to)
{
    const char *from = (const char *)(uintptr_t)to->counter;
    uint32_t size = CODE;
    if (!readable(from, size)) /* the last instruction of a mapping */
        size = (uint32_t)(PAGE - to->counter % PAGE) < size ? (uint32_t)(PAGE - to->counter % PAGE) : 0;
    if (!size || !readable(from, size))
        return;
    memcpy(to->code, from, size);
    to->code_size = size;
}

/* From the stack pointer up. When the stack is used up it points into the guard below it: look above. */
static void keep_stack(struct crash *to)
{
    uintptr_t at = to->stack_pointer & ~(uintptr_t)7;
    for (int i = 0; i < GUARDS && !readable((void *)at, 8); i++)
        at = (at | (PAGE - 1)) + 1;
    to->stack_start = at;
    while (to->stack_size < STACK) {
        size_t size = PAGE - at % PAGE;
        if (size > STACK - to->stack_size)
            size = STACK - to->stack_size;
        if (!readable((void *)at, size))
            return;
        memcpy(to->stack + to->stack_size, (void *)at, size);
        to->stack_size += (uint32_t)size;
        at += size;
    }
}

/* ---- Lines of a file of /proc, which are taken from it as they come: no memory for all of it. ---- */

struct lines { long fd; char *buffer; size_t room, at, end; int reads; };

static int open_lines(struct lines *lines, const char *path, char *buffer, size_t room)
{
    memset(lines, 0, sizeof *lines);
    lines->fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    lines->buffer = buffer;
    lines->room = room;
    return lines->fd >= 0;
}

static const char *next_line(struct lines *lines, size_t *size)
{
    for (;;) {
        char *from = lines->buffer + lines->at, *end = memchr(from, '\n', lines->end - lines->at);
        if (end) {
            *size = (size_t)(end + 1 - from);
            lines->at += *size;
            return from;
        }
        memmove(lines->buffer, from, lines->end - lines->at);
        lines->end -= lines->at;
        lines->at = 0;
        long got = lines->end < lines->room && lines->reads++ < MAX_READS
                       ? syscall(SYS_read, lines->fd, lines->buffer + lines->end, lines->room - lines->end)
                       : 0;
        if (got <= 0)
            return NULL;
        lines->end += (size_t)got;
    }
}

static uint64_t number(const char **at, const char *end, int base)
{
    uint64_t value = 0;
    for (; *at < end; ++*at) {
        int digit = **at >= '0' && **at <= '9' ? **at - '0' : **at >= 'a' && **at <= 'f' ? **at - 'a' + 10 : 16;
        if (digit >= base)
            break;
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    return value;
}

static int add_line(struct crash *to, const char *line, size_t size)
{
    if (size > MAPS - to->maps_size)
        return 0;
    memcpy(to->maps + to->maps_size, line, size);
    to->maps_size += (uint32_t)size;
    return 1;
}

static int on_the_stack(const struct crash *to, uint64_t low, uint64_t high)
{
    const uint64_t *words = (const uint64_t *)to->stack;
    for (size_t i = 0; i < to->stack_size / sizeof *words; i++)
        if (words[i] - low < high - low)
            return 1;
    return 0;
}

/* The mappings that matter: of the instruction, of the stack, of the fault with its neighbours, and all code
 * that the stack may return to. Gives the device of the fault's mapping, or 0. */
static uint64_t keep_maps(struct crash *to, uint64_t fault)
{
    struct lines lines;
    char *previous = to->scratch + LINES; /* a copy: its place is used again */
    size_t size, previous_size = 0;
    uint64_t device = 0;
    int passed = 0, code_lines = 0;
    if (!open_lines(&lines, "/proc/self/maps", to->scratch, LINES))
        return 0;
    for (const char *line; (line = next_line(&lines, &size));) {
        const char *at = line, *end = line + size;
        uint64_t low = number(&at, end, 16);
        at++;
        uint64_t high = number(&at, end, 16);
        int executable = at + 3 < end && at[3] == 'x';
        int wanted = to->counter - low < high - low || to->stack_pointer - low < high - low || passed == 1;
        if (passed == 1)
            passed = 2;
        if (!passed && fault < high) { /* it, or the first one after it */
            passed = 1;
            wanted = 1;
            add_line(to, previous, previous_size);
            if (fault >= low) {
                at += 6; /* " rw-p " */
                number(&at, end, 16);
                at++;
                uint64_t major = number(&at, end, 16);
                at++;
                device = major << 32 | number(&at, end, 16);
            }
        }
        if (!wanted && executable && code_lines++ < MAX_CODE_LINES)
            wanted = on_the_stack(to, low, high);
        if (wanted)
            add_line(to, line, size);
        previous_size = !wanted && size <= LINE ? size : 0;
        memcpy(previous, line, previous_size);
    }
    syscall(SYS_close, lines.fd);
    return device;
}

/* A file system in memory may be full, and be empty again when the program is gone: ask now. No other kind
 * is asked: a network's may not answer. */
static void keep_file_system(struct crash *to, uint64_t device)
{
    struct lines lines;
    size_t size;
    if (!device || !open_lines(&lines, "/proc/self/mountinfo", to->scratch, LINES))
        return;
    for (const char *line; (line = next_line(&lines, &size));) {
        const char *at = line, *end = line + size; /* id parent major:minor root point options... - type ... */
        number(&at, end, 10), at++;
        number(&at, end, 10), at++;
        uint64_t major = number(&at, end, 10);
        at++;
        if ((major << 32 | number(&at, end, 10)) != device)
            continue;
        const char *root = memchr(at + 1, ' ', (size_t)(end - at - 1));
        const char *point_end = root ? memchr(root + 1, ' ', (size_t)(end - root - 1)) : NULL;
        const char *type = memmem(line, size, " - ", 3);
        if (!point_end || !type || (size_t)(point_end - root) > sizeof to->mount)
            break;
        memcpy(to->mount, root + 1, (size_t)(point_end - root - 1));
        struct statfs status;
        if ((strncmp(type, " - tmpfs ", 9) == 0 || strncmp(type, " - hugetlbfs ", 13) == 0) &&
            syscall(SYS_statfs, to->mount, &status) == 0) {
            to->block_size = (uint64_t)status.f_bsize;
            to->blocks = (uint64_t)status.f_blocks;
            to->blocks_free = (uint64_t)status.f_bavail;
        }
        break;
    }
    syscall(SYS_close, lines.fd);
}

void keep_crash(struct area *in, int signal, const siginfo_t *info, const void *context, uint64_t sequence, int dies)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (atomic_exchange(&crash_second, (uint64_t)now.tv_sec) != (uint64_t)now.tv_sec)
        atomic_store(&crash_rate, 0);
    if (!context || (atomic_fetch_add(&crash_rate, 1) >= TIMES_A_SECOND && !dies))
        return; /* a runtime that lives with faults (Java's) has many of them */
    uint32_t index = atomic_fetch_add(&crash_turn, 1) % CRASHES;
    if (atomic_flag_test_and_set(&crash_busy[index]))
        return;
    struct crash *to = &in->crashes[index];
    atomic_store(&to->sequence, 0);
    memset((char *)to + sizeof to->sequence, 0, offsetof(struct crash, maps) - sizeof to->sequence);
    keep_registers(to, context);
    keep_code(to);
    threads_stack(&to->thread_stack_top, &to->thread_stack_size);
    keep_stack(to);
    uint64_t fault = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : to->counter;
    uint64_t device = keep_maps(to, fault);
    if (signal == SIGBUS)
        keep_file_system(to, device);
    atomic_store(&to->sequence, sequence);
    atomic_flag_clear(&crash_busy[index]);
}

void crash_forked(void)
{
    for (int i = 0; i < CRASHES; i++)
        atomic_flag_clear(&crash_busy[i]);
}
