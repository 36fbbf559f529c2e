/* checkpoint.c - reads and writes .safetensors. Such a file has eight bytes
   that say how long its header is, the header in JSON, and the tensors one
   after the other. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "heart/fail.h"
#include "models/checkpoint.h"
#include "models/json.h"

/* The specification of the format allows no larger header. */
static const double most_header_bytes = 1e8;

/* Returns whether the name has one of these endings, such as ".json .txt". */
static bool
has_ending(const char *name, const char *endings)
{
    const char *ending = strrchr(name, '.');
    return ending && index_in(endings, ending) >= 0;
}

/* Exits, because there is no .safetensors among the names of a directory. If
   one has an ending of formats.tsv, the message says what that table advises.
 */
static _Noreturn void
refuse_formats(const char *directory, const Values *names)
{
    enum { ENDING, ADVICE };
    Table formats = {0};
    table_add(&formats, within(beside_program("models"), "formats.tsv"));
    for (int i = 0; i < formats.rows; i++)
        for (int k = 0; k < names->count; k++)
            if (has_ending(names->text[k], table_cell(&formats, i, ENDING)))
                fail("%s: it has no .safetensors to open, only %s: %s",
                     directory, names->text[k],
                     table_cell(&formats, i, ADVICE));
    fail("%s: it has no .safetensors; give a directory with config.json and "
         "model.safetensors, as transformers saves a model",
         directory);
}

/* Maps a file into memory and sets *size to the number of its bytes. Fails
   unless it is a plain file. */
static void *
map_file(const char *path, size_t *size)
{
    struct stat facts;
    if (stat(path, &facts) || !S_ISREG(facts.st_mode))
        fail("%s: it is not a plain file; download it again", path);
    FILE *file = fopen(path, "rb");
    void *map = MAP_FAILED;
    if (file) /* one byte more than the file: mmap refuses an empty map */
        map = mmap(NULL, (size_t)facts.st_size + 1, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE, fileno(file), 0);
    if (map == MAP_FAILED)
        fail("%s: could not read it: %s", path, strerror(errno));
    fclose(file);
    *size = (size_t)facts.st_size;
    return map;
}

/* Adds an entry to the checkpoint's list. */
static void
add_entry(Checkpoint *c, Tensor entry)
{
    c->tensors = grow(c->tensors, c->count, &c->capacity, sizeof entry);
    c->tensors[c->count++] = entry;
}

/* Adds an entry for a shard and then one for each tensor that its header
   describes. A header that is longer than its file or than the format allows is
   read as empty, and json_enter refuses that. */
static void
open_shard(Checkpoint *c, char *name)
{
    char *path = within(c->directory, name);
    Tensor file = {.name = name};
    uint64_t length = 0;
    file.map = map_file(path, &file.size);
    if (file.size > sizeof length)
        memcpy(&length, file.map, sizeof length);
    file.data = sizeof length + length;
    bool fits = length <= most_header_bytes && file.data <= file.size;
    int readable = fits ? (int)length : 0;
    char *header = format_text("%.*s", readable, file.map + sizeof length);
    char *at = json_enter(header, path);
    add_entry(c, file);
    Tensor tensor = file; /* the name and the description become its own */
    while (json_next(&at, &tensor.name, &tensor.description, path))
        add_entry(c, tensor);
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
        if (has_ending(names.text[i], ".safetensors"))
            open_shard(&c, names.text[i]);
    }
    if (!names.count) /* perhaps it is a file: its own ending is looked up */
        values_add(&names, copy_text(directory));
    if (!c.count)
        refuse_formats(directory, &names);
    return c;
}

/* What the header says of a tensor. */
typedef struct Description {
    const char *type, *shape; /* texts such as "F32" and "[2,3]"; "" if they are
                                 missing */
    double begin, end;        /* where its bytes begin and end, counted from
                                 Tensor.data; -1 if this is missing */
    bool in_file;             /* true if all these bytes are in the file */
} Description;

static Description
description_of(const Tensor *t)
{
    Description d = {.type = "", .shape = "", .begin = -1, .end = -1};
    char *at = json_enter(copy_text(t->description), t->name), *key, *value;
    while (json_next(&at, &key, &value, t->name))
        if (!strcmp(key, "dtype"))
            d.type = value;
        else if (!strcmp(key, "shape"))
            d.shape = value;
        else if (!strcmp(key, "data_offsets"))
            sscanf(value, "[ %lf , %lf", &d.begin, &d.end);
    d.in_file = d.begin >= 0 && d.end >= d.begin &&
                d.end <= (double)(t->size - t->data);
    return d;
}

/* Returns whether a name is that of a tensor in the text part of a composite
   model. */
static bool
in_text_model(const char *name)
{
    return strstr(name, "language_model.") || strstr(name, "text_model.");
}

/* Returns whether the text ends in `ending`. */
static bool
ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && !strcmp(text + length - tail, ending);
}

/* The tensor whose name ends in `ending`; NULL if there is none. Fails if there
   are several, unless exactly one of them is in the text part of a model. */
