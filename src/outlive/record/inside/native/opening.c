/* The file that everything is kept in: opened, and opened anew in a forked child. */
#include "shim.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct area *_Atomic area;

static void after_fork_in_child(void)
{
    atomic_store(&area, NULL); /* that is the parent's: keep nothing until reopened */
    patching_after_fork_in_child();
    signals_forked();
    crash_forked();
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
    static int opened;
    int error = patching_open();
    if (error)
        return error;
    if (!opened && pthread_atfork(patching_before_fork, patching_after_fork_in_parent, after_fork_in_child) != 0)
        return -ENOMEM;
    opened = 1;
    return outlive_shim_reopen(path);
}
