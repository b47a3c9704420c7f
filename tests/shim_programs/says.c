/* A library that writes to stderr in every way that the shim knows. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int vsay(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = vfprintf(stderr, format, list);
    va_end(list);
    return result;
}

int say(const char *name) { return fprintf(stderr, "lib %s %5.1f", name, 2.5); }

int say_all(void)
{
    struct iovec parts[2] = {{"c wri", 5}, {"tev\n", 4}};
    char text[32] = "c fwrite\n";
    int written = 0;
    if (write(2, "c write\n", 8) != 8 || writev(2, parts, 2) != 9)
        return 1;
    if (fwrite(text, 3, 3, stderr) != 3 || fwrite_unlocked("unlocked\n", 1, 9, stderr) != 9)
        return 2;
    if (fputs("c fputs\n", stderr) < 0 || fputc('!', stderr) != '!' || putc('\n', stderr) != '\n')
        return 3;
    if (vsay("c vfprintf %s %d%n\n", "text", 7, &written) != 18 || written != 17)
        return 4;
    errno = ENOENT;
    if (fprintf(stderr, "c fprintf: %m %d %g\n", 1, 2.0) != 41)
        return 5;
    errno = EACCES;
    perror("c perror");
    fprintf(stderr, "%2000d\n", 5);
    if (fputs("NOT EVEN THIS\n", stdout) < 0 || fflush(stdout) != 0)
        return 6;
    errno = 77;
    if (write(2, "errno\n", 6) != 6 || fputs("errno\n", stderr) < 0 || errno != 77)
        return 7;
    if (write(-1, "x", 1) != -1 || errno != EBADF)
        return 8;
    return 0;
}

/* What a careful library sees when it asks, and a handler that goes on to the previous one. */
static struct sigaction previous;
static volatile int chained;

static void chains(int number, siginfo_t *info, void *context)
{
    chained++;
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(number, info, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(number);
}

int is_default(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

int install(int number, int flags)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_sigaction = chains;
    act.sa_flags = SA_SIGINFO | flags;
    return sigaction(number, &act, &previous);
}

int how_often(void) { return chained; }
