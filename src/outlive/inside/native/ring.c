/* Frames in circles in a mapped file, byte for byte as inside/notes/format.py writes them. */
#include "sampler.h"

enum { HEAD = 20 };

static uint32_t checksum_of(uint32_t before, const void *from, size_t size)
{
    static uint32_t table[256];
    const unsigned char *bytes = from;
    uint32_t value = ~before;
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t entry = i;
            for (int bit = 0; bit < 8; bit++)
                entry = entry & 1 ? entry >> 1 ^ 0xEDB88320u : entry >> 1;
            table[i] = entry;
        }
    for (size_t i = 0; i < size; i++)
        value = table[(value ^ bytes[i]) & 0xFF] ^ value >> 8;
    return ~value;
}

/* marker, checksum, length, sequence; the checksum covers what follows it */
void ring_append(struct settings *to, const char *body, size_t size)
{
    char head[HEAD] = "\xf0OL\x01";
    uint32_t length = (uint32_t)size;
    if (HEAD + size > (to->end - to->start) / 2)
        return;
    to->sequence++;
    memcpy(head + 8, &length, 4);
    memcpy(head + 12, &to->sequence, 8);
    uint32_t checksum = checksum_of(checksum_of(0, head + 8, 12), body, size);
    memcpy(head + 4, &checksum, 4);
    if (to->position + HEAD + size > to->end)
        to->position = to->start;
    char *place = (char *)(uintptr_t)to->memory + to->position;
    memcpy(place, head, HEAD);
    memcpy(place + HEAD, body, size);
    to->position += HEAD + size;
}
