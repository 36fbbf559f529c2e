/* published.c - reads what is known of published models, and a config.json by
   it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "models/json.h"
#include "models/published.h"

static Table families, keys;
/* The columns of families.tsv, of which four have the names of tensors; and of
   keys.tsv. */
enum { TYPE, HAS, BIASES, EVERY, IGNORES, DEFAULTS };
enum { TENSORS = DEFAULTS + 1, NORM = TENSORS + 4 };
enum { KEY, MEANING, OF, UNLESS, WHY };

/* Everything that a config.json may tell of a layer, by its name in the column
   `meaning` of keys.tsv: sizes, and three texts. A size is a whole number, and
   some models have to tell it. */
enum { MOST = 1000000 };
enum { SIZES = 21, ROTATED = SIZES, FAMILY, TYPES, TOLD };
enum { NOT_NEEDED, NEEDED_IF_LATENT, NEEDED };
static const struct Told {
    const char *name;
    size_t at; /* of a size: where it is in Published */
    int least, most, needed;
} told[TOLD] = {
/* clang-format off */
#define SIZE(name, field, ...) {name, offsetof(Published, field), __VA_ARGS__}
    SIZE("layers", layers, 1, MOST, NEEDED), SIZE("d-model", d_model, 1, MOST, NEEDED),
    SIZE("heads", heads, 1, MOST, NEEDED), SIZE("latent", latent, 1, MOST, NEEDED_IF_LATENT),
    SIZE("d-k", d_k, 1, MOST, NEEDED_IF_LATENT), SIZE("d-v", d_v, 1, MOST, NEEDED_IF_LATENT),
    SIZE("rope", rope, 1, MOST, NEEDED_IF_LATENT), SIZE("kv-heads", groups, 1, MOST, NOT_NEEDED),
    SIZE("head", head, 1, MOST, NOT_NEEDED), SIZE("query-latent", query_latent, 0, MOST, NOT_NEEDED),
    SIZE("kdim", kdim, 0, MOST, NOT_NEEDED), SIZE("vdim", vdim, 0, MOST, NOT_NEEDED),
    SIZE("window", window, 0, MOST, NOT_NEEDED), SIZE("encoders", encoders, 0, MOST, NOT_NEEDED),
    SIZE("decodes", decodes, 0, MOST, NOT_NEEDED), SIZE("shared", shared, 0, MOST, NOT_NEEDED),
    SIZE("keys-are-values", keys_are_values, 0, MOST, NOT_NEEDED), SIZE("equal-kv-heads", equal_groups, 0, MOST, NOT_NEEDED),
    SIZE("windows-on", windows, 0, MOST, NOT_NEEDED), SIZE("global-every", every, 0, MOST, NOT_NEEDED),
    SIZE("biases", biased, 0, 1, NOT_NEEDED),
    [ROTATED] = {.name = "rotated"}, /* the share of columns, 1 unless it is told */
    [FAMILY] = {.name = "model-type"}, [TYPES] = {.name = "layer-types"}};
/* clang-format on */

/* The texts of a config.json for the layers of a type, for all layers, and from
   FIRST on for each layer; NULL if it has none. The last one is for no layer,
   but for facts about the model. */
static const char types[] = "full_attention sliding_attention";
enum { GLOBAL, LOCAL, ALL, FIRST, DEPTH = 4, LAYERS = 1000 };
typedef struct Said {
    const char *path;
    char *text[FIRST + LAYERS + 1][TOLD];
    char *text_model; /* the object of a composite model that is counted */
    char *refused;    /* why it cannot be counted, or NULL */
    char *function, *compared; /* see Published */
    Values left_out;           /* keys, and why each is not counted */
} Said;

/* The index in told[] of that name, or -1. */
static int
told_as(const char *name)
{
    for (int i = 0; i < TOLD; i++)
        if (!strcmp(told[i].name, name))
            return i;
    return -1;
}

