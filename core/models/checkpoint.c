/* checkpoint.c - reads and writes safetensors: eight bytes that say how long
   the head is, the head in JSON, and the tensors one after the other. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/files.h"
#include "heart/config.h"
#include "heart/fail.h"
#include "models/checkpoint.h"
#include "models/json.h"

/* Which word of a list of endings, ".bin .pt", the name has; -1 if none. */
static int
ending_in(const char *list, const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending ? index_in(list, ending) : -1;
}

/* Exits, because there is nothing to open, and names the files that exist. */
static _Noreturn void
no_tensors(const char *directory, const Values *names)
{
    static const char *const formats[][2] = {
        {".safetensors", "give the directory of that file and config.json"},
        {".bin .pt .pth .ckpt",
         "a PyTorch pickle, which qkv cannot read; in Python, "
         "AutoModel.from_pretrained(OLD).save_pretrained(NEW) converts it to "
         ".safetensors"},
        {".gguf", "a model for llama.cpp, mostly quantised; open the model "
                  "that it was made from, with config.json and .safetensors"},
        {".h5 .msgpack .onnx",
         "weights for another program; download the .safetensors of the model"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (int k = 0; k < names->count; k++)
            if (ending_in(formats[i][0], names->text[k]) >= 0)
                fail("%s: it has no .safetensors to open, only %s: %s",
                     directory, names->text[k], formats[i][1]);
    fail("%s: it has no .safetensors; give a directory with config.json and "
         "model.safetensors, as transformers saves a model",
         directory);
}

/* Maps a shard, and lists it and the tensors that its head describes. */
static void
open_shard(Checkpoint *c, char *name)
{
    char *path = within(c->directory, name);
    struct stat facts;
    if (stat(path, &facts))
        fail("%s: could not read it: %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        fail("%s: it is not a plain file; download it again", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("%s: could not read it: %s", path, strerror(errno));
    /* One byte more than the file has, because an empty map is refused. */
    void *map = mmap(NULL, (size_t)facts.st_size + 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE, fileno(file), 0);
    if (map == MAP_FAILED)
        fail("%s: could not map it into memory: %s", path, strerror(errno));
    fclose(file);
    Tensor t = {.name = name, .map = map, .size = (size_t)facts.st_size};
    uint64_t length = 0;
    if (t.size > sizeof length)
        memcpy(&length, map, sizeof length);
    t.first = sizeof length + length;
    bool whole = length <= 1e8 && t.first <= t.size; /* the format's limit */
    char *head =
        format_text("%.*s", whole ? (int)length : 0, t.map + sizeof length);
    char *at = json_enter(head, path);
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
        if (!strcmp(names.text[i], "adapter_config.json"))
            fail("%s: it is an adapter (LoRA) of another model; in Python, "
                 "merge_and_unload() and save_pretrained(NEW) make one model "
                 "of the two",
                 directory);
        if (ending_in(".safetensors", names.text[i]) >= 0)
            open_shard(&c, names.text[i]);
    }
    if (!names.count) /* it may be a file */
        values_add(&names, copy_text(directory));
    if (!c.count)
        no_tensors(directory, &names);
    return c;
}

/* The entry of a tensor in the head of a file: its type and shape, as texts,
   and the places of its first byte and of its end, counted from the end of the
   head.
 */
typedef struct Said {
    const char *type, *shape;
    double begin, end;
    bool within; /* is that place within the file? */
} Said;

/* Reads a tensor's entry in the head of its file. */
static Said
said_of(const Tensor *t)
{
    Said said = {"", "", -1, -1, false};
    char *at = json_enter(copy_text(t->said), t->name), *part, *value;
    while (json_next(&at, &part, &value, t->name))
        if (!strcmp(part, "dtype"))
            said.type = value;
        else if (!strcmp(part, "shape"))
            said.shape = value;
        else if (!strcmp(part, "data_offsets"))
            sscanf(value, "[ %lf , %lf", &said.begin, &said.end);
    said.within = said.begin >= 0 && said.end >= said.begin &&
                  said.end <= (double)(t->size - t->first);
    return said;
}

/* Fails if another tensor has the same name. */
static void
refuse_twice(const Checkpoint *c, const Tensor *found)
{
    for (const Tensor *t = c->tensors; t < c->tensors + c->count; t++)
        if (t != found && t->said && !strcmp(t->name, found->name))
            fail(
                "%s: its .safetensors have %.200s twice; keep the files of one "
                "model, model.safetensors or the shards that its index names",
                c->directory, found->name);
}

/* Is a tensor of this name in the part for texts of a composite model? */
static bool
in_text_model(const char *name)
{
    return strstr(name, "language_model.") || strstr(name, "text_model.");
}

/* The tensor whose name ends in `name`; NULL if there is none. Fails if several
   models in the files have one, unless one of them is for texts. */
static const Tensor *
only_ending(const Checkpoint *c, const char *name)
{
    const Tensor *found = NULL, *other = NULL;
    for (const Tensor *t = c->tensors; t < c->tensors + c->count; t++) {
        size_t length = strlen(t->name), tail = strlen(name);
        if (!t->said || length < tail || strcmp(t->name + length - tail, name))
            continue;
        if (!found || (in_text_model(t->name) && !in_text_model(found->name))) {
            found = t;
            other = NULL;
        } else if (in_text_model(t->name) == in_text_model(found->name)) {
            other = t;
        }
    }
    if (other && strcmp(other->name, found->name) != 0)
        fail("%s: its .safetensors have %.200s and %.200s, and config.json "
             "does not say which of them is meant; keep the files of one model",
             c->directory, found->name, other->name);
    return found;
}

/* Believes an entry only if its type, its shape and its number of bytes agree.
 */
Tensor *
tensor_ending(const Checkpoint *c, const char *name, int rows, int cols)
{
    const Tensor *t = only_ending(c, name);
    if (!t)
        return NULL;
    refuse_twice(c, t);
    Tensor *found = allocate(1, sizeof *found);
    *found = *t;
    Said said = said_of(t);
    int type = index_in("F32 F16 BF16", said.type);
    sscanf(said.shape, "[ %lf , %lf", &found->shape[0], &found->shape[1]);
    /* Without rows it is a vector, which has one size. */
    const double shape[] = {rows ? rows : cols, rows ? cols : 0};
    double bytes = (double)cols * (rows ? rows : 1) * (type == F32 ? 4 : 2);
    if (type < 0 || memcmp(found->shape, shape, sizeof shape) != 0 ||
        !said.within || said.end - said.begin != bytes)
        return NULL;
    found->type = type;
    found->first += (size_t)said.begin;
    return found;
}

/* How a type stores numbers: a sign, an exponent and a fraction, whose first 1
   is left out unless the exponent is 0, its least value. */
static const struct Format {
    int width, fraction, last; /* bytes; bits; the exponent of infinity */
} formats[] = {[F32] = {4, 23, 255}, [F16] = {2, 10, 31}, [BF16] = {2, 7, 255}};

double
tensor_entry(const Tensor *t, size_t i)
{
    const struct Format *f = &formats[t->type];
    size_t width = (size_t)f->width;
    uint32_t bits = 0, one = 1u << f->fraction;
    memcpy(&bits, t->map + t->first + i * width, width);
    int exponent = bits >> f->fraction & f->last;
    if (exponent == f->last)
        fail("%.200s has numbers that are not finite: its training diverged, "
             "or the file is damaged; download it again",
             t->name);
    double size = bits % one + (exponent ? one : 0);
    size = ldexp(size, (exponent ? exponent : 1) - f->last / 2 - f->fraction);
    return bits >> (8 * width - 1) ? -size : size;
}

/* If the bits without the sign are taken for an integer, the next larger number
   is the next integer. So rounding up may carry into the exponent. */
void
tensor_set(Tensor *t, size_t i, double value)
{
    const struct Format *f = &formats[t->type];
    size_t width = (size_t)f->width;
    int exponent = ilogb(value), least = 1 - f->last / 2;
    exponent = exponent < least ? least : exponent;
    double units = nearbyint(ldexp(fabs(value), f->fraction - exponent));
    double most = ldexp(f->last, f->fraction);
    units += ldexp(exponent - least, f->fraction);
    if (!(units < most))
        fail("%.200s: %g is too large for its %zu bits; convert it with "
             "model.float().save_pretrained(DIR)",
             t->name, value, 8 * width);
    uint32_t bits = (uint32_t)units;
    bits |= signbit(value) ? 1u << (8 * width - 1) : 0;
    memcpy(t->map + t->first + i * width, &bits, width);
}

void
tensor_cut(const Checkpoint *c, const Tensor *t, int rows)
{
    for (int i = 0; i < c->count; i++)
        if (c->tensors[i].name == t->name) {
            c->tensors[i].kept = rows;
            memcpy(c->tensors[i].shape, t->shape, sizeof t->shape);
        }
}

/* Writes a tensor's line of the head of a file, in which it begins at `at`.
   Returns how many bytes it has. Tensors that overlap would make a file of any
   size. */
static size_t
write_said(FILE *head, const Tensor *t, size_t at)
{
    Said said = said_of(t);
    size_t bytes = said.within ? (size_t)(said.end - said.begin) : 0;
    if (!said.within || at + bytes > t->size)
        fail("%.200s: it is not within its file, or overlaps another: the file "
             "was cut, or is not of safetensors; download it again",
             t->name);
    const char *shape = said.shape;
    if (t->kept) {
        bytes = bytes / (size_t)t->shape[0] * (size_t)t->kept;
        shape = t->shape[1] > 0 ? format_text("[%d,%.0f]", t->kept, t->shape[1])
                                : format_text("[%d]", t->kept);
    }
    fprintf(head, "\"%s\":{\"dtype\":\"%s\",\"shape\":%s,", t->name, said.type,
            shape);
    fprintf(head, "\"data_offsets\":[%zu,%zu]}", at, at + bytes);
    return bytes;
}

/* Writes a file in which some tensors are cut: the others move up, so its head
   has to be made anew. */
static void
write_cut(const Checkpoint *c, const Tensor *file, FILE *to)
{
    size_t at = 0, *bytes = allocate((size_t)c->count, sizeof *bytes);
    char *text;
    FILE *head = begin_text(&text);
    const char *between = "{";
    for (int i = 0; i < c->count; i++) {
        const Tensor *t = &c->tensors[i];
        if (!t->said || t->map != file->map)
            continue;
        fputs(between, head);
        between = ",";
        if (strcmp(t->name, "__metadata__") != 0)
            bytes[i] = write_said(head, t, at);
        else
            fprintf(head, "\"__metadata__\":%s", t->said);
        at += bytes[i];
    }
    fputs("}", head);
    end_text(head, &text);
    uint64_t length = (strlen(text) + 7) / 8 * 8; /* so that numbers align */
    fwrite(&length, sizeof length, 1, to);
    fprintf(to, "%-*s", (int)length, text);
    for (int i = 0; i < c->count; i++)
        if (bytes[i]) {
            Said said = said_of(&c->tensors[i]);
            fwrite(file->map + file->first + (size_t)said.begin, 1, bytes[i],
                   to);
        }
    free(bytes);
    free(text);
}

/* Writes one file of the checkpoint: as it is, unless a tensor in it was cut.
 */
static void
write_shard(const Checkpoint *c, const Tensor *file, FILE *to)
{
    bool cut = false;
    for (int i = 0; i < c->count; i++)
        cut |= c->tensors[i].map == file->map && c->tensors[i].kept;
    if (cut)
        write_cut(c, file, to);
    else
        fwrite(file->map, 1, file->size, to);
}

/* Copies the files that belong to a model besides its weights. Links are not
   followed, since they may lead to any file that this user can read;
   config.json is, because it was read already. */
static void
copy_others(const Checkpoint *c, const char *folder)
{
    Values names = names_in(c->directory), links = {0};
    for (int i = 0; i < names.count; i++) {
        char *name = names.text[i], *path = within(c->directory, name);
        struct stat facts;
        if (ending_in(".json .txt .model .jinja .md", name) < 0 ||
            lstat(path, &facts))
            continue;
        if (S_ISREG(facts.st_mode) || !strcmp(name, "config.json")) {
            size_t size;
            char *bytes = read_file(path, "file", &size);
            FILE *file = begin_file(folder, name);
            fwrite(bytes, 1, size, file);
            end_file(file, folder, name);
            free(bytes);
        } else if (S_ISLNK(facts.st_mode)) {
            values_add(&links, name);
        }
    }
    if (links.count)
        note("%s: links were not copied: %s; copy those that belong to the "
             "model",
             c->directory, joined(&links, ", "));
}

void
checkpoint_place(const char *to)
{
    struct stat facts;
    if (!lstat(to, &facts))
        fail("%s: it exists already; choose another directory", to);
}

void
checkpoint_write(const Checkpoint *c, const char *to, const char *config)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    Draft *d = draft_begin(above, name);
    char *folder = new_directory(d->path, name);
    for (Tensor *t = c->tensors; t < c->tensors + c->count; t++)
        if (!t->said) {
            FILE *file = begin_file(folder, t->name);
            write_shard(c, t, file);
            end_file(file, folder, t->name);
        }
    copy_others(c, folder);
    if (config) {
        FILE *file = begin_file(folder, "config.json");
        fputs(config, file);
        end_file(file, folder, "config.json");
    }
    if (!draft_end(d, false))
        fail("%s: another program wrote it meanwhile; choose another name", to);
}
