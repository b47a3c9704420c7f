/* Where every thread of this interpreter is: taken in one piece, while nobody else can run.
 *
 * Nothing of the program's is held when the GIL is given back, nothing of the program's is called, and the collector
 * is held off while frames are made (from 3.11 on a frame is an object only once somebody asks for it). */
#include "sampler.h"

#include <time.h>

enum { THREADS = 12, INNERMOST = 40, OUTERMOST = 12, DEEPEST = 5000, NAMES = 64, NAME_SIZE = 256 };
enum { ROOM = 120 * 1024, PAYLOAD = ROOM + THREADS * NAME_SIZE * 6 + 1024 };

struct mark { unsigned long ident; const void *frame, *code; long at; };
struct text { char *bytes; size_t size, room; };

/* Names of threads as the program gave them, and as they are shown: a word of the command line may be a secret. */
struct name { char given[NAME_SIZE], shown[NAME_SIZE]; };

static struct mark marks[THREADS], marks_before[THREADS];
static int count, count_before = -1;
static struct { size_t from, size; char name[NAME_SIZE]; int is_main, is_shown; } threads[THREADS];
static char frames[ROOM], payload[PAYLOAD];
static struct name names[NAMES];
static unsigned next_name;
static int unknown; /* names of files and functions that Python was not asked about */

void stacks_forked(void) { count_before = -1; }

/* ---- JSON in ASCII ---- */

static void add(struct text *to, const char *from, size_t size)
{
    if (size > to->room - to->size)
        size = to->room - to->size;
    memcpy(to->bytes + to->size, from, size);
    to->size += size;
}

static void add_text(struct text *to, const char *from) { add(to, from, strlen(from)); }

static void add_number(struct text *to, uint64_t value, int digits)
{
    char reversed[24];
    int length = 0;
    do
        reversed[length++] = (char)('0' + value % 10);
    while ((value /= 10) > 0 || length < digits);
    while (length)
        add(to, &reversed[--length], 1);
}

static void add_escaped(struct text *to, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    add(to, text, sizeof text);
}

static void add_character(struct text *to, uint32_t character)
{
    char plain[2] = {'\\', (char)character};
    if (character == '"' || character == '\\') {
        add(to, plain, 2);
    } else if (character >= 32 && character < 127) {
        add(to, plain + 1, 1);
    } else if (character > 0xFFFF) {
        add_escaped(to, 0xD800 + ((character - 0x10000) >> 10));
        add_escaped(to, 0xDC00 + ((character - 0x10000) & 0x3FF));
    } else {
        add_escaped(to, character);
    }
}

/* The attribute of an object of Python's own: a string, escaped. */
static void add_string(struct text *to, PyObject *given)
{
    intptr_t length = given ? py.PyUnicode_GetLength(given) : -1;
    for (intptr_t i = 0; i < length && to->size + 12 < to->room; i++)
        add_character(to, py.PyUnicode_ReadChar(given, i));
}

/* Escaped, without quotes and end; gives the length, 0 for what is no string. */
size_t string_to_json(PyObject *given, char *to, size_t room)
{
    struct text text = {to, 0, room};
    add_string(&text, given);
    return text.size;
}

static void add_attribute(struct text *to, PyObject *of, const char *name)
{
    PyObject *found = py.PyObject_GetAttrString(of, name);
    add(to, "\"", 1);
    add_string(to, found);
    add(to, "\"", 1);
    if (found)
        py.Py_DecRef(found);
    if (py.PyErr_Occurred())
        py.PyErr_Clear();
}

/* ---- Frames ---- */

static void add_frame(struct text *to, PyObject *frame)
{
    PyObject *code = py.PyFrame_GetCode(frame);
    int line = py.PyFrame_GetLineNumber(frame);
    add(to, "[", 1);
    add_attribute(to, code, "co_filename");
    add(to, ",", 1);
    add_number(to, line > 0 ? (uint64_t)line : 0, 1);
    add(to, ",", 1);
    add_attribute(to, code, "co_name");
    add(to, "]", 1);
    py.Py_DecRef(code);
}