/* The keys that have this meaning. */
static char *
keys_of(const char *meaning)
{
    Values names = {0};
    for (int i = 0; i < keys.rows; i++)
        if (!strcmp(table_cell(&keys, i, MEANING), meaning))
            values_add(&names, copy_text(table_cell(&keys, i, KEY)));
    return joined(&names, ", ");
}

/* Exits, because the model cannot be counted: `why` says what is wrong with
   this meaning; NULL if no key has it. Names the keys that have it. */
static _Noreturn void
refuse(const char *path, const char *meaning, const char *why)
{
    fail("%s: its %s (%s; models/keys.tsv): %s", path, meaning,
         keys_of(meaning), why ? why : "no key gives it; add one");
}

/* Notes the value of a size or a text; false and true become 0 and 1. A null
   for all layers is noted, too: it says that the family's default does not
   hold. */
static void
set_said(Said *s, int of, int what, char *value)
{
    char **said = &s->text[of][what];
    if (!strcmp(value, "null")) {
        if (of == ALL && !*said)
            *said = value;
        return;
    }
    if (!strcmp(value, "false"))
        value = "0";
    if (!strcmp(value, "true"))
        value = "1";
    *said = value;
}

/* Adds a key and its whole value, by which two models may differ, to a list of
   such. */
static char *
with_key(const char *list, const char *key, const char *value, const char *why)
{
    return format_text("%s%s%s %s: %s", list ? list : "", list ? "; " : "", key,
                       value, why);
}

/* Notes a key that is neither a size nor a text: an unknown one, or one whose
   value is not among those that change nothing. */
static void
judge(Said *s, const char *key, const char *meaning, const char *value)
{
    const char *why = table_text(&keys, key, WHY);
    if (!why)
        values_add(&s->left_out, format_text("%.64s (not known)", key));
    else if (index_in(table_text(&keys, key, UNLESS), value) >= 0)
        return;
    else if (!strcmp(meaning, "noted"))
        values_add(&s->left_out, format_text("%s (%s)", key, why));
    else if (!strcmp(meaning, "function"))
        s->function = with_key(s->function, key, value, why);
    else if (!strcmp(meaning, "compared"))
        s->compared = with_key(s->compared, key, value, why);
    else if (!strcmp(meaning, "refused") && !s->refused)
        s->refused = format_text("its %s is %.64s: %s", key, value, why);
}

/* Reads an object that describes the layers `of`. An object within it describes
   the same layers or, if its name is a number, the layer of that number. */
static void
read_object(Said *s, char *text, int of, int depth)
{
    char *at = json_enter(text, s->path), *name, *value;
    while (json_next(&at, &name, &value, s->path)) {
        const char *meaning = table_text(&keys, name, MEANING);
        int type = meaning ? index_in(types, table_text(&keys, name, OF)) : -1;
        int what = meaning ? told_as(meaning) : -1;
        bool within = *value == '{' && depth;
        double number;
        if (within && meaning && !strcmp(meaning, "more"))
            read_object(s, value, type < 0 ? of : type, depth - 1);
        else if (within && meaning && !strcmp(meaning, "text-model"))
            s->text_model = value;
        else if (what >= 0)
            set_said(s, type < 0 ? of : type, what, value);
        else if (!meaning && within &&
                 !number_read(name, true, 0, LAYERS - 1, &number))
            read_object(s, value, FIRST + (int)number, depth - 1);
        else
            judge(s, name, meaning, value);
    }
}

static Said *
said_in(const char *path, char *text)
{
    Said *s = allocate(1, sizeof *s);
    s->path = path;
    read_object(s, text, ALL, DEPTH);
    return s;
}

/* The part of a config.json about the model that is counted. In a composite
   model, that is the one for texts: keys outside its object describe other
   models, except perhaps the type. */
