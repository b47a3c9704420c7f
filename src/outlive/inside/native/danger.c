/* When is memory in danger? As census.py tells it, in numbers alone: Python runs only when there is something to look at. */
#include "sampler.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>

static const uint64_t LIMITS_NS = 500000000, HOLES_NS = 200000000;

/* One malloc in our thread takes an arena of 64 MB (128 for a moment) of the address space, and whoever looks needs one. */
static const uint64_t ROOM_FOR_AN_ARENA = 512u << 20;

static struct { uint64_t limit, used, read_ns, last_rss, free, holes_ns; int count, falls, looked, ready; } seen;

void danger_forked(void) { memset(&seen, 0, sizeof seen); }

static void read_limit(const struct settings *from, uint64_t now)
{
    char text[64] = "", *next = text;
    if (now - seen.read_ns < LIMITS_NS && !from->every_tick)
        return;
    seen.read_ns = now;
    long size = readlink(from->limit_path, text, sizeof text - 1);
    if (size <= 0)
        return; /* none is known */
    text[size] = 0;
    uint64_t limit = decimal(&next);
    seen.limit = limit;
    seen.used = decimal(&next);
}

/* How much may still be mapped; all there is without a limit. */
static uint64_t room_in_address_space(const struct pages *pages)
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY || !pages->mapped)
        return UINT64_MAX;
    return space.rlim_cur > pages->mapped ? space.rlim_cur - pages->mapped : 0;
}

static void current(struct danger *to, uint64_t rss, uint64_t room)
{
    to->limit = seen.limit;
    to->used = rss > seen.used ? rss : seen.used;
    if (room != UINT64_MAX && (!to->limit || rss + room < to->limit)) {
        to->limit = rss + room;
        to->used = rss;
    }
    to->rss = rss;
}

/* Whether much was given back inside the process since this was last asked. */
static int has_new_holes(const struct settings *from, uint64_t limit, uint64_t now)
{
    typedef struct { size_t of[10]; } account; /* struct mallinfo2, of glibc 2.33 and later */
    static account (*ask)(void);
    static int asked;
    if (now < seen.holes_ns)
        return 0;
    if (!asked++) {
        void *found = dlsym(RTLD_DEFAULT, "mallinfo2");
        memcpy(&ask, &found, sizeof found);
        dlerror();
    }
    uint64_t free = ask ? ask().of[8] : 0, before = seen.free, took = monotonic_ns() - now;
    seen.holes_ns = now + (took * 100 > HOLES_NS ? took * 100 : HOLES_NS);
    seen.free = free;
    return free > before && (double)(free - before) >= from->fall * (double)limit;
}

/* READY, LOOK or nothing; `near` says that the next moments may be the last. */
int danger_consider(struct settings *from, struct danger *to)
{
    struct pages *pages = &from->pages;
    uint64_t now = monotonic_ns(), room = room_in_address_space(pages);
    read_limit(from, now);
    pages->limit = seen.limit;
    pages->used = seen.used;
    current(to, pages->resident, room);
    if ((double)to->used >= from->danger * (double)to->limit) /* the pages of libraries are given up first */
        current(to, pages->resident - pages->shared, room);
    double limit = (double)to->limit, used = (double)to->used, rss = (double)to->rss;
    to->near = to->limit && used >= from->near_share * limit;
    if (!to->limit || (room < ROOM_FOR_AN_ARENA && !seen.looked))
        return 0;
    int wanted = used >= from->ready * limit && !seen.ready ? READY : 0;
    seen.ready |= wanted != 0;
    if (rss < (double)seen.last_rss - from->fall * limit && seen.falls < from->most_falls) {
        seen.falls++;
        seen.last_rss = to->rss;
    }
    if (used < from->danger * limit || rss < from->least * limit || seen.count >= from->most)
        return wanted;
    if (rss - (double)seen.last_rss < from->step * limit && !has_new_holes(from, to->limit, now))
        return wanted;
    seen.last_rss = to->rss;
    seen.count++;
    seen.looked = 1;
    return LOOK;
}