/* Both ends of a stack, innermost first. The frames live for as long as their threads stand still, and these do. */
static void add_stack(struct text *to, PyObject *innermost)
{
    PyObject *kept[INNERMOST + OUTERMOST], *frame = innermost;
    int depth = 0, last = 0;
    while (frame && depth < DEEPEST) {
        int place = depth < INNERMOST ? depth : INNERMOST + (depth - INNERMOST) % OUTERMOST;
        kept[place] = frame;
        last = place;
        depth++;
        frame = py.PyFrame_GetBack(frame);
        if (frame)
            py.Py_DecRef(frame); /* the running function holds it */
    }
    int all = depth < INNERMOST + OUTERMOST ? depth : INNERMOST + OUTERMOST;
    add(to, "[", 1);
    for (int i = 0; i < all; i++) {
        size_t before = to->size;
        int wrapped = depth > INNERMOST + OUTERMOST && i >= INNERMOST;
        int place = wrapped ? INNERMOST + (last - INNERMOST + 1 + i - INNERMOST) % OUTERMOST : i;
        if (i)
            add(to, ",", 1);
        add_frame(to, kept[place]);
        if (to->size + 64 > to->room) { /* there is no room for it */
            to->size = before;
            break;
        }
    }
    add(to, "]", 1);
}

static long instruction_of(PyObject *frame)
{
    PyObject *at = py.PyObject_GetAttrString(frame, "f_lasti");
    long value = at ? py.PyLong_AsLong(at) : -1;
    if (at)
        py.Py_DecRef(at);
    if (py.PyErr_Occurred())
        py.PyErr_Clear();
    return value;
}

static PyObject *innermost_of(PyThreadState *state)
{
    PyObject *frame = py.PyThreadState_GetFrame(state);
    if (frame)
        py.Py_DecRef(frame); /* as above */
    return frame;
}

/* ---- Names ---- */

/* Past what the program's own class or module has put in the place of the usual way to attributes. */
static PyObject *attribute(PyObject *of, const char *name)
{
    PyObject *key = py.PyUnicode_FromString(name);
    PyObject *found = key ? py.PyObject_GenericGetAttr(of, key) : NULL;
    if (key)
        py.Py_DecRef(key);
    return found;
}

static void add_name(PyObject *thread, struct text *to)
{
    PyObject *name = attribute(thread, "_name");
    if (name) {
        add_string(to, name); /* whatever is no string is an error, which is cleared */
        py.Py_DecRef(name);
    }
}

/* The name that the program gave to a thread; its number where it gave none. */
static void name_of(unsigned long ident, char *given)
{
    struct text to = {given, 0, NAME_SIZE - 16};
    PyObject *module = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "threading");
    PyObject *active = module ? attribute(module, "_active") : NULL;
    PyObject *key = active ? py.PyLong_FromUnsignedLong(ident) : NULL;
    PyObject *thread = key ? py.PyDict_GetItemWithError(active, key) : NULL;
    if (thread)
        add_name(thread, &to);
    if (active)
        py.Py_DecRef(active);
    if (key)
        py.Py_DecRef(key);
    if (py.PyErr_Occurred())
        py.PyErr_Clear();
    if (!to.size)
        add_number(&to, ident, 1);
    given[to.size] = 0;
}