static const Tensor *
only_ending(const Checkpoint *c, const char *ending)
{
    const Tensor *found = NULL, *rival = NULL; /* rival: as good as `found` */
    for (const Tensor *t = c->tensors; t < c->tensors + c->count; t++) {
        bool is_file = !t->description;
        if (is_file || !ends_in(t->name, ending))
            continue;
        bool text = in_text_model(t->name);
        bool text_found = found && in_text_model(found->name);
        if (!found || (text && !text_found)) {
            found = t;
            rival = NULL;
        } else if (text == text_found) {
            rival = t;
        }
    }
    if (rival && !strcmp(rival->name, found->name))
        fail("%s: its .safetensors have %.200s twice; keep the files of one "
             "model",
             c->directory, found->name);
    if (rival)
        fail("%s: its .safetensors have both %.200s and %.200s; keep the files "
             "of one model",
             c->directory, found->name, rival->name);
    return found;
}

/* How a type stores a number (IEEE 754): a sign bit, an exponent e and a
   fraction f of n bits, from the highest bit to the lowest. The number is
   (2^n + f) 2^(e - bias - n) or, if e is 0, f 2^(1 - bias - n). The bias is
   half of the greatest exponent, rounded down. The greatest exponent is for
   infinity and NaN. */
static const struct Format {
    int width;    /* the bytes of a number */
    int fraction; /* n, the bits of the fraction */
    int greatest; /* the greatest exponent */
} formats[] = {[F32] = {4, 23, 255}, [F16] = {2, 10, 31}, [BF16] = {2, 7, 255}};

/* The bit that is 1 in negative numbers: the highest one. */
static uint32_t
sign_bit(const struct Format *f)
{
    return 1u << (8 * f->width - 1);
}

/* The tensor's type, shape and number of bytes, as its file describes them,
   must agree. The result is a copy of the tensor's entry in c, with its shape,
   its type and its first byte. */
Tensor *
tensor_ending(const Checkpoint *c, const char *ending, int rows, int cols)
{
    const Tensor *t = only_ending(c, ending);
    if (!t)
        return NULL;
    Description d = description_of(t);
    int type = index_in("F32 F16 BF16", d.type); /* the order of Tensor.type */
    if (type < 0)
        return NULL;
    double shape[2] = {0}; /* a vector's has no second number, which stays 0 */
    sscanf(d.shape, "[ %lf , %lf", &shape[0], &shape[1]);
    bool is_vector = rows == VECTOR;
    bool same_shape = is_vector ? shape[0] == cols && shape[1] == 0
                                : shape[0] == rows && shape[1] == cols;
    double entries = is_vector ? cols : (double)rows * cols;
    bool same_size = d.end - d.begin == entries * formats[type].width;
    if (!same_shape || !same_size || !d.in_file)
        return NULL;
    Tensor *found = allocate(1, sizeof *found);
    *found = *t;
    memcpy(found->shape, shape, sizeof shape);
    found->type = type;
    found->first = t->data + (size_t)d.begin;
    return found;
}

double
tensor_entry(const Tensor *t, size_t i)
{
    const struct Format *f = &formats[t->type];
    size_t width = (size_t)f->width;
    uint32_t bits = 0, leading_one = 1u << f->fraction; /* 2^fraction */
    memcpy(&bits, t->map + t->first + i * width, width);
    uint32_t fraction = bits % leading_one;
    int exponent = bits / leading_one & f->greatest, bias = f->greatest / 2;
    if (exponent == f->greatest)
        fail("the tensor %.200s has numbers that are not finite: download its "
             "file again or, if the model's training diverged, take another",
             t->name);
    bool normal = exponent > 0;
    double integer = normal ? leading_one + fraction : fraction;
    double size = ldexp(integer, (normal ? exponent : 1) - bias - f->fraction);
    return bits & sign_bit(f) ? -size : size;
}

/* The value is integer 2^(exponent - n), where n is the number of bits of the
   fraction. `least` is the exponent of the smallest normal number, whose stored
   exponent e is 1. The bits of a number are e 2^n + f. A normal number has the
   integer 2^n + f and e = exponent - least + 1. A smaller number has the
   integer f and e = 0, and its exponent counts as `least`. So the bits of both
   are integer + (exponent - least) 2^n. If rounding makes the integer 2^(n +
   1), these are the bits of the next power of 2, as they should be. */
void
tensor_set(Tensor *t, size_t i, double value)
{
    const struct Format *f = &formats[t->type];
    size_t width = (size_t)f->width;
    int exponent = ilogb(value), least = 1 - f->greatest / 2;
    if (exponent < least) /* it is smaller than a normal number, or 0 */
        exponent = least;
    double integer = nearbyint(ldexp(fabs(value), f->fraction - exponent));
    double stored = integer + ldexp(exponent - least, f->fraction);
    double infinity = ldexp(f->greatest, f->fraction); /* its stored bits */
    if (!(stored < infinity)) /* it is too large, infinite or NaN */
        fail("%.200s: %g is too large for this tensor's %zu-bit format; "
             "convert the model with model.float().save_pretrained(DIR)",
             t->name, value, 8 * width);
    uint32_t bits = (uint32_t)stored;
    bits |= signbit(value) ? sign_bit(f) : 0;
    memcpy(t->map + t->first + i * width, &bits, width);
}