static Said *
model_in(const char *path, char *text)
{
    Said *whole = said_in(path, text);
    if (!whole->text_model)
        return whole;
    Said *s = said_in(path, whole->text_model);
    if (!s->text[ALL][FAMILY])
        s->text[ALL][FAMILY] = whole->text[ALL][FAMILY];
    note("%s: it is a composite model; only its text model, in text_config, is "
         "counted",
         path);
    free(whole);
    return s;
}

/* Adds the defaults of the family, where the file says nothing: the program
   that runs the family does the same. */
static void
add_defaults(Said *s, const char *defaults)
{
    const Said *d = said_in(s->path, copy_text(defaults));
    for (int i = 0; i < FIRST * TOLD; i++) {
        char **said = &s->text[i / TOLD][i % TOLD];
        if (!*said)
            *said = d->text[i / TOLD][i % TOLD];
        else if (!strcmp(*said, "null"))
            *said = NULL;
    }
    s->function = s->function ? s->function : d->function;
}

/* Exits if the sizes of a layer contradict each other, or if its gauge is not
   known: if a normed vector is wider than the one it is made from, more is free
   than accounts.c says. */
static void
check_layer(const Published *l)
{
    bool latent = published_has(l, "latent");
    double wide = strstr(l->has, "-norm") ? fmax(l->d_k, l->d_v)
                                          : fmax(l->latent, l->query_latent);
    if (!l->head && !latent && l->d_model % l->heads)
        refuse(l->name, "heads",
               "they do not divide d-model; add the key head_dim");
    if (l->heads % l->groups)
        refuse(l->name, "kv-heads",
               format_text("%d do not divide %d heads; if no key gives their "
                           "number, it is the default of the model_type",
                           l->groups, l->heads));
    if (l->layers > LAYERS || l->heads * (l->d_k + (double)l->d_v) > MOST)
        refuse(l->name, "heads", "they are too wide, or in too many layers");
    if (!latent && l->rope > l->d_k)
        refuse(l->name, "rope", "it rotates more columns than a head has");
    if (latent && *l->biases != '-')
        refuse(l->name, "latent", "it is not supported with biases");
    if (!latent && (l->latent || l->query_latent))
        refuse(l->name, "latent", "this model_type has none; remove it");
    if (wide > l->d_model)
        refuse(l->name, "d-model",
               "it is smaller than a normed vector, so the gauge is not known");
}

/* The texts for a layer: for the layer itself, or else for its type, or else
   for all layers. If the program that runs the family ignores a key, its value
   must be one that changes nothing. */
static char **
said_of(Said *s, const Published *family, int layer, int type)
{
    char **own = s->text[FIRST + layer];
    for (int i = 0; i < TOLD; i++) {
        if (!own[i])
            own[i] = s->text[type][i] ? s->text[type][i] : s->text[ALL][i];
        if (!own[i] || index_in(family->ignores, told[i].name) < 0)
            continue;
        if (index_in(i == ROTATED ? "1 1.0" : "0", own[i]) < 0)
            refuse(s->path, told[i].name,
                   format_text("a %s ignores it; remove it", family->type));
        own[i] = NULL;
    }
    return own;
}

/* Sets a size of a layer to what a config.json tells, or to 0 if it tells
   nothing, which is NULL. */
static void
read_size(Published *l, const struct Told *size, const char *text, bool latent,
          const char *path)
{
    double number = 0;
    const char *why = NULL;
    bool needed = size->needed >= (latent ? NEEDED_IF_LATENT : NEEDED);
    if (text)
        why = number_read(text, true, size->least, size->most, &number);
    else if (needed)
        refuse(path, size->name, NULL);
    if (why)
        refuse(path, size->name,
               size->most == 1 ? "it must be true or false" : why);
    *(int *)((char *)l + size->at) = (int)number;
}

/* The maps that have a bias if the file says that there are any: the family's,
   or all if the family has none by default. */
static const char *
maps_with_bias(const Published *family)
{
    return *family->biases == '-' ? "qkvo" : family->biases;
}

