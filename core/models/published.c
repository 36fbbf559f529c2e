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

/* What a key can mean: the sizes of Published, in their order, and texts. Any
   other meaning is "more of the same", an object that says more, or a reason
   not to count the key. */
static const char meanings[] =
    "layers d-model heads kv-heads d-k d-v rope latent query-latent kdim vdim "
    "window encoders shared keys-are-values head equal-kv-heads windows-on "
    "global-every rotated biases model-type layer-types";
enum { ROTATED = SIZES, BIASED, FAMILY, TYPES, MEANINGS };

/* What a config.json says of the layers of a type, of all, and from FIRST on of
   each; NULL if it says nothing. The last one is of no layer, for what is asked
   of the model. */
static const char types[] = "full_attention sliding_attention";
enum { GLOBAL, LOCAL, ALL, FIRST, DEPTH = 4, LAYERS = 1000, MOST = 1000000 };
typedef struct Said {
    const char *path;
    char *text[FIRST + LAYERS + 1][MEANINGS];
} Said;

/* Reads an object that says something of those layers. An object within it says
   more: of the same layers or, if a number names it, of that layer. */
static void
read_object(Said *s, char *text, int of, int depth)
{
    char *at = json_enter(text, s->path), *name, *value;
    while (json_next(&at, &name, &value, s->path)) {
        const char *meaning = table_text(&keys, name, MEANING);
        int type = meaning ? index_in(types, table_text(&keys, name, OF)) : -1;
        int what = meaning ? index_in(meanings, meaning) : -1;
        double number;
        const char *why = NULL;
        if (what >= 0 && what <= ROTATED &&
            index_in("false true null", value) < 0)
            why = number_read(value, what < ROTATED, 0, MOST, &number);
        if (why)
            fail("%s: its %s: %s: correct it", s->path, name, why);
        if (depth && meaning && !strcmp(meaning, "more of the same"))
            read_object(s, value, type < 0 ? of : type, depth - 1);
        else if (what >= 0 && strcmp(value, "null"))
            s->text[type < 0 ? of : type][what] = value;
        else if (depth && !meaning && *value == '{' &&
                 !number_read(name, true, 0, LAYERS - 1, &number))
            read_object(s, value, FIRST + (int)number, depth - 1);
        else if (!meaning)
            note("%s: not known, and left out of account: %.64s", s->path,
                 name);
    }
}

/* A layer of that type, in a model of that family. What is not said of it is
   said of layers of its type, or of all, or follows from the rest. */
static Published
layer_of(Said *s, Published l, int layer, int type)
{
    char **own = s->text[FIRST + layer];
    for (int i = 0; i < MEANINGS; i++)
        if (!own[i])
            own[i] = s->text[type][i] ? s->text[type][i] : s->text[ALL][i];
    for (int i = 0; i < SIZES; i++) {
        int word = own[i] ? index_in("false true", own[i]) : 0;
        l.size[i] = word < 0 ? (int)strtod(own[i], NULL) : word;
    }
    double share = own[ROTATED] ? strtod(own[ROTATED], NULL) : 1;
    bool latent = published_has(&l, "latent"), rope = published_has(&l, "rope");
    if (own[BIASED])
        l.biases = strcmp(own[BIASED], "true") ? "-" : "qkvo";
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
    l.window = type == LOCAL && l.window ? l.window : MOST;
    l.encoders = layer < l.encoders || published_has(&l, "encodes");
    l.shared = layer >= l.layers - l.shared;
    if (!l.layers || l.layers > LAYERS || !l.d_model || !l.d_k || !l.groups ||
        l.heads % l.groups || l.heads * (l.d_k + (double)l.d_v) > MOST ||
        !(0 <= share && share <= 1) || latent != (l.latent > 0) ||
        l.latent > l.d_model || l.query_latent > l.d_model ||
        (latent && *l.biases != '-'))
        fail("%s: %s, latent=%d, %g of a key rotated, biases %s: no %s is like "
             "that: correct it, or say in models/keys.tsv which key has what "
             "is 0 here: nothing is guessed",
             l.name, published_settings(&l), l.latent, share, l.biases, l.type);
    return l;
}

Published
published_read(const char *path, char *text)
{
    Said *s = allocate(1, sizeof *s);
    char *folder = beside_program("models");
    if (!keys.rows) {
        table_add(&keys, within(folder, "keys.tsv"));
        table_add(&families, within(folder, "families.tsv"));
    }
    s->path = path;
    text = text ? text : read_file(path, "configuration", NULL);
    read_object(s, text, ALL, DEPTH);
    const char *type = s->text[ALL][FAMILY] ? s->text[ALL][FAMILY] : "";
    Published family = {.name = path,
                        .type = type,
                        .has = table_text(&families, type, HAS),
                        .biases = table_text(&families, type, BIASES)};
    if (!family.has)
        fail("%s: its model_type \"%.64s\" has no row in %s/families.tsv, and "
             "nothing is guessed: give it that of a model with the same "
             "attention, or write a row",
             path, type, folder);
    for (int i = 0; i < 4; i++)
        family.tensors[i] = table_text(&families, type, TENSORS + i);
    Published p = layer_of(s, family, LAYERS, ALL);
    Published *each = allocate((size_t)p.layers, sizeof *each);
    char *list = s->text[ALL][TYPES], *name, *word;
    char *at = list ? json_enter(list, path) : "";
    int every = p.every ? p.every : atoi(table_text(&families, type, EVERY));
    bool unsaid = list || p.windows || every < 0;
    for (int i = 0; i < p.layers; i++) {
        int of = unsaid ? -1 : every && (i + 1) % every == 0 ? GLOBAL : LOCAL;
        if (json_next(&at, &name, &word, path))
            of = index_in(types, word);
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

char *
published_settings(const Published *p)
{
    return format_text("d-model=%d layers=%d heads=%d kv-heads=%d d-k=%d "
                       "d-v=%d positions=%s",
                       p->d_model, p->layers, p->heads, p->groups, p->d_k,
                       p->d_v, p->rope ? "rope" : "none");
}
