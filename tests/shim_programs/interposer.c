/* A preloaded library that stands in for write(): it must still be asked when the shim is there. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void *from, size_t size)
{
    if (fd == 2)
        syscall(SYS_write, fd, "<", 1);
    return syscall(SYS_write, fd, from, size);
}
