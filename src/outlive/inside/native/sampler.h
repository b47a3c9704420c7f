/* The sampler's thread: what Python and C tell each other. ticks.py has the same structure: change both. */
#ifndef OUTLIVE_SAMPLER_H
#define OUTLIVE_SAMPLER_H
#include "python.h"

/* Why Python is called. */
enum { RING_WANTED = 1, UNCAUGHT = 2, EVERY_TICK = 4, READY = 8, LOOK = 16, FAULT = 32, ASKED = 64 };

/* In bytes; the limit and what is used of it as the supervisor tells it. */
struct pages { uint64_t mapped, resident, shared, data, limit, used; };

struct settings {
    uint64_t memory, start, end, position, sequence; /* of the ring for stacks; memory 0: not open yet */
    uint64_t main_ident, page_bytes, fault_device, fault_inode;
    struct pages pages; /* of this tick */
    const char *limit_path, *question_path;
    const int *signals;
    double danger, ready, near_share, step, least, fall;
    int32_t signal_count, most_falls, most;
    int32_t statm, fault;        /* descriptors, or -1 */
    int32_t every_tick, closed;  /* closed: no ring is to be had */
};

struct danger { uint64_t rss, limit, used; int near; };

uint64_t monotonic_ns(void);
uint64_t decimal(char **at); /* the next number in a text */

/* danger.c */
int danger_consider(struct settings *from, struct danger *to);
void danger_forked(void);

/* stacks.c: with the GIL, what is new; then without it, as a payload. */
enum { SAME, CHANGED, UNNAMED };
int stacks_take(const struct settings *from);
void stacks_name(PyObject *shown);
const char *stacks_written(uint64_t rss, int same, size_t *size);
void stacks_forked(void);
size_t string_to_json(PyObject *given, char *to, size_t room);

size_t names_hidden(char *text, size_t size, PyObject *shown, int *unknown); /* names.c */

void ring_append(struct settings *to, const char *body, size_t size); /* ring.c */

EXPORT int outlive_sampler_run(void); /* sampler.c */
EXPORT int outlive_shim_patch(void);
EXPORT int outlive_shim_watch(const int *signals, int count);

#endif
