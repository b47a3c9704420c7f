/* The tail of stderr: wrappers of the functions that write to it copy the bytes into a ring. */
#include "shim.h"

static void keep_trusted(const char *from, size_t size)
{
    struct area *to = here();
    if (!to || !size)
        return;
    if (size > RING) {
        from += size - RING;
        size = RING;
    }
    size_t at = atomic_fetch_add_explicit(&to->text_total, size, memory_order_relaxed) % RING;
    size_t first = size < RING - at ? size : RING - at;
    memcpy(to->ring + at, from, first);
    memcpy(to->ring, from + first, size - first);
}

/* write(2, bad pointer, n) must stay EFAULT instead of a crash in memcpy. The kernel reads the new mask
 * before it looks at the (impossible) operation, so this asks "is it readable?" and changes nothing. */
int readable(const void *from, size_t size)
{
    if (atomic_load_explicit(&confined, memory_order_relaxed))
        return 0;
    uintptr_t end = (uintptr_t)from + size;
    if (end < (uintptr_t)from || (uintptr_t)from < 4096) /* a null mask is "no mask", and fine */
        return 0;
    for (uintptr_t at = (uintptr_t)from & ~(uintptr_t)7; at < end; at = (at | 4095) + 1)
        if (syscall(SYS_rt_sigprocmask, -1, at, NULL, 8) != 0 && errno == EFAULT)
            return 0;
    return 1;
}

static NOINLINE void keep(const char *from, size_t size)
{
    int saved = errno;
    if (size > RING) {
        from += size - RING;
        size = RING;
    }
    if (here() && readable(from, size))
        keep_trusted(from, size);
    errno = saved;
}

static NOINLINE void keep_vector(const struct iovec *vector, int count)
{
    int saved = errno;
    if (count > 0 && count <= 1024 && readable(vector, (size_t)count * sizeof *vector))
        for (int i = 0; i < count; i++)
            keep(vector[i].iov_base, vector[i].iov_len);
    errno = saved;
}

/* Formats a second time, for us; its own frame, gone before the real call. Longer text is cut. */
static NOINLINE __attribute__((format(printf, 1, 0))) void keep_format(const char *format, va_list list)
{
    char text[1024];
    va_list again;
    int saved = errno;
    if (!here())
        return;
    va_copy(again, list);
    int length = vsnprintf(text, sizeof text, format, again);
    va_end(again);
    if (length >= (int)sizeof text) { /* at a space, where there is one: half a secret has no shape by which it is masked */
        length = sizeof text - 5;
        for (int back = length; back > length - 256; back--)
            if (text[back] == ' ' || text[back] == '\n') {
                length = back;
                break;
            }
        memcpy(text + length, "...\n", 4);
        length += 4;
    }
    if (length > 0)
        keep_trusted(text, (size_t)length);
    errno = saved;
}

static __attribute__((format(printf, 1, 2))) void keep_formatted(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep_format(format, list);
    va_end(list);
}

EXPORT size_t outlive_shim_said(void)
{
    struct area *from = atomic_load(&area);
    return from ? (size_t)atomic_load(&from->text_total) : 0;
}

/* What was kept since then, or the end of it; gives its size. */
EXPORT size_t outlive_shim_said_since(size_t then, char *to, size_t room)
{
    struct area *from = atomic_load(&area);
    size_t now = outlive_shim_said(), size = now - then;
    if (!from || now < then)
        return 0;
    room = room < RING ? room : RING;
    size = size < room ? size : room;
    for (size_t i = 0; i < size; i++)
        to[i] = from->ring[(now - size + i) % RING];
    return size;
}

/* ---- Last words: what a handler of a fatal signal writes, to stderr or to a file of the program's. ---- */

static _Atomic int last_words_fd = 2, speaking;

EXPORT void outlive_shim_last_words(int fd) { atomic_store(&last_words_fd, fd); }

void last_words_begin(void)
{
    struct area *to = here();
    if (to)
        atomic_store(&to->last_words_size, 0);
    atomic_store(&speaking, 1);
}

