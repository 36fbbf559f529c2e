/* published.c - reads what is known of published models, and a config.json by
   it. */
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "heart/fail.h"
#include "models/json.h"
#include "models/published.h"

static Table families, keys, models;
enum { TYPE, HAS, BIASES, EVERY, TENSORS }; /* columns of families */

static void
tables_read(void)
{
    char *folder = beside_program("models");
    if (models.rows)
        return;
    table_add(&families, within(folder, "families.tsv"));
    table_add(&keys, within(folder, "keys.tsv"));
    table_add(&models, within(folder, "published.tsv"));
}

/* The row whose first cell that is, -1 if there is none. */
static int
row_named(const Table *t, const char *name)
{
    int row = t->rows - 1;
    while (row >= 0 && strcmp(table_cell(t, row, 0), name))
        row--;
    return row;
}

/* What a config.json says: for each row of keys.tsv the value, or NULL. */
typedef struct Said {
    const char *path;
    char **value;
} Said;

/* Reads an object, and those within it that say more of the same model, no
   deeper than `depth`. What it has that nobody knows is noted. */
static void
read_object(Said *s, char *text, int depth)
{
    char *at = json_enter(text, s->path), *name, *value;
    while (json_next(&at, &name, &value, s->path)) {
        int row = row_named(&keys, name);
        if (row < 0)
            note("%s: not known, and left out of account: %.64s", s->path,
                 name);
        else if (depth &&
                 !strcmp(table_cell(&keys, row, 1), "more of the same"))
            read_object(s, value, depth - 1);
        else if (strcmp(value, "null"))
            s->value[row] = value;
    }
}

/* The value of the key that means that; NULL where there is none. */
static char *
value_of(const Said *s, const char *meaning)
{
    int row = keys.rows - 1;
    while (row >= 0 &&
           (!s->value[row] || strcmp(table_cell(&keys, row, 1), meaning)))
        row--;
    return row < 0 ? NULL : s->value[row];
}

/* That value as a number; `otherwise` if no key says it, unless that is -1. */
static int
number_of(const Said *s, const char *meaning, int otherwise)
{
    const char *text = value_of(s, meaning), *why = NULL;
    double x = otherwise;
    if (text)
        why = number_read(text, true, 0, 1e6, &x);
    if (x < 0 || why)
        fail("%s: its %s: %s: correct it", s->path, meaning,
             why ? why
                 : "no key of models/keys.tsv says it, and nothing is guessed");
    return (int)x;
}

/* How many layers see only a window: as many as the file lists; or, if it has a
   switch for windows that is on, those from a given layer on; or all except
   every n-th, n being `every` or what the file says. */
static int
local_layers(const Said *s, int layers, int every)
{
    char *types = value_of(s, "layer types"), *name, *type;
    const char *on = value_of(s, "windows on");
    int first = number_of(s, "windows from", 0), local = 0, left = layers;
    bool known = true;
    char *at = types ? json_enter(types, s->path) : "";
    for (; json_next(&at, &name, &type, s->path); left--) {
        local += !strcmp(type, "sliding_attention");
        known &= index_in("sliding_attention full_attention", type) >= 0;
    }
    if (types && (!known || left))
        fail("%s: its layer types are not sliding_attention or full_attention "
             "for each of its %d layers, and others are not guessed",
             s->path, layers);
    every = number_of(s, "windows", every);
    if (types)
        return local;
    if (on && !strcmp(on, "true"))
        return first < layers ? layers - first : 0;
    return layers - (every ? layers / every : 0);
}

/* The model that a config.json describes. A head is a share of the token, and
   there are as many keys as queries, where nothing is said. */
static Published
published_of(char *text, const char *path)
{
    tables_read();
    Said s = {path, allocate((size_t)keys.rows, sizeof *s.value)};
    read_object(&s, text, 2);
    const char *type = value_of(&s, "model_type");
    int row = row_named(&families, type ? type : "");
    if (row < 0)
        fail("%s: its model_type \"%.64s\" has no row in %s/families.tsv, and "
             "nothing is guessed: give it that of a model with the same "
             "attention, or write a row",
             path, type ? type : "", beside_program("models"));
    const char *biases = value_of(&s, "biases");
    const char *rotated = value_of(&s, "rotated");
    double share = rotated ? strtod(rotated, NULL) : 1;
    Published p = {.name = path,
                   .type = table_cell(&families, row, TYPE),
                   .has = table_cell(&families, row, HAS),
                   .biases = table_cell(&families, row, BIASES),
                   .layers = number_of(&s, "layers", -1),
                   .d_model = number_of(&s, "d-model", -1),
                   .heads = number_of(&s, "heads", -1),
                   .window = number_of(&s, "window", 0),
                   .latent = number_of(&s, "latent", 0),
                   .query_latent = number_of(&s, "query-latent", 0)};
    bool latent = published_has(&p, "latent");
    for (int i = 0; i < 4; i++)
        p.tensors[i] = table_cell(&families, row, TENSORS + i);
    if (biases)
        p.biases = strcmp(biases, "true") ? "-" : "qkvo";
    p.groups = latent ? p.heads : number_of(&s, "kv-heads", p.heads);
    p.d_k = number_of(&s, "head", p.heads ? p.d_model / p.heads : 0);
    p.d_k = number_of(&s, "d-k", p.d_k);
    p.d_v = number_of(&s, "d-v", p.d_k);
    p.encoders =
        number_of(&s, "encoders", published_has(&p, "encodes") ? p.layers : 0);
    if (!p.layers || !p.d_k || !p.groups || p.heads % p.groups ||
        p.heads * (p.d_k + (double)p.d_v) > 1e6 ||
        !(0 <= share && share <= 1) || latent != (p.latent > 0) ||
        (latent && *p.biases != '-'))
        fail("%s: %d layers of %d heads in %d groups, %d and %d columns each, "
             "%g of them rotated, latent %d, biases %s, are no %s that is "
             "known: correct it",
             path, p.layers, p.heads, p.groups, p.d_k, p.d_v, share, p.latent,
             p.biases, p.type);
    if (published_has(&p, "rope"))
        p.rope =
            latent ? number_of(&s, "rope", -1) : (int)(p.d_k * share) / 2 * 2;
    p.local =
        local_layers(&s, p.layers, atoi(table_cell(&families, row, EVERY)));
    p.local = p.window ? p.local : 0;
    return p;
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

bool
published_row(int i, Published *p)
{
    tables_read();
    if (i < 0 || i >= models.rows)
        return false;
    *p = published_of(copy_text(table_cell(&models, i, 2)),
                      table_cell(&models, i, 0));
    p->source = table_cell(&models, i, 1);
    return true;
}

Published
published_named(const char *name)
{
    Published p;
    tables_read();
    if (!published_row(row_named(&models, name), &p))
        usage("unknown model \"%.64s\": `qkv list --models` lists them", name);
    return p;
}

char *
published_settings(const Published *p)
{
    return format_text("d-model=%d layers=%d heads=%d kv-heads=%d d-k=%d "
                       "d-v=%d positions=%s",
                       p->d_model, p->layers, p->heads, p->groups, p->d_k,
                       p->d_v, p->rope ? "rope" : "none");
}
