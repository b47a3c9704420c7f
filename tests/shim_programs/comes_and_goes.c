/* Threads of native code that call Python again and again, as TensorFlow's do: each call makes a thread state and ends it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3 };
static atomic_int stopped;
static int (*ensure)(void);
static void (*release)(int);
static pthread_t threads[THREADS];

static void *come_and_go(void *unused)
{
    while (!atomic_load(&stopped))
        release(ensure());
    return unused;
}

void begin(void)
{
    ensure = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    release = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, come_and_go, NULL);
}

void end(void) /* without the GIL: they need it to end */
{
    atomic_store(&stopped, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
