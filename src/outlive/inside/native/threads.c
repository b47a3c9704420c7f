/* A stack for signals in every new thread: without one, the handler of a stack that is used up has no room to
 * run, and the thread's death leaves nothing behind. Python gives one to the main thread only. */
#include "python.h"

#include <dlfcn.h>
#include <sys/mman.h>

enum { SPARE = 64 * 1024, KEPT = 32, OWN_STACK = 1024 * 1024 };

/* At the low end of its own memory, so that the handler finds it by asking the kernel for its stack. What the thread
 * begins with stands there too: to free it in the new thread would take an arena of malloc's, 64 MB of address space. */
struct spare {
    uint64_t mark;
    uint64_t stack_top, stack_size; /* of the thread that has it */
    void *(*function)(void *);
    void *argument;
    struct callback { void (*function)(void *); void *argument; } callback;
};
static const uint64_t MARK = 0x6573756f6874754f;

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

static void put_away(struct spare *spare)
{
    struct spare *none = NULL;
    for (int i = 0; i < KEPT; i++, none = NULL)
        if (atomic_compare_exchange_strong(&kept[i], &none, spare))
            return;
    munmap(spare, SPARE);
}

static void give_back(void *given)
{
    stack_t now = {0}, off = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == given)
        sigaltstack(&off, NULL);
    put_away(given);
}

static void *run_with_spare(void *(*function)(void *), void *argument, struct spare *spare)
{
    void *result;
    pthread_cleanup_push(give_back, spare);
    result = function(argument);
    pthread_cleanup_pop(1);
    return result;
}

static void *begin(void *given)
{
    struct spare *spare = given;
    void *(*function)(void *) = spare->function, *argument = spare->argument;
    stack_t now = {0}, ours = {.ss_sp = spare, .ss_size = SPARE};
    spare->mark = MARK;
    spare->stack_top = (uint64_t)(uintptr_t)&now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE && sigaltstack(&ours, NULL) == 0)
        return run_with_spare(function, argument, spare);
    give_back(spare);
    return function(argument);
}

static pthread_t _Atomic starts_ours;
static atomic_int ours_is_next;
static int starts_directly;

void own_thread_next(int is_next, int directly)
{
    starts_directly = directly;
    atomic_store(&starts_ours, pthread_self());
    atomic_store(&ours_is_next, is_next);
}

static int is_of_python(void (*function)(void))
{
    Dl_info one, other;
    return dladdr((void *)function, &one) && dladdr((void *)py.PyEval_SaveThread, &other) &&
           one.dli_fbase == other.dli_fbase;
}

static void *call_directly(void *given)
{
    struct callback *callback = given;
    callback->function(callback->argument);
    return NULL;
}

/* What Python gives to a new thread (3.9 to 3.13: a function and its argument) is freed by the new thread, and that one
 * free would take the arena. So ours takes the two from there, and the thread that starts it frees it. */
static int may_start_directly(void *(*function)(void *), const struct callback *given)
{
    return starts_directly && given && is_of_python((void (*)(void))function) &&
           is_of_python((void (*)(void))given->function);
}

/* Whether this thread is about to start ours; then its stack is made small in a copy of the attributes. */
static int is_ours(const pthread_attr_t *attributes, pthread_attr_t *copy)
{
    int one = 1, detached = PTHREAD_CREATE_JOINABLE;
    if (!atomic_load(&ours_is_next) || !pthread_equal(atomic_load(&starts_ours), pthread_self()) ||
        !atomic_compare_exchange_strong(&ours_is_next, &one, 0) || pthread_attr_init(copy) != 0)
        return 0;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    pthread_attr_setdetachstate(copy, detached);
    return pthread_attr_setstacksize(copy, OWN_STACK) == 0;
}

static size_t stack_size_of(const pthread_attr_t *attributes)
{
    pthread_attr_t standard;
    size_t size = 0;
    if (attributes) {
        pthread_attr_getstacksize(attributes, &size);
    } else if (pthread_attr_init(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &size);
        pthread_attr_destroy(&standard);
    }
    return size;
}

int our_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    pthread_attr_t small;
    int ours = is_ours(attributes, &small);
    attributes = ours ? &small : attributes;
    int recorded = atomic_load_explicit(&area, memory_order_relaxed) || atomic_load_explicit(&may_be_late, memory_order_relaxed);
    struct spare *spare = recorded ? take() : NULL;
    if (!spare)
        return real_pthread_create(thread, attributes, function, argument);
    spare->stack_size = stack_size_of(attributes);
    spare->function = function;
    spare->argument = argument;
    int directly = ours && may_start_directly(function, argument);
    if (directly) {
        spare->callback = *(struct callback *)argument;
        spare->function = call_directly;
        spare->argument = &spare->callback;
    }
    int result = real_pthread_create(thread, attributes, begin, spare);
    if (result != 0)
        put_away(spare);
    else if (directly)
        py.PyMem_RawFree(argument);
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
