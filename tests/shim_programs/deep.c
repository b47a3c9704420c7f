#include <pthread.h>
#include <stdio.h>

static __attribute__((noinline)) long deeper_and_deeper(long depth)
{
    volatile char room[400];
    room[0] = (char)depth;
    return depth == 0 ? room[0] : deeper_and_deeper(depth - 1) + room[0];
}

static void *begin(void *argument)
{
    printf("%ld\n", deeper_and_deeper((long)argument));
    return NULL;
}

void in_a_thread(long depth)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_create(&thread, &attributes, begin, (void *)depth);
    pthread_join(thread, NULL);
}
