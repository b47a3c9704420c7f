/* A library whose constructor takes as long as the test likes: it reads from descriptor $SLOW_FD. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void slow(void)
{
    char byte;
    const char *number = getenv("SLOW_FD");
    if (write(1, "inside\n", 7) != 7 || !number || read(atoi(number), &byte, 1) != 1)
        abort();
}

int slow_say(void) { return fprintf(stderr, "slow\n"); }
