/* checkpoint.c - reads and writes safetensors: eight bytes that say how long
   the head is, the head in JSON, and the tensors one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "heart/fail.h"
#include "models/checkpoint.h"
#include "models/json.h"

enum { LENGTH = 8 };
static const size_t longest_head = 100000000; /* of the format, in bytes */

/* A file: its bytes, and the text of its head, which the names are in. */
struct Shard {
    char *name, *head;
    unsigned char *map;
    size_t size, data; /* data: where the tensors begin */
};

/* Bytes of an entry of such a type, 0 where it is unknown. */
static int
width_of(const char *type)
{
    static const char *const of_width[] = {
        [1] = "BOOL,U8,I8,F8_E4M3,F8_E5M2,F8_E8M0",
        [2] = "F16,BF16,I16,U16",
        [4] = "F32,I32,U32",
        [8] = "F64,I64,U64"};
    int width = 1;
    while (width <= 8 && index_in(of_width[width], type) < 0)
        width *= 2;
    return width <= 8 ? width : 0;
}

/* The next whole number of a list, -1 where it is none. */
static double
next_number(const JsonValue **v)
{
    bool whole = *v && (*v)->kind == JSON_NUMBER && (*v)->number >= 0 &&
                 (*v)->number < 1e15 && floor((*v)->number) == (*v)->number;
    double number = whole ? (*v)->number : -1;
    *v = *v ? json_next(*v) : NULL;
    return number;
}

/* Reads what the head says of a tensor. Returns what is wrong with it, NULL if
   nothing. */
static const char *
describe(const JsonValue *v, const Shard *s, Tensor *t)
{
    const JsonValue *type = json_member(v, "dtype");
    const JsonValue *shape = json_member(v, "shape");
    const JsonValue *place = json_member(v, "data_offsets");
    double entries = 1;
    if (!type || type->kind != JSON_TEXT || !shape ||
        shape->kind != JSON_LIST || !place || place->kind != JSON_LIST)
        return "it has no dtype, shape and data_offsets";
    *t = (Tensor){.name = v->name, .type = type->text};
    t->width = width_of(t->type);
    if (!t->width)
        return "its dtype is not known here";
    if (shape->members > MOST_DIMENSIONS)
        return "it has more than 8 dimensions";
    for (const JsonValue *n = json_first(shape); n;)
        entries *= t->shape[t->dimensions++] = next_number(&n);
    for (int i = 0; i < t->dimensions; i++)
        if (t->shape[i] < 0)
            return "its shape has what is no whole number";
    const JsonValue *n = json_first(place);
    double begin = next_number(&n), end = next_number(&n);
    if (begin < 0 || end < begin || end > (double)(s->size - s->data))
        return "its data_offsets are not within the file, which may have been "
               "cut";
    if (entries * t->width != end - begin)
        return "its data_offsets are not as far apart as its shape takes";
    t->size = (size_t)(end - begin);
    t->at = s->map + s->data + (size_t)begin;
    return NULL;
}

/* Adds the tensors that the head of a shard lists. */
static void
read_head(Checkpoint *c, const Shard *s, const char *path)
{
    JsonValue *head = json_read(s->head, s->data - LENGTH, path);
    if (head->kind != JSON_OBJECT)
        fail("%s: its head is no list of tensors: download the file again",
             path);
    for (const JsonValue *v = json_first(head); v; v = json_next(v)) {
        Tensor t;
        if (!strcmp(v->name, "__metadata__"))
            continue;
        const char *why = describe(v, s, &t);
        if (why)
            fail("%s: %.200s: %s: download the file again", path, v->name, why);
        c->tensors = grow(c->tensors, c->count, &c->room, sizeof t);
        c->tensors[c->count++] = t;
    }
    free(head);
}

/* Maps a file, and reads its head. */
static void
open_shard(Checkpoint *c, const char *name)
{
    Path path = within(c->directory, name);
    Shard *s = &c->shards[c->shard_count++];
    struct stat facts = {0};
    uint64_t length = 0;
    int file = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &facts) || !S_ISREG(facts.st_mode))
        fail("%s: no file of tensors can be read there: %s; `qkv open` takes a "
             "directory with model.safetensors, or with all shards of its "
             "index",
             path.text, file < 0 ? strerror(errno) : "it is no plain file");
    s->name = copy_text(name);
    s->size = (size_t)facts.st_size;
    if (s->size > LENGTH)
        s->map =
            mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (s->map == MAP_FAILED)
        fail("%s: cannot be mapped into memory: %s", path.text,
             strerror(errno));
    close(file);
    for (int i = LENGTH - 1; i >= 0 && s->map; i--)
        length = length << 8 | s->map[i];
    if (length < 2 || length > s->size - LENGTH || length > longest_head)
        fail("%s: not safetensors: its head cannot have %llu of %zu bytes; "
             "download the file again",
             path.text, (unsigned long long)length, s->size);
    s->data = LENGTH + (size_t)length;
    s->head = allocate((size_t)length + 1, 1);
    memcpy(s->head, s->map + LENGTH, (size_t)length);
    read_head(c, s, path.text);
}

