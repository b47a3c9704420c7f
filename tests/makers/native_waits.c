/* Native code that waits: for threads that it has made, which compute, or call back. */
#include <pthread.h>

typedef int (*callback)(int);

static callback given;

static void *call_it(void *argument) {
    (void)argument;
    given(3);
    return 0;
}

int call_in_thread(callback function) {
    pthread_t thread;
    given = function;
    pthread_create(&thread, 0, call_it, 0);
    return pthread_join(thread, 0);
}

double total(int count) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int number = 0; number < count; number++) sum += number;
    return sum;
}

/* A pool of one thread, as the libraries have it that start theirs once. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, done;

static void *serve(void *argument) {
    (void)argument;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!asked) pthread_cond_wait(&changed, &mutex);
        asked = 0;
        done = 1;
        pthread_cond_broadcast(&changed);
    }
}

void start(void) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
}

void step(void) {
    pthread_mutex_lock(&mutex);
    asked = 1;
    done = 0;
    pthread_cond_broadcast(&changed);
    while (!done) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
