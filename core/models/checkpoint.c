/* checkpoint.c - reads and writes safetensors: eight bytes that say how long
   the head is, the head in JSON, and the tensors one after the other. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/files.h"
#include "heart/config.h"
#include "heart/fail.h"
#include "models/checkpoint.h"
#include "models/json.h"

/* Maps a file, and lists it and, if it is a shard, what its head says of its
   tensors. */
static void
open_file(Checkpoint *c, char *name, bool shard)
{
    char *path = within(c->directory, name);
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    /* One byte more than it has, as nothing cannot be mapped. */
    void *map = size < 0 ? MAP_FAILED
                         : mmap(NULL, (size_t)size + 1, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE, fileno(file), 0);
    if (map == MAP_FAILED)
        fail("%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    Tensor t = {.name = name, .map = map, .size = (size_t)size};
    uint64_t length = 0;
    if (shard && t.size > sizeof length)
        memcpy(&length, map, sizeof length);
    t.first = sizeof length + length;
    bool whole = length <= 1e8 && t.first <= t.size; /* the format's limit */
    char *head =
        format_text("%.*s", whole ? (int)length : 0, t.map + sizeof length);
    char *at = shard ? json_enter(head, path) : head;
    do {
        c->tensors = grow(c->tensors, c->count, &c->room, sizeof t);
        c->tensors[c->count++] = t;
    } while (json_next(&at, &t.name, &t.said, path));
}

Checkpoint
checkpoint_open(const char *directory)
{
    Checkpoint c = {.directory = directory};
    Values names = names_in(directory);
    for (int i = 0; i < names.count; i++) {
        const char *ending = strrchr(names.text[i], '.');
        int kind = index_in(".safetensors .json .txt .model .jinja .md",
                            ending ? ending : "");
        if (kind >= 0)
            open_file(&c, names.text[i], kind == 0);
    }
    return c;
}

Tensor *
tensor_ending(const Checkpoint *c, const char *name, int rows, int cols)
{
    Tensor *found = allocate(1, sizeof *found);
    for (const Tensor *t = c->tensors; t < c->tensors + c->count; t++) {
        const char *end = strstr(t->name, name);
        if (t->said && end && !strcmp(end, name) &&
            (!found->said || strlen(t->name) < strlen(found->name)))
            *found = *t;
    }
    if (!found->said)
        return NULL;
    /* What the file says of it: the type, the shape and the place. */
    char *parts[] = {"", "", "", ""}; /* the first: whatever else */
    char *at = json_enter(copy_text(found->said), name), *part, *value;
    while (json_next(&at, &part, &value, name))
        parts[1 + index_in("dtype shape data_offsets", part)] = value;
    int type = index_in("F32 F16 BF16", parts[1]);
    double begin = -1, end = -1;
    sscanf(parts[2], "[ %lf , %lf", &found->shape[0], &found->shape[1]);
    sscanf(parts[3], "[ %lf , %lf", &begin, &end);
    const double shape[] = {rows ? rows : cols, rows ? cols : 0};
    double bytes = (double)cols * (rows ? rows : 1) * (type ? 2 : 4);
    bool fits = type >= 0 && !memcmp(found->shape, shape, sizeof shape) &&
                begin >= 0 && end - begin == bytes &&
                end <= (double)(found->size - found->first);
    found->type = type;
    found->first += fits ? (size_t)begin : 0;
    return fits ? found : NULL;
}

double
tensor_entry(const Tensor *t, size_t i)
{
    int width = t->type ? 2 : 4, exponents = t->type == F16 ? 5 : 8;
    int fraction = 8 * width - 1 - exponents, last = (1 << exponents) - 1;
    uint32_t bits = 0, one = 1u << fraction;
    memcpy(&bits, t->map + t->first + i * (size_t)width, (size_t)width);
    int exponent = bits >> fraction & last;
    if (exponent == last)
        fail("%.200s has numbers that are not finite: its training diverged, "
             "or the file was damaged",
             t->name);
    double size = bits % one + (exponent ? one : 0);
    size = ldexp(size, (exponent ? exponent : 1) - last / 2 - fraction);
    return bits >> (8 * width - 1) ? -size : size;
}

void
tensor_set(Tensor *t, size_t i, double value)
{
    float narrow = (float)value;
    if (t->type != F32)
        fail("%.200s: only F32 is slimmed, as fewer bits lose digits: "
             "model.float().save_pretrained(DIR) makes it so",
             t->name);
    memcpy(t->map + t->first + i * sizeof narrow, &narrow, sizeof narrow);
}

void
checkpoint_write(const Checkpoint *c, const char *to)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    Draft *d = draft_begin(above, name);
    char *folder = new_directory(d->path, name);
    for (Tensor *t = c->tensors; t < c->tensors + c->count; t++)
        if (!t->said) {
            FILE *file = begin_file(folder, t->name);
            fwrite(t->map, 1, t->size, file);
            end_file(file, folder, t->name);
        }
    if (!draft_end(d, false))
        fail("%s: is there already: give a directory that is not", to);
}