/* Opens each file that an index names, once. */
static void
open_shards(Checkpoint *c, const char *path)
{
    size_t size;
    void *seen = NULL;
    char *text = read_file(path, "index of shards", &size);
    JsonValue *index = json_read(text, size, path);
    const JsonValue *map = json_member(index, "weight_map");
    if (!map || map->kind != JSON_OBJECT)
        fail("%s: it has no weight_map: download the file again", path);
    c->shards = allocate((size_t)map->members, sizeof *c->shards);
    for (const JsonValue *v = json_first(map); v; v = json_next(v)) {
        if (v->kind != JSON_TEXT || strchr(v->text, '/') || *v->text == '.')
            fail("%s: %.200s is in no file of this directory: download the "
                 "file again",
                 path, v->name);
        if (word_added(&seen, v->text))
            open_shard(c, v->text);
    }
    free(index);
    free(text);
}

static int
by_place(const void *a, const void *b)
{
    const Tensor *p = a, *q = b;
    return (p->at > q->at) - (p->at < q->at);
}

Checkpoint
checkpoint_open(const char *directory)
{
    Checkpoint c = {.directory = directory};
    Path index = within(directory, "model.safetensors.index.json");
    if (!access(index.text, F_OK))
        open_shards(&c, index.text);
    else {
        c.shards = allocate(1, sizeof *c.shards);
        open_shard(&c, "model.safetensors");
    }
    if (c.count)
        qsort(c.tensors, (size_t)c.count, sizeof *c.tensors, by_place);
    for (const Tensor *t = c.tensors; t && t < c.tensors + c.count - 1; t++)
        if (t->at + t->size > t[1].at)
            fail("%s: %.200s and %.200s overlap: download the files again",
                 directory, t->name, t[1].name);
    return c;
}

void
checkpoint_close(Checkpoint *c)
{
    for (Shard *s = c->shards; s < c->shards + c->shard_count; s++) {
        munmap(s->map, s->size);
        free(s->head);
        free(s->name);
    }
    free(c->shards);
    free(c->tensors);
}

Tensor *
tensor_named(const Checkpoint *c, const char *name)
{
    for (Tensor *t = c->tensors; t && t < c->tensors + c->count; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

double
tensor_entry(const Tensor *t, size_t i)
{
    const unsigned char *at = t->at + i * (size_t)t->width;
    uint32_t bits = 0;
    double wide;
    float narrow;
    memcpy(t->width == 8 ? (void *)&wide : (void *)&bits, at, (size_t)t->width);
    if (t->width == 8)
        return wide;
    if (!strcmp(t->type, "F16")) { /* IEEE 754: 1, 5 and 10 bits */
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                     : ldexp(fraction, -24);
        return bits >> 15 ? -size : size;
    }
    bits <<= t->width == 2 ? 16 : 0; /* BF16: the first half of a float */
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

void
tensor_set(Tensor *t, size_t i, double value)
{
    float narrow = (float)value;
    memcpy(t->at + i * sizeof narrow, &narrow, sizeof narrow);
}

/* The shard of that name, NULL where it is another file. */
static const Shard *
shard_named(const Checkpoint *c, const char *name)
{
    for (const Shard *s = c->shards; s < c->shards + c->shard_count; s++)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

/* Writes what a file of the directory has: of a shard, what it has now. Weights
   in other formats, which would be the old ones, stay behind. */
static void
copy_file(const Checkpoint *c, const char *name, const char *to)
{
    static const char copied[] = ".json .txt .model .jinja .md";
    struct stat facts;
    const char *dot = strrchr(name, '.');
    Path path = within(c->directory, name);
    const Shard *s = shard_named(c, name);
    size_t size = s ? s->size : 0;
    char *bytes = NULL;
    if (stat(path.text, &facts) || !S_ISREG(facts.st_mode) ||
        (!s && (!dot || index_in(copied, dot) < 0)))
        return;
    if (!s)
        bytes = read_file(path.text, "file of the model", &size);
    FILE *file = begin_file(to, name);
    fwrite(s ? (char *)s->map : bytes, 1, size, file);
    end_file(file, to, name);
    free(bytes);
}

void
checkpoint_write(const Checkpoint *c, const char *to)
{
    char *path = copy_text(to), *last = copy_text(to);
    const char *above = dirname(path), *name = basename(last);
    drafts_sweep(above);
    Draft *d = draft_begin(above, name);
    Path folder = new_directory(d->path.text, name);
    Values names = names_in(c->directory);
    for (int i = 0; i < names.count; i++)
        copy_file(c, names.text[i], folder.text);
    values_free(&names);
    if (!draft_publish(d, name, false))
        fail("%s: is there already: give a directory that is not", to);
    draft_end(d);
    free(path);
    free(last);
}
