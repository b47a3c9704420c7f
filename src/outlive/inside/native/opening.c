/* The file that everything is kept in: made, and made anew in a forked child, at the latest when there is something to keep. */
#include "shim.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_LATE = 100, PATH = 4096, LEAST_OF_A_FAULT = 64 * 1024 };

struct area *_Atomic area;
atomic_int may_be_late;
static struct area *parents;
static char folder[PATH]; /* with a slash at its end; empty: children keep nothing before they are told to */
static struct { atomic_int fd, is_parents; dev_t device; ino_t inode; } fault = {.fd = -1};

static int allows(size_t size) /* a larger file is SIGXFSZ */
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size);
}

/* With all of its blocks, so that a full disk cannot be a SIGBUS later. */
static struct area *make(const char *path, int *error)
{
    *error = EFBIG;
    if (!allows(sizeof(struct area)))
        return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    *error = errno;
    if (fd < 0)
        return NULL;
    struct area *to = MAP_FAILED;
    *error = posix_fallocate(fd, 0, sizeof *to);
    if (*error == 0) {
        to = mmap(NULL, sizeof *to, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        *error = to == MAP_FAILED ? errno : 0;
    }
    close(fd); /* at once: programs close all descriptors and reuse the numbers */
    if (*error) {
        unlink(path);
        return NULL;
    }
    to->version = VERSION;
    to->size = sizeof *to;
    to->pid = (uint32_t)getpid();
    atomic_thread_fence(memory_order_release);
    memcpy(to->magic, "OUTLSHIM", 8);
    return to;
}

/* In a handler, too: no memory is allocated, nothing is locked. */
static void path_in_folder(char *path, uint64_t first, const char *between, uint64_t second, const char *last)
{
    char digits[24], *end = stpcpy(path, folder);
    uint64_t numbers[2] = {first, second};
    for (int i = 0; i < (*between ? 2 : 1); i++) {
        int count = 0;
        end = i ? stpcpy(end, between) : end;
        do
            digits[count++] = (char)('0' + numbers[i] % 10);
        while ((numbers[i] /= 10) > 0);
        while (count)
            *end++ = digits[--count];
    }
    stpcpy(end, last);
}

struct area *late_area(void)
{
    int saved = errno, error, one = 1;
    static char path[PATH + 64]; /* once in a process: not on the stack of a handler */
    if (!atomic_compare_exchange_strong(&may_be_late, &one, 0) ||
        (parents && atomic_fetch_add(&parents->late, 1) >= MOST_LATE))
        return NULL;
    path_in_folder(path, (uint64_t)getpid(), "", 0, ".native");
    struct area *to = make(path, &error);
    atomic_store(&area, to);
    errno = saved;
    return to;
}

/* A fatal signal in a forked child whose fault handler would still write into its parent's file. */
void fault_file_late(void)
{
    int saved = errno, one = 1, fd = atomic_load(&fault.fd);
    static char path[PATH + 64]; /* once in a process: not on the stack of a handler */
    struct stat status;
    struct timespec now;
    if (!atomic_compare_exchange_strong(&fault.is_parents, &one, 0) || !*folder || fstat(fd, &status) != 0 ||
        status.st_dev != fault.device || status.st_ino != fault.inode)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    path_in_folder(path, (uint64_t)getpid(), "-", (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, ".fault");
    int made = (!parents || atomic_load(&parents->late) <= MOST_LATE) && allows(LEAST_OF_A_FAULT)
                   ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)
                   : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (made >= 0) {
        dup3(made, fd, O_CLOEXEC);
        close(made);
        fault_file_changed();
    }
    errno = saved;
}

/* The descriptor that the fault handler writes to, or -1. */
EXPORT void outlive_shim_fault(int fd)
{
    struct stat status;
    int known = fd >= 0 && fstat(fd, &status) == 0;
    if (known) {
        fault.device = status.st_dev;
        fault.inode = status.st_ino;
    }
    atomic_store(&fault.is_parents, 0);
    atomic_store(&fault.fd, known ? fd : -1);
}

/* A Python that was started by another one of the run has none of its own yet. */
void fault_file_is_borrowed(int fd)
{
    outlive_shim_fault(fd);
    atomic_store(&fault.is_parents, 1);
}

void area_may_be_late(void) { atomic_store(&may_be_late, 1); }

void area_forget(void)
{
    struct area *made = atomic_load(&area);
    char path[PATH + 64];
    if (made && made->pid == (uint32_t)getpid()) {
        path_in_folder(path, made->pid, "", 0, ".native");
        unlink(path);
    }
}

static void before_fork(void)
{
    own_thread_before_fork();
    patching_before_fork();
}

static void after_fork_in_parent(void)
{
    patching_after_fork_in_parent();
    own_thread_after_fork_in_parent();
}

static void after_fork_in_child(void)
{
    struct area *before = atomic_exchange(&area, NULL); /* that is the parent's: keep nothing in it */
    parents = before ? before : parents;
    atomic_store(&may_be_late, *folder && (parents || young_waits()));
    atomic_store(&fault.is_parents, atomic_load(&fault.fd) >= 0);
    patching_after_fork_in_child();
    signals_forked();
    crash_forked();
    sampler_forked();
    own_thread_forked();
    young_forked();
}

/* Whether this is a forked child that has made no file and was told of none. */
EXPORT _Bool outlive_shim_is_new(void) { return atomic_load(&may_be_late); }

/* A forked child is told where to keep its words, and has perhaps done so already; no path: nowhere. */
EXPORT int outlive_shim_reopen(const char *path)
{
    int error = 0, late = atomic_exchange(&may_be_late, 0);
    struct area *old = atomic_load(&area);
    if (!path) {
        atomic_store(&area, NULL);
        return 0;
    }
    if (!late && old && old->pid == (uint32_t)getpid() && access(path, F_OK) == 0)
        return 0;
    struct area *to = make(path, &error);
    if (to || !old || old->pid != (uint32_t)getpid())
        atomic_store(&area, to); /* an old mapping stays: an interrupted writer may be in the middle of it */
    return -error;
}

/* Where forked children make files of their own when they have something to keep before they are told where. */
EXPORT void outlive_shim_folder(const char *path)
{
    size_t length = strlen(path);
    if (length + 2 < sizeof folder) {
        memcpy(folder, path, length);
        folder[length] = '/';
    }
}

int library_open(void)
{
    static int opened;
    int error = patching_open();
    if (error)
        return error;
    if (!opened && pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0)
        return -ENOMEM;
    opened = 1;
    return 0;
}

EXPORT int outlive_shim_open(const char *path)
{
    int error = library_open();
    return error ? error : outlive_shim_reopen(path);
}
