/* The names of files and functions in a text of frames, without secrets: a folder may be named after a token.
 *
 * Python decides, but only about a name that may hold a secret at all, and once: a pattern of Python's calls malloc, and the
 * first call in our thread takes 64 MB of the address space. What may stay is known by its hash afterwards. A name is never
 * made longer, so the text is rewritten where it lies. */
#include "sampler.h"

enum { KNOWN = 4096, HIDDEN = 32, LONGEST = 1024 };
enum { SHORTEST = 6, SHORTEST_SHAPE = 12, FORTY = 40, CHANGES = 17, BOT = 23 }; /* as in masking.py */
static const char MASK[] = "***", FROZEN[] = "<frozen ", AT_START = 1;

static uint64_t known[KNOWN]; /* the hashes of names that may stay as they are */
static int known_count;
static struct { uint64_t hash; size_t size; char text[LONGEST]; } hidden[HIDDEN];
static unsigned next_hidden;

/* Texts without which nothing is secret, each with its end, and an empty one at last. One that begins with AT_START has no
 * letter and no digit before it. They stay where they are. */
static const char *telling = "";

EXPORT void outlive_names_know(const char *texts) { telling = texts; }

/* ---- Whether a name may hold a secret ---- */

static int kind_of(char sign) /* 0: none of those that such a secret consists of */
{
    return sign >= 'a' && sign <= 'z' ? 1 : sign >= 'A' && sign <= 'Z' ? 2 : sign >= '0' && sign <= '9' ? 3 :
           sign == '/' || sign == '+' ? 4 : 0;
}

static int is_of_word(char sign) { return (kind_of(sign) % 4) || sign == '_' || sign == '-'; }

/* What stands beside a name, in an address or in quotes has a sign that few files have. Python's own begin otherwise. */
static int has_signs(const char *name, size_t size)
{
    size_t start = sizeof FROZEN - 1;
    for (size_t i = size > start && memcmp(name, FROZEN, start) == 0 ? start : 0; i < size; i++)
        if (!is_of_word(name[i]) && !strchr("/+.~<>\\", name[i]))
            return 1;
    return 0;
}

static int stands(const char *text, size_t length, int at_start, const char *name, size_t size)
{
    const char *at = name, *end = name + size;
    while ((at = memmem(at, (size_t)(end - at), text, length))) {
        int within = at > name && kind_of(at[-1]) % 4;
        if (!at_start || (!within && end - at >= SHORTEST_SHAPE))
            return 1;
        at++;
    }
    return 0;
}

static int tells(const char *name, size_t size)
{
    for (const char *text = telling; *text; text += strlen(text) + 1) {
        int at_start = *text == AT_START;
        if (stands(text + at_start, strlen(text + at_start), at_start, name, size))
            return 1;
    }
    return 0;
}

/* Of a token of three parts: six or seven signs, and a full stop. */
static int second_part(const char *name, size_t size)
{
    size_t length = 0;
    while (length < size && is_of_word(name[length]))
        length++;
    return length >= 6 && length <= 7 && length < size && name[length] == '.';
}

/* Forty signs that change their kind all the time, or a token of three parts that full stops divide. */
static int looks_made(const char *name, size_t size)
{
    for (size_t from = 0; from + FORTY <= size; from++) {
        const char *sign = name + from;
        int changes = 0, i = 0, kinds = 0;
        for (; i < FORTY && kind_of(sign[i]); i++) {
            kinds |= 1 << kind_of(sign[i]);
            changes += i && kind_of(sign[i]) != kind_of(sign[i - 1]);
        }
        if (i == FORTY && changes >= CHANGES && __builtin_popcount((unsigned)kinds) >= 3)
            return 1;
    }
    for (size_t i = 0, word = 0; i < size; i++) {
        if (name[i] == '.' && word >= BOT && second_part(name + i + 1, size - i - 1))
            return 1;
        word = is_of_word(name[i]) ? word + 1 : 0;
    }
    return 0;
}

/* ---- Names that were met ---- */

static uint64_t hash_of(const char *name, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash ? hash : 1;
}

static uint64_t *place_of(uint64_t hash)
{
    size_t at = hash % KNOWN;
    while (known[at] && known[at] != hash)
        at = (at + 1) % KNOWN;
    return &known[at];
}

static void may_stay(uint64_t hash)
{
    if (known_count >= KNOWN / 4 * 3) {
        memset(known, 0, sizeof known);
        known_count = 0;
    }
    *place_of(hash) = hash;
    known_count++;
}

static int hide_by(unsigned entry, char *to, size_t size)
{
    size_t shown = hidden[entry].size;
    const char *text = hidden[entry].text;
    if (shown > size) /* cut, it might end within an escaped character */
        text = MASK, shown = sizeof MASK - 1;
    memmove(to, text, shown);
    return (int)shown;
}

/* How the name is shown, from Python: an empty text where it may stay, and nothing at all where that cannot be told. */
static int ask(PyObject *shown, char *name, size_t size, uint64_t hash, char *to)
{
    char end = name[size];
    name[size] = 0;
    PyObject *answer = py.PyObject_CallFunction(shown, "si", name, 0);
    name[size] = end;
    unsigned entry = next_hidden++ % HIDDEN;
    hidden[entry].size = string_to_json(answer, hidden[entry].text, LONGEST);
    hidden[entry].hash = answer ? hash : 0;
    int stays = answer && hidden[entry].size == 0;
    if (answer)
        py.Py_DecRef(answer);
    else
        hidden[entry].size = sizeof MASK - 1, memcpy(hidden[entry].text, MASK, sizeof MASK);
    if (py.PyErr_Occurred())
        py.PyErr_Clear();
    if (!stays)
        return hide_by(entry, to, size);
    hidden[entry].hash = 0;
    may_stay(hash);
    memmove(to, name, size);
    return (int)size;
}

/* One name, to a place before or where it stands; gives its new length. */
static int name_to(char *to, char *name, size_t size, PyObject *shown, int *unknown)
{
    uint64_t hash = size < SHORTEST ? 0 : hash_of(name, size);
    if (hash && *place_of(hash) != hash) {
        for (unsigned i = 0; i < HIDDEN; i++)
            if (hidden[i].hash == hash)
                return hide_by(i, to, size);
        int doubtful = has_signs(name, size) || tells(name, size) || looks_made(name, size);
        if (doubtful && shown)
            return ask(shown, name, size, hash, to);
        if (doubtful)
            *unknown = 1;
        else
            may_stay(hash);
    }
    memmove(to, name, size);
    return (int)size;
}

/* Rewrite a text in which every string is a name; gives its new length. Without Python (`shown` is null) names that nobody
 * was asked about stay, and are told as unknown. */
size_t names_hidden(char *text, size_t size, PyObject *shown, int *unknown)
{
    size_t to = 0, at = 0;
    while (at < size) {
        if (text[at] != '"') {
            text[to++] = text[at++];
            continue;
        }
        size_t from = ++at;
        while (at < size && text[at] != '"')
            at += text[at] == '\\' ? 2 : 1;
        if (at >= size) { /* a string without an end, which nobody writes: the rest is dropped */
            text[to++] = '"';
            break;
        }
        text[to++] = '"';
        to += (size_t)name_to(text + to, text + from, at - from, shown, unknown);
        text[to++] = '"';
        at++;
    }
    return to;
}
