/* A stack for signals in every new thread: without one, the handler of a stack that is used up has no room to
 * run, and the thread's death leaves nothing behind. Python gives one to the main thread only. */
#include "shim.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { SPARE = 64 * 1024, KEPT = 32 };

/* At the low end of its own memory, so that the handler finds it by asking the kernel for its stack. */
struct spare {
    uint64_t mark;
    uint64_t stack_top, stack_size; /* of the thread that has it */
};
static const uint64_t MARK = 0x6573756f6874754f;

struct start {
    void *(*function)(void *);
    void *argument;
    size_t stack_size;
};

__typeof__(pthread_create) *real_pthread_create;
static struct spare *_Atomic kept[KEPT]; /* of threads that have ended, for those to come */

static struct spare *take(void)
{
    for (int i = 0; i < KEPT; i++) {
        struct spare *found = atomic_load_explicit(&kept[i], memory_order_relaxed);
        if (found && (found = atomic_exchange(&kept[i], NULL)))
            return found;
    }
    void *made = mmap(NULL, SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

static void give_back(void *given)
{
    struct spare *spare = given, *none = NULL;
    stack_t now = {0}, off = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == spare)
        sigaltstack(&off, NULL);
    for (int i = 0; i < KEPT; i++, none = NULL)
        if (atomic_compare_exchange_strong(&kept[i], &none, spare))
            return;
    munmap(spare, SPARE);
}

static void *run_with_spare(const struct start *start, struct spare *spare)
{
    void *result;
    pthread_cleanup_push(give_back, spare);
    result = start->function(start->argument);
    pthread_cleanup_pop(1);
    return result;
}

static void *begin(void *given)
{
    struct start start = *(struct start *)given;
    stack_t now = {0};
    free(given);
    struct spare *spare = sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE ? take() : NULL;
    if (!spare)
        return start.function(start.argument);
    *spare = (struct spare){MARK, (uint64_t)(uintptr_t)&start, start.stack_size};
    stack_t ours = {.ss_sp = spare, .ss_size = SPARE};
    if (sigaltstack(&ours, NULL) != 0) {
        give_back(spare);
        return start.function(start.argument);
    }
    return run_with_spare(&start, spare);
}

int our_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    pthread_attr_t standard;
    struct start *start = atomic_load_explicit(&area, memory_order_relaxed) ? malloc(sizeof *start) : NULL;
    if (!start)
        return real_pthread_create(thread, attributes, function, argument);
    *start = (struct start){function, argument, 0};
    if (attributes) {
        pthread_attr_getstacksize(attributes, &start->stack_size);
    } else if (pthread_attr_init(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &start->stack_size);
        pthread_attr_destroy(&standard);
    }
    int result = real_pthread_create(thread, attributes, begin, start);
    if (result != 0)
        free(start);
    return result;
}

/* The stack of this thread as it was asked for, if it is one of ours. Called in a handler. */
void threads_stack(uint64_t *top, uint64_t *size)
{
    stack_t now = {0};
    if (sigaltstack(NULL, &now) != 0 || now.ss_size != SPARE || !readable(now.ss_sp, sizeof(struct spare)))
        return;
    const struct spare *spare = now.ss_sp;
    if (spare->mark == MARK) {
        *top = spare->stack_top;
        *size = spare->stack_size;
    }
}
