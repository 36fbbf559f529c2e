/* checkpoint.c - reads and writes safetensors: eight bytes that say how long
   the head is, the head in JSON, and the tensors one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "heart/config.h"
#include "heart/fail.h"
#include "models/checkpoint.h"
#include "models/json.h"

/* Reads a list of one or two numbers, "[384, 384]"; of more the second is -1.
 */
static void
read_pair(const char *list, double pair[2])
{
    char end = 0;
    int count = sscanf(list, "[ %lf , %lf %c", &pair[0], &pair[1], &end);
    if (count == 3 && end != ']')
        pair[1] = -1;
}

/* Adds a tensor, of which the head of a shard says so much. */
static void
add_tensor(Checkpoint *c, const Shard *s, Tensor t, char *said,
           const char *path)
{
    double place[2] = {-1, -1}, most = (double)(s->size - s->data);
    char *at = json_enter(said, path), *name, *value;
    while (json_next(&at, &name, &value, path))
        if (name && !strcmp(name, "dtype"))
            t.type = value;
        else if (name && !strcmp(name, "shape"))
            read_pair(value, t.shape);
        else if (name && !strcmp(name, "data_offsets"))
            read_pair(value, place);
    if (!(0 <= place[0] && place[0] <= place[1] && place[1] <= most))
        fail("%s: the data_offsets of %.200s are not within the file: it may "
             "have been cut; download it again",
             path, t.name);
    t.at = s->map + s->data + (size_t)place[0];
    t.size = (size_t)place[1] - (size_t)place[0];
    c->tensors = grow(c->tensors, c->count, &c->room, sizeof t);
    c->tensors[c->count++] = t;
}

/* Maps a file, and reads its head, whose text stays. */
static void
open_shard(Checkpoint *c, const char *file_name)
{
    char *path = within(c->directory, file_name);
    Shard s = {.name = file_name};
    struct stat facts;
    uint64_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &facts))
        fail("%s: cannot be read: %s", path, strerror(errno));
    s.size = (size_t)facts.st_size;
    s.map = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    if (s.map != MAP_FAILED && s.size > sizeof length)
        memcpy(&length, s.map, sizeof length);
    if (!length || length > s.size - sizeof length)
        fail("%s: not safetensors: its head cannot have %llu of %zu bytes; "
             "download the file again",
             path, (unsigned long long)length, s.size);
    s.data = sizeof length + (size_t)length;
    char *head = allocate((size_t)length + 1, 1), *name, *value;
    memcpy(head, s.map + sizeof length, (size_t)length);
    char *at = json_enter(head, path);
    while (json_next(&at, &name, &value, path))
        if (name && strcmp(name, "__metadata__"))
            add_tensor(c, &s, (Tensor){.name = name, .type = "?"}, value, path);
    c->shards = grow(c->shards, c->shard_count, &c->shard_room, sizeof s);
    c->shards[c->shard_count++] = s;
}

/* Does a name end like one of the endings? */
static bool
ends_in(const char *endings, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && index_in(endings, dot) >= 0;
}

Checkpoint
checkpoint_open(const char *directory)
{
    Checkpoint c = {.directory = directory, .files = names_in(directory)};
    for (int i = 0; i < c.files.count; i++)
        if (ends_in(".safetensors", c.files.text[i]))
            open_shard(&c, c.files.text[i]);
    if (!c.shard_count)
        fail("%s: no model.safetensors is there, and no shards of one: name "
             "the directory of a model, as transformers saves it",
             directory);
    return c;
}

/* Bytes of an entry; 0 where no number of that type can be read here. */
static size_t
width_of(const Tensor *t)
{
    if (!strcmp(t->type, "F32"))
        return 4;
    return index_in("F16 BF16", t->type) >= 0 ? 2 : 0;
}

Tensor *
tensor_ending(const Checkpoint *c, const char *name, int rows, int cols)
{
    size_t length = strlen(name);
    Tensor *found = NULL;
    for (Tensor *t = c->tensors; t && t < c->tensors + c->count; t++) {
        size_t all = strlen(t->name), before = all > length ? all - length : 0;
        bool ends = !strcmp(t->name + before, name) &&
                    (!before || t->name[before - 1] == '.');
        if (ends && (!found || all < strlen(found->name)))
            found = t;
    }
    const double wanted[] = {rows ? rows : cols, rows ? cols : 0};
    double entries = (double)cols * (rows ? rows : 1);
    if (found && (memcmp(found->shape, wanted, sizeof wanted) ||
                  entries * (double)width_of(found) != (double)found->size))
        fail("%s: %.200s is %.0f x %.0f of type %.16s, where config.json makes "
             "it %.0f x %.0f of F32, F16 or BF16: they are not of one model",
             c->directory, found->name, found->shape[0], found->shape[1],
             found->type, wanted[0], wanted[1]);
    return found;
}

double
tensor_entry(const Tensor *t, size_t i)
{
    size_t width = width_of(t);
    uint32_t bits = 0;
    float x;
    memcpy(&bits, t->at + i * width, width);
    if (!strcmp(t->type, "F16")) { /* IEEE 754: 1, 5 and 10 bits */
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        x = exponent ? ldexpf((float)(1024 + fraction), exponent - 25)
                     : ldexpf((float)fraction, -24);
        x = exponent == 31 ? NAN : bits >> 15 ? -x : x;
    } else {
        bits <<= 8 * (4 - width); /* BF16: the first half of a float */
        memcpy(&x, &bits, sizeof x);
    }
    if (!isfinite(x))
        fail("%.200s has numbers that are not finite: its training diverged, "
             "or the file was damaged",
             t->name);
    return x;
}

void
tensor_set(Tensor *t, size_t i, double value)
{
    float narrow = (float)value;
    if (strcmp(t->type, "F32"))
        fail("%.200s is of type %s, and only F32 is slimmed: in fewer bits its "
             "digits would be lost; model.float().save_pretrained(DIR) makes "
             "it so",
             t->name, t->type);
    memcpy(t->at + i * sizeof narrow, &narrow, sizeof narrow);
}

static void
put_file(const char *to, const char *name, const void *bytes, size_t size)
{
    FILE *file = begin_file(to, name);
    fwrite(bytes, 1, size, file);
    end_file(file, to, name);
}

/* Weights in other formats, which would be the old ones, stay behind. */
void
checkpoint_write(const Checkpoint *c, const char *to)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    Draft *d = draft_begin(above, name);
    char *folder = new_directory(d->path, name);
    for (const Shard *s = c->shards; s < c->shards + c->shard_count; s++)
        put_file(folder, s->name, s->map, s->size);
    for (int i = 0; i < c->files.count; i++) {
        size_t size;
        const char *file = c->files.text[i];
        if (!ends_in(".json .txt .model .jinja .md", file))
            continue;
        char *text = read_file(within(c->directory, file), "file", &size);
        put_file(folder, file, text, size);
    }
    if (!draft_end(d, false))
        fail("%s: is there already: give a directory that is not", to);
}