void last_words_end(void) { atomic_store(&speaking, 0); }

static NOINLINE void keep_last_words(int fd, const void *from, size_t size)
{
    int saved = errno;
    struct area *to = here();
    if (to && (fd == 2 || fd == atomic_load(&last_words_fd)) && size <= LAST_WORDS && readable(from, size)) {
        uint32_t at = atomic_load(&to->last_words_size);
        if (at <= LAST_WORDS - size) {
            memcpy(to->last_words + at, from, size);
            atomic_store(&to->last_words_size, at + (uint32_t)size);
        }
    }
    errno = saved;
}

/* ---- Wrappers: copy, then the real function, whose result and errno are the result. ---- */

#define REAL(function) __typeof__(function) *real_##function
REAL(write);
REAL(writev);
REAL(fwrite);
REAL(fwrite_unlocked);
REAL(fputs);
REAL(fputc);
REAL(putc);
REAL(_IO_putc);
REAL(fprintf);
REAL(vfprintf);
REAL(__fprintf_chk);
REAL(__vfprintf_chk);
REAL(perror);

/* Where asking whether bytes can be read may be deadly, those are kept that were written: somebody has read them. */
static NOINLINE ssize_t write_confined(int fd, const void *from, size_t size)
{
    ssize_t written = real_write(fd, from, size);
    if (fd == 2 && written > 0)
        keep_trusted(from, (size_t)written);
    return written;
}

ssize_t our_write(int fd, const void *from, size_t size)
{
    if (__builtin_expect(atomic_load_explicit(&confined, memory_order_relaxed), 0))
        return write_confined(fd, from, size);
    if (fd == 2)
        keep(from, size);
    if (__builtin_expect(atomic_load_explicit(&speaking, memory_order_relaxed), 0))
        keep_last_words(fd, from, size);
    return real_write(fd, from, size);
}

ssize_t our_writev(int fd, const struct iovec *vector, int count)
{
    if (fd == 2 && !atomic_load_explicit(&confined, memory_order_relaxed))
        keep_vector(vector, count);
    return real_writev(fd, vector, count);
}

size_t our_fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    size_t total;
    if (stream == stderr && !__builtin_mul_overflow(size, count, &total))
        keep(from, total);
    return real_fwrite(from, size, count, stream);
}

size_t our_fwrite_unlocked(const void *from, size_t size, size_t count, FILE *stream)
{
    size_t total;
    if (stream == stderr && !__builtin_mul_overflow(size, count, &total))
        keep(from, total);
    return real_fwrite_unlocked(from, size, count, stream);
}

int our_fputs(const char *text, FILE *stream)
{
    if (stream == stderr)
        keep_trusted(text, strlen(text));
    return real_fputs(text, stream);
}

static NOINLINE void keep_byte(int byte)
{
    char text = (char)byte;
    keep_trusted(&text, 1);
}

#define OUR_PUTC(function)                        \
    int our_##function(int byte, FILE *stream)    \
    {                                             \
        if (stream == stderr)                     \
            keep_byte(byte);                      \
        return real_##function(byte, stream);     \
    }
OUR_PUTC(fputc)
OUR_PUTC(putc)
OUR_PUTC(_IO_putc)

int our_vfprintf(FILE *stream, const char *format, va_list list)
{
    if (stream == stderr)
        keep_format(format, list);
    return real_vfprintf(stream, format, list);
}

int our_fprintf(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = our_vfprintf(stream, format, list);
    va_end(list);
    return result;
}

int our___vfprintf_chk(FILE *stream, int flag, const char *format, va_list list)
{
    if (stream == stderr)
        keep_format(format, list);
    return real___vfprintf_chk(stream, flag, format, list);
}

int our___fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = our___vfprintf_chk(stream, flag, format, list);
    va_end(list);
    return result;
}

void our_perror(const char *text)
{
    int some = text && *text;
    keep_formatted("%s%s%m\n", some ? text : "", some ? ": " : "");
    real_perror(text);
}