/* A layer of this type, in a model of family l. Sizes that the file does not
   tell follow from the others. */
static Published
layer_of(Said *s, Published l, int layer, int type)
{
    bool latent = published_has(&l, "latent"), rope = published_has(&l, "rope");
    char **own = said_of(s, &l, layer, type);
    const char *why = NULL;
    for (int i = 0; i < SIZES; i++)
        read_size(&l, &told[i], own[i], latent, s->path);
    double rotated = 1;
    if (own[ROTATED])
        why = number_read(own[ROTATED], false, 0, 1, &rotated);
    if (why)
        refuse(s->path, "rotated", why);
    if (own[told_as("biases")])
        l.biases = l.biased ? maps_with_bias(&l) : "-";
    if (!l.groups || latent)
        l.groups = l.heads;
    if (l.keys_are_values && l.equal_groups)
        l.groups = l.equal_groups;
    int head = l.head ? l.head : l.d_model / l.heads;
    l.d_k = l.d_k ? l.d_k : head;
    l.d_v = l.d_v ? l.d_v : l.d_k;
    l.kdim = latent ? l.latent : l.kdim ? l.kdim : l.d_model;
    l.vdim = latent ? l.latent : l.vdim ? l.vdim : l.d_model;
    if (rope && !latent && !l.rope)
        l.rope = (int)(l.d_k * rotated) / 2 * 2;
    l.window = type == LOCAL && l.window ? l.window : MOST;
    l.encoders =
        layer < l.encoders || (published_has(&l, "encodes") && !l.decodes);
    l.shared = layer >= l.layers - l.shared;
    check_layer(&l);
    return l;
}

/* The facts of the family of a config.json, from families.tsv. Adds the
   family's defaults to s. */
static Published
family_of(Said *s, const char *folder)
{
    const char *type = s->text[ALL][FAMILY];
    if (!type)
        refuse(s->path, "model-type", NULL);
    if (s->refused)
        fail("%s: %s (models/keys.tsv)", s->path, s->refused);
    Published family = {.name = s->path,
                        .type = type,
                        .has = table_text(&families, type, HAS),
                        .biases = table_text(&families, type, BIASES),
                        .ignores = table_text(&families, type, IGNORES)};
    if (!family.has)
        fail("%s: its model_type \"%.64s\" is not in %s/families.tsv: give it "
             "the type of a model with the same attention, or add a row",
             s->path, type, folder);
    for (int i = 0; i < 4; i++)
        family.tensors[i] = table_text(&families, type, TENSORS + i);
    add_defaults(s, table_text(&families, type, DEFAULTS));
    family.function = s->function;
    family.compared = s->compared;
    family.norm = table_text(&families, type, NORM);
    return family;
}

/* Reads the types of the layers, GLOBAL or LOCAL, as the file lists them. */
static void
read_types(const Said *s, int layers, int type[LAYERS])
{
    char *at = json_enter(s->text[ALL][TYPES], s->path), *name, *word;
    int count = 0;
    while (json_next(&at, &name, &word, s->path)) {
        int one = index_in(types, word);
        if (one < 0)
            refuse(s->path, "layer-types",
                   format_text("\"%.64s\" is neither full_attention nor "
                               "sliding_attention",
                               word));
        if (count < layers)
            type[count] = one;
        count++;
    }
    if (count != layers)
        refuse(s->path, "layer-types",
               format_text("it has %d entries for %d layers", count, layers));
}

/* The types of the layers of p, if the file does not list them: each n-th one
   is global. */
static void
alternate_types(const Said *s, const Published *p, int type[LAYERS])
{
    int every = p->every;
    if (!every)
        every = atoi(table_text(&families, p->type, EVERY));
    if (p->windows || every < 0)
        refuse(s->path, "layer-types", NULL);
    for (int i = 0; i < p->layers; i++)
        type[i] = every && (i + 1) % every == 0 ? GLOBAL : LOCAL;
}