static int is_of_python(const char *name) /* these tell nothing */
{
    static const char *const starts[] = {"MainThread", "Thread-", "Dummy-", "ThreadPoolExecutor-", "asyncio_"};
    for (size_t i = 0; i < COUNT(starts); i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return 1;
    return name[strspn(name, "0123456789")] == 0;
}

static int show_known(int thread)
{
    char *name = threads[thread].name;
    if (is_of_python(name))
        return 1;
    for (int i = 0; i < NAMES; i++)
        if (names[i].given[0] && strcmp(names[i].given, name) == 0) {
            memcpy(name, names[i].shown, NAME_SIZE);
            return 1;
        }
    return 0;
}

/* Ask Python how the names are shown that were not seen before. */
void stacks_name(PyObject *shown)
{
    for (int i = 0; i < count; i++) {
        if (unknown)
            threads[i].size = names_hidden(frames + threads[i].from, threads[i].size, shown, &unknown);
        if (threads[i].is_shown)
            continue;
        struct name *to = &names[next_name++ % NAMES];
        struct text text = {to->shown, 0, NAME_SIZE - 16};
        memcpy(to->given, threads[i].name, NAME_SIZE);
        PyObject *answer = py.PyObject_CallFunction(shown, "si", to->given, 1);
        add_string(&text, answer);
        to->shown[text.size] = 0;
        if (answer)
            py.Py_DecRef(answer);
        if (py.PyErr_Occurred())
            py.PyErr_Clear();
        memcpy(threads[i].name, to->shown, NAME_SIZE);
        threads[i].is_shown = 1;
    }
}

/* ---- All of them ---- */

static void describe(const struct settings *from, PyObject **innermost)
{
    struct text to = {frames, 0, sizeof frames};
    unknown = 0;
    for (int i = 0; i < count; i++) {
        threads[i].from = to.size;
        to.room = sizeof frames / (size_t)count * (size_t)(i + 1);
        add_stack(&to, innermost[i]);
        threads[i].size = names_hidden(frames + threads[i].from, to.size - threads[i].from, NULL, &unknown);
        threads[i].is_main = marks[i].ident == from->main_ident;
        name_of(marks[i].ident, threads[i].name);
        threads[i].is_shown = show_known(i);
    }
}

/* With the GIL. SAME: every thread is where it was. UNNAMED: `stacks_name` is to be called first. */
int stacks_take(const struct settings *from)
{
    PyObject *innermost[THREADS];
    PyThreadState *mine = py.PyThreadState_Get();
    PyThreadState *state = newest_thread();
    if (!state)
        return SAME; /* nothing newer is known */
    count = 0;
    for (; state && count < THREADS; state = py.PyThreadState_Next(state)) {
        if (state == mine || (count == THREADS - 1 && ident_of(state) != from->main_ident))
            continue; /* the newest come first, and the last place is the main thread's */
        PyObject *frame = innermost_of(state);
        if (!frame)
            continue;
        PyObject *code = py.PyFrame_GetCode(frame);
        marks[count] = (struct mark){ident_of(state), frame, code, instruction_of(frame)};
        py.Py_DecRef(code);
        innermost[count++] = frame;
    }
    if (count == count_before && memcmp(marks, marks_before, (size_t)count * sizeof *marks) == 0)
        return SAME;
    memcpy(marks_before, marks, sizeof marks);
    count_before = count;
    describe(from, innermost);
    for (int i = 0; i < count; i++)
        if (!threads[i].is_shown)
            return UNNAMED;
    return unknown ? UNNAMED : CHANGED;
}

/* As ``sys._current_frames``, of this interpreter alone: to touch the frames of another one spoils its heap. */
EXPORT PyObject *outlive_current_frames(void)
{
    PyObject *found = py.PyDict_New();
    PyThreadState *state = newest_thread();
    for (; found && state; state = py.PyThreadState_Next(state)) {
        PyObject *frame = innermost_of(state), *ident = frame ? py.PyLong_FromUnsignedLong(ident_of(state)) : NULL;
        if (ident) {
            py.PyDict_SetItem(found, ident, frame);
            py.Py_DecRef(ident);
        }
    }
    return found;
}

/* Without the GIL. Not by printf: a comma may be the program's decimal point. */
const char *stacks_written(uint64_t rss, int same, size_t *size)
{
    struct text to = {payload, 0, sizeof payload};
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    add_text(&to, "{\"kind\":\"stack\",\"time\":");
    add_number(&to, (uint64_t)now.tv_sec, 1);
    add_text(&to, ".");
    add_number(&to, (uint64_t)now.tv_nsec / 1000, 6);
    add_text(&to, ",\"rss\":");
    add_number(&to, rss, 1);
    add_text(&to, same ? ",\"same\":true" : ",\"threads\":[");
    for (int i = 0; i < count && !same; i++) {
        add_text(&to, i ? ",{\"name\":\"" : "{\"name\":\"");
        add_text(&to, threads[i].name);
        add_text(&to, threads[i].is_main ? "\",\"main\":true,\"frames\":" : "\",\"main\":false,\"frames\":");
        add(&to, frames + threads[i].from, threads[i].size);
        add_text(&to, "}");
    }
    add_text(&to, same ? "}" : "]}");
    *size = to.size;
    return payload;
}
