/* published.c - reads what is known of published models, and a config.json by
   it. */
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "models/json.h"
#include "models/published.h"

static Table families, keys;
enum { TYPE, HAS, BIASES, EVERY, TENSORS }; /* columns of families */
enum { KEY, MEANING, OF };                  /* columns of keys */

/* What keys.tsv says that a key means: a size of Published, in their order, or
   a text. */
static const char meanings[] =
    "layers d-model heads kv-heads d-k d-v rope latent query-latent kdim vdim "
    "window encoders shared keys-are-values head equal-kv-heads windows-on "
    "global-every rotated biases model-type layer-types";
enum { ROTATED = SIZES, BIASED, FAMILY, TYPES, MEANINGS };

/* What a config.json says of layers of a type, of all, and from FIRST on of
   one after the other; NULL where it says nothing. */
static const char types[] = "full_attention sliding_attention";
enum { GLOBAL, LOCAL, ALL, FIRST, MOST_LAYERS = 1000, DEPTH = 4 };
typedef struct Said {
    const char *path;
    char *text[FIRST + MOST_LAYERS + 1][MEANINGS];
} Said;

/* The row whose first cell that is, -1 if there is none, in a table that is
   read when it is first needed. */
static int
row_named(Table *t, const char *file, const char *name)
{
    if (!t->rows)
        table_add(t, within(beside_program("models"), file));
    int row = t->rows - 1;
    while (row >= 0 && strcmp(table_cell(t, row, 0), name))
        row--;
    return row;
}

/* Reads an object that says something of those layers. An object within it says
   more: of the same layers or, if a number names it, of that layer. */
static void
read_object(Said *s, char *text, int of, int depth)
{
    char *at = json_enter(text, s->path), *name, *value;
    while (json_next(&at, &name, &value, s->path)) {
        int row = row_named(&keys, "keys.tsv", name);
        const char *meaning = row < 0 ? "" : table_cell(&keys, row, MEANING);
        int type = row < 0 ? -1 : index_in(types, table_cell(&keys, row, OF));
        int to = type < 0 ? of : type, what = index_in(meanings, meaning);
        double layer;
        if (row < 0 && *value == '{' && depth &&
            !number_read(name, true, 0, MOST_LAYERS, &layer))
            read_object(s, value, FIRST + (int)layer, depth - 1);
        else if (row < 0)
            note("%s: not known, and left out of account: %.64s", s->path,
                 name);
        else if (depth && !strcmp(meaning, "more of the same"))
            read_object(s, value, to, depth - 1);
        else if (what >= 0 && strcmp(value, "null"))
            s->text[to][what] = value;
    }
}

/* What is said of that layer, in particular or in general. */
static const char *
text_of(const Said *s, int layer, int type, int what)
{
    char *own = s->text[FIRST + layer][what], *typical = s->text[type][what];
    return own ? own : typical ? typical : s->text[ALL][what];
}

/* A layer of that type, in a model of that family. What is not said of it
   follows from the rest. */
static Published
layer_of(const Said *s, Published l, int layer, int type)
{
    const char *rotated = text_of(s, layer, type, ROTATED);
    const char *biased = text_of(s, layer, type, BIASED);
    double share = rotated ? strtod(rotated, NULL) : 1;
    for (int i = 0; i < SIZES; i++) {
        const char *text = text_of(s, layer, type, i);
        double x = text ? index_in("false true", text) : 0;
        const char *why = x < 0 ? number_read(text, true, 0, 1e6, &x) : NULL;
        if (why)
            fail("%s: %s: correct it", l.name, why);
        l.size[i] = (int)x;
    }
    bool latent = published_has(&l, "latent"), rope = published_has(&l, "rope");
    if (biased)
        l.biases = strcmp(biased, "true") ? "-" : "qkvo";
    if (!l.head && l.heads)
        l.head = l.d_model / l.heads;
    if (!l.groups || latent)
        l.groups = l.heads;
    if (l.keys_are_values && l.equal_groups)
        l.groups = l.equal_groups;
    l.d_k = l.d_k ? l.d_k : l.head;
    l.d_v = l.d_v ? l.d_v : l.d_k;
    l.kdim = latent ? l.latent : l.kdim ? l.kdim : l.d_model;
    l.vdim = latent ? l.latent : l.vdim ? l.vdim : l.d_model;
    if (rope && !latent)
        l.rope = (int)(l.d_k * share) / 2 * 2;
    l.window = type == LOCAL ? l.window : 0;
    l.encoders = layer < l.encoders || published_has(&l, "encodes");
    l.shared = layer >= l.layers - l.shared;
    if (!l.layers || l.layers > MOST_LAYERS || !l.d_k || !l.groups ||
        l.heads % l.groups || !(0 <= share && share <= 1) ||
        latent != (l.latent > 0) || (latent && *l.biases != '-'))
        fail("%s: %s, latent=%d, %g of a key rotated, biases %s: no %s is like "
             "that: correct it, or say in models/keys.tsv which key has what "
             "is 0 here: nothing is guessed",
             l.name, published_settings(&l), l.latent, share, l.biases, l.type);
    return l;
}

Published
published_of(char *text, const char *path)
{
    Said *s = allocate(1, sizeof *s);
    s->path = path;
    read_object(s, text, ALL, DEPTH);
    const char *type = s->text[ALL][FAMILY];
    int row = row_named(&families, "families.tsv", type ? type : "");
    if (row < 0)
        fail("%s: its model_type \"%.64s\" has no row in %s/families.tsv, and "
             "nothing is guessed: give it that of a model with the same "
             "attention, or write a row",
             path, type ? type : "", beside_program("models"));
    Published family = {.name = path,
                        .type = table_cell(&families, row, TYPE),
                        .has = table_cell(&families, row, HAS),
                        .biases = table_cell(&families, row, BIASES)};
    for (int i = 0; i < 4; i++)
        family.tensors[i] = table_cell(&families, row, TENSORS + i);
    Published p = layer_of(s, family, 0, GLOBAL);
    Published *each = allocate((size_t)p.layers, sizeof *each);
    char *list = s->text[ALL][TYPES], *name, *word;
    char *at = list ? json_enter(list, path) : "";
    int every = p.every ? p.every : atoi(table_cell(&families, row, EVERY));
    for (int i = 0; i < p.layers; i++) {
        int of = every && (i + 1) % every == 0 ? GLOBAL : LOCAL;
        if (json_next(&at, &name, &word, path))
            of = index_in(types, word);
        else if (list || p.windows || every < 0)
            of = -1;
        if (of < 0 || (i + 1 == p.layers && json_next(&at, &name, &word, path)))
            fail("%s: its layer_types do not say full_attention or "
                 "sliding_attention for each of its %d layers, and others are "
                 "not guessed",
                 path, p.layers);
        each[i] = layer_of(s, family, i, of);
    }
    free(s);
    each->each = each;
    return *each;
}

bool
published_has(const Published *p, const char *what)
{
    return index_in(p->has, what) >= 0;
}

Published
published_read(const char *path)
{
    return published_of(read_file(path, "configuration", NULL), path);
}

char *
published_settings(const Published *p)
{
    return format_text("d-model=%d layers=%d heads=%d kv-heads=%d d-k=%d "
                       "d-v=%d positions=%s",
                       p->d_model, p->layers, p->heads, p->groups, p->d_k,
                       p->d_v, p->rope ? "rope" : "none");
}