Published
published_read(const char *path, char *text)
{
    char *folder = beside_program("models");
    int type[LAYERS];
    if (!keys.rows) {
        table_add(&keys, within(folder, "keys.tsv"));
        table_add(&families, within(folder, "families.tsv"));
    }
    if (!text)
        text = read_file(path, "configuration", NULL);
    Said *s = model_in(path, text);
    Published family = family_of(s, folder);
    Published whole = layer_of(s, family, LAYERS, ALL);
    if (s->text[ALL][TYPES])
        read_types(s, whole.layers, type);
    else
        alternate_types(s, &whole, type);
    Published *each = allocate(LAYERS, sizeof *each);
    for (int i = 0; i < whole.layers; i++)
        each[i] = layer_of(s, family, i, type[i]);
    if (s->left_out.count)
        note("%s: keys not counted: %s", path, joined(&s->left_out, ", "));
    free(s);
    each->each = each;
    return *each;
}

bool
published_has(const Published *p, const char *feature)
{
    return index_in(p->has, feature) >= 0;
}

/* The first fact in which two layers of one family differ, in words; or NULL.
 */
static char *
layer_difference(const Published *a, const Published *b)
{
    for (int i = 0; i < SIZES; i++) {
        int of_a = *(const int *)((const char *)a + told[i].at);
        int of_b = *(const int *)((const char *)b + told[i].at);
        if (of_a != of_b)
            return format_text("%s (%s): %d and %d", told[i].name,
                               keys_of(told[i].name), of_a, of_b);
    }
    if (strcmp(a->biases, b->biases) != 0)
        return format_text("biases (%s): on %s and on %s", keys_of("biases"),
                           a->biases, b->biases);
    return NULL;
}

/* Two lists of keys with their values, unless they are the same. */
static char *
list_difference(const char *a, const char *b)
{
    a = a ? a : "nothing special";
    b = b ? b : "nothing special";
    return strcmp(a, b) ? format_text("%s, and %s", a, b) : NULL;
}

char *
published_difference(const Published *a, const Published *b)
{
    char *found = NULL;
    if (strcmp(a->type, b->type) != 0)
        return format_text("model_type: %.64s and %.64s", a->type, b->type);
    if (a->layers != b->layers)
        return layer_difference(a, b);
    for (int i = 0; i < a->layers && !found; i++)
        found = layer_difference(&a->each[i], &b->each[i]);
    if (!found)
        found = list_difference(a->function, b->function);
    return found ? found : list_difference(a->compared, b->compared);
}

/* In a composite model it is the text model's object that says it. A family
   whose file does not say it has as many as heads. */
char *
published_with_groups(const Published *p, int groups)
{
    static const char key[] = "\"num_key_value_heads\"";
    char *text = read_file(p->name, "configuration", NULL);
    char *text_model = strstr(text, "\"text_config\"");
    char *object = text_model ? text_model : text;
    char *from = strstr(object, key), *to;
    if (from) { /* up to the end of its value */
        to = from + sizeof key - 1;
        to += strcspn(to, ",}\n");
    } else {
        from = to = strchr(object, '{') + 1;
    }
    char *changed = format_text("%.*s%s: %d%s%s", (int)(from - text), text, key,
                                groups, from == to ? ", " : "", to);
    Published now = published_read(p->name, copy_text(changed));
    for (int i = 0; i < now.layers; i++)
        if (now.each[i].groups != groups)
            fail("%s: num_key_value_heads %d does not give every layer that "
                 "many; leave out --out to print only the errors",
                 p->name, groups);
    free(text);
    return changed;
}

char *
published_settings(const Published *p)
{
    return format_text("d-model=%d layers=%d heads=%d kv-heads=%d d-k=%d "
                       "d-v=%d positions=%s",
                       p->d_model, p->layers, p->heads, p->groups, p->d_k,
                       p->d_v, p->rope ? "rope" : "none");
}