/* t is a copy (tensor_ending), so its entry in c is changed. The entry needs
   the shape, too, which only the copy has. */
void
tensor_keep_rows(const Checkpoint *c, const Tensor *t, int rows)
{
    for (int i = 0; i < c->count; i++)
        if (c->tensors[i].name == t->name) {
            c->tensors[i].rows_kept = rows;
            memcpy(c->tensors[i].shape, t->shape, sizeof t->shape);
        }
}

/* Writes a tensor's description into the header of a new file, in which the
   tensor begins at byte `begin` after the header. Returns how many bytes it has
   there. Fails if the tensor is not within the old file, or overlaps another
   one. */
static size_t
write_description(FILE *header, const Tensor *t, size_t begin)
{
    Description d = description_of(t);
    size_t bytes = d.in_file ? (size_t)(d.end - d.begin) : 0;
    /* If the tensors up to this one are together longer than the old file, some
       of them overlap in it. */
    bool overlaps = begin + bytes > t->size;
    if (!d.in_file || overlaps)
        fail("%.200s: it is not within its file, or overlaps another tensor; "
             "download the file again",
             t->name);
    const char *shape = d.shape;
    double rows = t->shape[0], cols = t->shape[1]; /* a vector has 0 cols */
    if (t->rows_kept) {
        bytes = bytes / (size_t)rows * (size_t)t->rows_kept;
        shape = cols > 0 ? format_text("[%d,%.0f]", t->rows_kept, cols)
                         : format_text("[%d]", t->rows_kept);
    }
    fprintf(header, "\"%s\":{\"dtype\":\"%s\",\"shape\":%s,", t->name, d.type,
            shape);
    fprintf(header, "\"data_offsets\":[%zu,%zu]}", begin, begin + bytes);
    return bytes;
}

/* Returns a new header for a file of the checkpoint. If only some rows of a
   tensor are kept, the tensors after it begin earlier than in the old file.
   Sets bytes[i] to the new size of c->tensors[i] if that is a tensor of this
   file; leaves the others 0. */
static char *
header_of(const Checkpoint *c, const Tensor *file, size_t *bytes)
{
    size_t begin = 0; /* where the next tensor begins after the header */
    const char *separator = "";
    char *text;
    FILE *header = begin_text(&text);
    fputs("{", header);
    for (int i = 0; i < c->count; i++) {
        const Tensor *t = &c->tensors[i];
        bool is_file = !t->description, in_this_file = t->map == file->map;
        if (is_file || !in_this_file)
            continue;
        fputs(separator, header);
        separator = ",";
        if (!strcmp(t->name, "__metadata__")) /* facts about the file */
            fprintf(header, "\"__metadata__\":%s", t->description);
        else
            bytes[i] = write_description(header, t, begin);
        begin += bytes[i]; /* 0 of __metadata__ */
    }
    fputs("}", header);
    end_text(header, &text);
    return text;
}

/* Writes one file of the checkpoint. Spaces at the end of the header align the
   numbers after it. */
static void
write_shard(const Checkpoint *c, const Tensor *file, FILE *to)
{
    enum { ALIGNMENT = 8 };
    size_t *bytes = allocate((size_t)c->count, sizeof *bytes);
    char *header = header_of(c, file, bytes);
    uint64_t length = (strlen(header) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    fwrite(&length, sizeof length, 1, to);
    fprintf(to, "%-*s", (int)length, header);
    for (int i = 0; i < c->count; i++)
        if (bytes[i]) {
            size_t begin = (size_t)description_of(&c->tensors[i]).begin;
            fwrite(file->map + file->data + begin, 1, bytes[i], to);
        }
    free(bytes);
    free(header);
}

/* Copies the model's files that have one of the endings below. Links are not
   copied, since they may lead to any file that this user can read. Only
   config.json may be a link, because it was read already. */
static void
copy_others(const Checkpoint *c, const char *folder)
{
    Values names = names_in(c->directory), links = {0};
    for (int i = 0; i < names.count; i++) {
        char *name = names.text[i], *path = within(c->directory, name);
        struct stat facts;
        if (!has_ending(name, ".json .txt .model .jinja .md") ||
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
refuse_existing(const char *to)
{
    struct stat facts;
    if (!lstat(to, &facts))
        fail("%s: it already exists; choose another directory", to);
}

void
checkpoint_write(const Checkpoint *c, const char *to, const char *config)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    Draft *d = draft_begin(above, name);
    char *folder = new_directory(d->path, name);
    for (Tensor *t = c->tensors; t < c->tensors + c->count; t++)
        if (!t->description) { /* this entry is a file */
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
    if (!draft_end(d, KEEP_OLD))
        fail("%s: another program just created it; choose another name", to);
}
