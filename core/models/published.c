/* published.c - makes the layers of a model from what its config.json says
   (config_json.h) and what the tables say of its family. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "models/json.h"
#include "models/published.h"
#include "models/config_json.h"

static Table families, states, refusals;

/* The columns of families.tsv (four have the names of tensors, from TENSORS
   on), and the second columns of states.tsv and of refused.tsv. */
enum { TYPE, HAS, BIASES, EVERY, IGNORES, DEFAULTS };
enum { TENSORS = DEFAULTS + 1, NORM = TENSORS + 4 };
enum { FORMULA = 1, REASON = 1 };

/* The sizes that a config.json may give of a layer, by their meaning in
   keys.tsv. They are whole numbers, at most MOST; 0 and 1 may say no and yes.
   Every model must give those that are NEEDED; a model with a latent must also
   give those that are NEEDED_IF_LATENT. A layer that sees all tokens has a
   window of MOST. */
enum { MOST = 1000000 };
enum { NOT_NEEDED, NEEDED_IF_LATENT, NEEDED };
typedef struct Size {
    const char *meaning;
    size_t offset; /* where the field is in Published */
    int least, most, needed;
} Size;
static const Size sizes[] = {
/* clang-format off */
#define SIZE(meaning, field, ...) {meaning, offsetof(Published, field), __VA_ARGS__}
    SIZE("layers", layers, 1, MOST, NEEDED), SIZE("d-model", d_model, 1, MOST, NEEDED),
    SIZE("heads", heads, 1, MOST, NEEDED), SIZE("latent", latent, 1, MOST, NEEDED_IF_LATENT),
    SIZE("d-k", d_k, 1, MOST, NEEDED_IF_LATENT), SIZE("d-v", d_v, 1, MOST, NEEDED_IF_LATENT),
    SIZE("rope", rope, 1, MOST, NEEDED_IF_LATENT), SIZE("kv-heads", groups, 1, MOST, NOT_NEEDED),
    SIZE("head", head, 1, MOST, NOT_NEEDED), SIZE("query-latent", query_latent, 0, MOST, NOT_NEEDED),
    SIZE("kdim", kdim, 0, MOST, NOT_NEEDED), SIZE("vdim", vdim, 0, MOST, NOT_NEEDED),
    SIZE("window", window, 0, MOST, NOT_NEEDED), SIZE("encoders", encoder_layers, 0, MOST, NOT_NEEDED),
    SIZE("decodes", decodes, 0, MOST, NOT_NEEDED), SIZE("shared", shared_layers, 0, MOST, NOT_NEEDED),
    SIZE("keys-are-values", keys_are_values, 0, MOST, NOT_NEEDED), SIZE("equal-kv-heads", equal_groups, 0, MOST, NOT_NEEDED),
    SIZE("windows-on", windows, 0, MOST, NOT_NEEDED), SIZE("global-every", every, 0, MOST, NOT_NEEDED),
    SIZE("softmax-every", softmax_every, 0, MOST, NOT_NEEDED), SIZE("global-from", global_from, 0, MOST, NOT_NEEDED),
    SIZE("one-kv-head", one_group, 0, 1, NOT_NEEDED), SIZE("own-kv-heads", own_groups, 0, 1, NOT_NEEDED),
    SIZE("rotates", rotates, 0, 1, NOT_NEEDED), SIZE("unrotated-every", unrotated_every, 0, MOST, NOT_NEEDED),
    SIZE("buckets", buckets, 0, MOST, NOT_NEEDED), SIZE("unit-norm", unit_norm, 0, 1, NOT_NEEDED),
    SIZE("biases", biased, 0, 1, NOT_NEEDED), SIZE("adjacent-pairs", adjacent, 0, 1, NOT_NEEDED)};
/* clang-format on */
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The sizes from which layer_of and find_types make others of a layer. Files
   may lead to one model by several of them, so two models are compared in what
   they lead to. */
static const char source_sizes[] =
    "head equal-kv-heads windows-on global-every one-kv-head own-kv-heads "
    "rotates unrotated-every biases";

/* The value of a size in a layer. */
static int
size_of(const Published *l, const Size *size)
{
    return *(const int *)((const char *)l + size->offset);
}

/* Exits if the sizes of a layer contradict each other, are too large or cannot
   be counted together. */
static void
check_layer(const Published *l)
{
    const char *name = l->name;
    bool latent = published_has(l, "latent"), norms = strstr(l->has, "-norm");
    double widest_normed =
        norms ? fmax(l->d_k, l->d_v) : fmax(l->latent, l->query_latent);
    /* Without `head`, the heads divide the token (set_widths). */
    if (!l->head && !latent && l->d_model % l->heads)
        said_refuse(name, "heads", "they do not divide d-model; add head_dim");
    if (l->heads % l->groups)
        said_refuse(
            name, "kv-heads",
            format_text(
                "%d do not divide %d heads; add the key if it is missing",
                l->groups, l->heads));
    if (l->layers > LAYERS || l->heads * (l->d_k + (double)l->d_v) > MOST)
        said_refuse(name, "heads", "over 1000000 columns, or over 1000 layers");
    if (!latent && l->rope > l->d_k)
        said_refuse(name, "rope", "a head has fewer columns; lower it");
    if (latent && *l->biases != '-')
        said_refuse(name, "latent", "it is supported only without biases");
    if (!latent && (l->latent || l->query_latent))
        said_refuse(name, "latent", "this model_type has none; remove it");
    if (l->rope % 2)
        said_refuse(name, "rope",
                    format_text("%d columns of a head are rotated, but not in "
                                "pairs: correct it, partial_rotary_factor or "
                                "head_dim",
                                l->rope));
    /* If a vector with a norm is wider than the token that it is made from, the
       gauge is larger than accounts.c says. */
    if (widest_normed > l->d_model)
        said_refuse(name, "d-model",
                    "it is smaller than a normed vector: the gauge is unknown");
}

/* Gives the meaning "nothing" to the file's sayings that the family's program
   ignores. Exits if a user may expect one of them to change the model. */
static void
forget_ignored(Said *s, const Published *family)
{
    for (int i = 0; i < s->count; i++) {
        Saying *one = &s->sayings[i];
        if (index_in(family->ignores, one->meaning) < 0)
            continue;
        /* A value that asks for nothing special: usually 0, but 1 for the share
           of columns that are rotated. */
        bool is_share = !strcmp(one->meaning, "rotated");
        const char *harmless = is_share ? "1 1.0 null" : "0 null";
        if (index_in(harmless, one->text) < 0)
            said_refuse(
                s->path, one->meaning,
                format_text("a %s ignores it; remove it", family->type));
        one->meaning = "nothing";
    }
}

/* Sets a size of a layer to the number in `text`, or to 0 if `text` is NULL,
   because the file does not give the size. Exits if the number is wrong, or if
   it is missing although the model needs it. */
static void
read_size(Published *l, const Size *size, const char *text)
{
    double number = 0;
    const char *why = NULL;
    bool latent = published_has(l, "latent");
    bool needed = size->needed >= (latent ? NEEDED_IF_LATENT : NEEDED);
    bool yes_or_no = size->most == 1;
    if (text)
        why = number_read(text, WHOLE_NUMBER, size->least, size->most, &number);
    else if (needed)
        said_refuse(l->name, size->meaning, NO_KEY);
    if (why)
        said_refuse(l->name, size->meaning,
                    yes_or_no ? "it must be true or false" : why);
    *(int *)((char *)l + size->offset) = (int)number;
}

/* Returns whether the queries and keys of a layer of this number and type are
   rotated. The file may say so of this layer, or that every n-th layer is not
   rotated; otherwise the family decides. l->window must still be as the file
   gives it: it says whether any layers of the model have a window. */
static bool
is_rotated(const Said *s, const Published *l, int layer, int type)
{
    if (said_text(s, "rotates", layer, type))
        return l->rotates;
    if (l->unrotated_every)
        return (layer + 1) % l->unrotated_every != 0;
    if (published_has(l, "local-rope") && l->window)
        return type == LOCAL;
    return published_has(l, "rope");
}

/* How many columns of a head are rotated in a layer without latent: the number
   or the share that the file gives, or all of them. A wrong share is refused
   even if no column is rotated. */
static int
rotated_columns(const Said *s, const Published *l, int layer, int type)
{
    const double none = 0, all = 1;
    const char *text = said_text(s, "rotated", layer, type), *why = NULL;
    double share = all;
    if (text)
        why = number_read(text, ANY_NUMBER, none, all, &share);
    if (why)
        said_refuse(s->path, "rotated", why);
    if (!is_rotated(s, l, layer, type))
        return 0;
    return l->rope ? l->rope : (int)(l->d_k * share);
}

/* Sets the number of heads of keys and values. With a latent, or if the file
   does not say, there are as many as heads. A Falcon's file may say that there
   is only one (one_group), which does not hold in its newer architecture
   (own_groups). A layer whose keys are its values may have another number
   (equal_groups). */
static void
set_groups(Published *l)
{
    if (!l->groups || published_has(l, "latent"))
        l->groups = l->heads;
    if (l->one_group && !l->own_groups)
        l->groups = 1;
    if (l->keys_are_values && l->equal_groups)
        l->groups = l->equal_groups;
}

/* The value of a word in a formula of states.tsv, which is a size of the layer,
   a key of the file, or a number. */
static double
factor_of(const Said *s, const Published *l, const char *word)
{
    double number;
    const char *text = word;
    for (int i = 0; i < SIZES; i++)
        if (!strcmp(sizes[i].meaning, word))
            return size_of(l, &sizes[i]);
    for (int i = 0; i < s->state_keys.count; i++)
        if (!strcmp(s->state_keys.text[i], word))
            text = s->state_values.text[i];
    if (number_read(text, WHOLE_NUMBER, 0, MOST, &number))
        fail("%s: it has no number %s, on which the state of a layer without "
             "softmax depends; add it",
             s->path, word);
    return number;
}

/* How many numbers a layer without softmax keeps, by the formula of its family,
   a sum of products such as "d-model conv_L_cache + heads d-k". */
static double
state_of(const Said *s, const Published *l, const char *formula)
{
    double sum = 0, product = 1;
    char *rest, *word = strtok_r(copy_text(formula), " ", &rest);
    for (; word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "+") != 0) {
            product *= factor_of(s, l, word);
            continue;
        }
        sum += product;
        product = 1;
    }
    return sum + product;
}

/* Sets the widths of a layer that the file does not give. The heads divide the
   width of a token, and values are as wide as keys. Keys and values are made
   from tokens or from the latent. */
static void
set_widths(Published *l)
{
    bool latent = published_has(l, "latent");
    int head = l->head ? l->head : l->d_model / l->heads;
    int inputs = latent ? l->latent : l->d_model; /* of keys and values */
    l->d_k = l->d_k ? l->d_k : head;
    l->d_v = l->d_v ? l->d_v : l->d_k;
    l->kdim = l->kdim && !latent ? l->kdim : inputs;
    l->vdim = l->vdim && !latent ? l->vdim : inputs;
}

/* Sets the sizes that depend on the place of a layer in its model. The first
   layers may be an encoder, and the last ones may use the keys of others. */
static void
set_place(Published *l, int layer)
{
    const char *part = l->part ? l->part : "";
    bool all_encode = !strcmp(part, "encoder") ||
                      (published_has(l, "encodes") && !l->decodes);
    bool is_cross = !strcmp(part, "cross");
    l->in_encoder = all_encode || layer < l->encoder_layers;
    l->shared = layer >= l->layers - l->shared_layers;
    /* Only the first layer stores the biases of buckets, and cross-attention
       has none. */
    if (layer > 0 || is_cross)
        l->buckets = 0;
}

/* The layer of this number and type in a model of this family. With LAYERS and
   ALL, a layer with the sizes that the file gives the whole model. The order
   matters: groups, widths, rotated columns and the window are found from sizes
   that were set before them. */
static Published
layer_of(const Said *s, const Published *family, int layer, int type)
{
    Published l = *family;
    const char *formula = table_lookup(&states, l.type, FORMULA);
    for (int i = 0; i < SIZES; i++)
        read_size(&l, &sizes[i], said_text(s, sizes[i].meaning, layer, type));
    if (said_text(s, "biases", layer, type)) { /* the file says yes or no */
        bool family_names_maps = *family->biases != '-';
        const char *biased_maps = family_names_maps ? family->biases : "qkvo";
        l.biases = l.biased ? biased_maps : "-";
    }
    l.function = said_list(s, "function", layer, type);
    l.compared = said_list(s, "compared", layer, type);
    set_groups(&l);
    set_widths(&l);
    if (!published_has(&l, "latent"))
        l.rope = rotated_columns(s, &l, layer, type);
    if (type != LOCAL || !l.window) /* it sees all tokens */
        l.window = MOST;
    set_place(&l, layer);
    l.linear = type == LINEAR;
    if (formula && (l.linear || published_has(&l, "state-beside")))
        l.state = state_of(s, &l, formula);
    check_layer(&l);
    return l;
}

/* Exits if the model does not have the part that is to be counted, or if it has
   several parts and none was named, because the counts of two parts are never
   added. */
static void
check_part(const Said *s, const Published *family)
{
    bool parts = published_has(family, "parts");
    if (s->part && !parts)
        fail("%s: it has no part \"%.64s\": there is no %.64s_config", s->path,
             s->part, s->part);
    if (parts && (!s->part || index_in("encoder decoder cross", s->part) < 0))
        fail("%s: its parts are counted one by one: name encoder, decoder or "
             "cross (the decoder's attention to the encoder)",
             s->path);
}

/* Exits if the file has keys of layers without softmax, but its family has no
   such layers. Layers that are wrongly counted as layers with a softmax would
   make the result several times too large. */
static void
check_softmax(const Said *s, const Published *family)
{
    if (table_lookup(&states, family->type, FORMULA)) /* it has such layers */
        return;
    const char *every = said_of_all(s, "softmax-every");
    char *why = format_text("some layers have no softmax, although every layer "
                            "of a %s has one: correct model_type",
                            family->type);
    if (s->state_keys.count)
        fail("%s: its %s says that %s", s->path, s->state_keys.text[0], why);
    if (said_of_all(s, "softmax-layers"))
        said_refuse(s->path, "softmax-layers", why);
    if (every && index_in("0 1", every) < 0)
        said_refuse(s->path, "softmax-every", why);
}

/* Returns what families.tsv says of the model's family, and adds the family's
   defaults to s. Exits if the family is not counted. check_softmax and
   forget_ignored come before the defaults, because they check only the file. */
static Published
family_of(Said *s, const char *folder)
{
    const char *type = s->type;
    if (!type)
        said_refuse(s->path, "model-type", NO_KEY);
    const char *why = table_lookup(&refusals, type, REASON);
    if (why)
        fail("%s: a %s is not counted: %s", s->path, type, why);
    if (s->refused)
        fail("%s: %s (models/keys.tsv)", s->path, s->refused);
    Published family = {.name = s->path,
                        .type = type,
                        .part = s->part,
                        .has = table_lookup(&families, type, HAS),
                        .biases = table_lookup(&families, type, BIASES),
                        .ignores = table_lookup(&families, type, IGNORES)};
    if (!family.has)
        fail("%s: its model_type \"%.64s\" is not in %s/families.tsv: add a "
             "row, or give it the type of a model with the same attention",
             s->path, type, folder);
    check_softmax(s, &family);
    forget_ignored(s, &family);
    for (int i = 0; i < NORM - TENSORS; i++)
        family.tensors[i] = table_lookup(&families, type, TENSORS + i);
    said_add_defaults(s, table_lookup(&families, type, DEFAULTS));
    check_part(s, &family);
    family.norm = table_lookup(&families, type, NORM);
    return family;
}

/* Sets the types of the layers of p to those in the file's list of types. */
static void
read_types(const Said *s, const Published *p, int type[LAYERS])
{
    bool linear = table_lookup(&states, p->type, FORMULA);
    for (int i = 0; i < p->layers; i++) {
        const char *word = said_text(s, "layer-types", i, ALL);
        type[i] = word ? said_type(word) : NO_TYPE;
        if (type[i] == NO_TYPE || (type[i] == LINEAR && !linear))
            said_refuse(s->path, "layer-types",
                        format_text("a %s has no layers of type \"%.64s\"",
                                    p->type, word ? word : "null"));
    }
}

/* Sets the types of the layers of p by the file's list of the numbers of layers
   with a softmax. These are GLOBAL, the others LINEAR. */
static void
read_numbers(const Said *s, const Published *p, int type[LAYERS])
{
    const int first = 0, last = p->layers - 1;
    char *list = said_of_all(s, "softmax-layers");
    char *at = json_enter(list, s->path), *name, *word;
    double number;
    for (int i = 0; i < p->layers; i++)
        type[i] = LINEAR;
    while (json_next(&at, &name, &word, s->path)) {
        const char *why = number_read(word, WHOLE_NUMBER, first, last, &number);
        if (why)
            said_refuse(s->path, "softmax-layers", why);
        type[(int)number] = GLOBAL;
    }
}

/* Sets the types of the layers of p if the file does not list them: of every
   `every` layers in turn, the one at place `from`, counted from 0, is GLOBAL.
   If `every` is 0, no layer is. The file or the family gives `every`. */
static void
alternate_types(const Said *s, const Published *p, int type[LAYERS])
{
    int other = table_lookup(&states, p->type, FORMULA) ? LINEAR : LOCAL;
    int every = p->softmax_every ? p->softmax_every : p->every;
    if (!every)
        every = atoi(table_lookup(&families, p->type, EVERY));
    /* A family with -1, and a file with windows-on, need the list. */
    if (every < 0 || p->windows)
        said_refuse(s->path, "layer-types", NO_KEY);
    bool from_is_given = said_of_all(s, "global-from");
    int from = from_is_given ? p->global_from : every - 1;
    for (int i = 0; i < p->layers; i++)
        type[i] = every && i % every == from ? GLOBAL : other;
}

/* Sets the types of the layers of p: GLOBAL, LOCAL or LINEAR. Exits if the file
   has a list for layers whose length is not their number. */
static void
find_types(const Said *s, const Published *p, int type[LAYERS])
{
    const int first_layer = 0;
    for (int i = 0; i < s->count; i++) {
        const Saying *list = &s->sayings[i];
        if (list->layers == COUNT && atoi(list->text) != p->layers)
            said_refuse(s->path, list->meaning,
                        format_text("it has %s entries for %d layers",
                                    list->text, p->layers));
    }
    if (said_text(s, "layer-types", first_layer, ALL))
        read_types(s, p, type);
    else if (said_of_all(s, "softmax-layers"))
        read_numbers(s, p, type);
    else
        alternate_types(s, p, type);
}

Published
published_parse(const char *name, char *text, const char *part)
{
    char *folder = beside_program("models");
    int type[LAYERS];
    if (!families.rows) {
        read_keys_table(folder);
        table_add(&families, within(folder, "families.tsv"));
        table_add(&states, within(folder, "states.tsv"));
        table_add(&refusals, within(folder, "refused.tsv"));
    }
    Said *s = said_of_model(name, text, part);
    Published family = family_of(s, folder);
    Published whole = layer_of(s, &family, LAYERS, ALL);
    find_types(s, &whole, type);
    Published *each = allocate(LAYERS, sizeof *each);
    Published *model = &each[0]; /* a model is its first layer */
    for (int i = 0; i < whole.layers; i++) {
        each[i] = layer_of(s, &family, i, type[i]);
        /* The file may give one layer a wrong number of layers. */
        each[i].layers = whole.layers;
        each[i].each = each;
        model->rotated_layers += each[i].rope > 0;
    }
    if (s->left_out.count)
        note("%s: the counts leave out these keys of config.json: %s", name,
             joined(&s->left_out, ", "));
    return *model;
}

Published
published_read(const char *path)
{
    return published_parse(path, read_text(path, "configuration"), NULL);
}

bool
published_has(const Published *p, const char *feature)
{
    return index_in(p->has, feature) >= 0;
}

/* Returns both lists of keys and values (Published.function or .compared), for
   a message; NULL if they are the same. */
static char *
list_difference(const char *a, const char *b)
{
    a = a ? a : "nothing special";
    b = b ? b : "nothing special";
    return strcmp(a, b) ? format_text("%s, and %s", a, b) : NULL;
}

/* In words, the first size in which two layers of one family differ, else their
   biases, else the keys by which their functions differ; NULL if they agree in
   all of these. The source_sizes may differ: whatever they change is another
   size or the biases. */
static char *
layer_difference(const Published *a, const Published *b)
{
    for (int i = 0; i < SIZES; i++) {
        const char *meaning = sizes[i].meaning;
        int of_a = size_of(a, &sizes[i]), of_b = size_of(b, &sizes[i]);
        bool is_source = index_in(source_sizes, meaning) >= 0;
        if (of_a != of_b && !is_source)
            return format_text("%s (%s): %d and %d", meaning,
                               said_keys(meaning), of_a, of_b);
    }
    if (strcmp(a->biases, b->biases) != 0)
        return format_text("biases (%s): on %s and on %s", said_keys("biases"),
                           a->biases, b->biases);
    char *function = list_difference(a->function, b->function);
    return function ? function : list_difference(a->compared, b->compared);
}

char *
published_difference(const Published *a, const Published *b)
{
    char *found = NULL;
    if (strcmp(a->type, b->type) != 0)
        return format_text("model_type: %.64s and %.64s", a->type, b->type);
    if (a->layers != b->layers) /* layer_difference also compares this size */
        return layer_difference(a, b);
    for (int i = 0; i < a->layers && !found; i++)
        found = layer_difference(&a->each[i], &b->each[i]);
    return found;
}

/* Reads the config.json again, whose path is the model's name. */
char *
published_with_groups(const Published *p, int groups)
{
    static const char key[] = "\"num_key_value_heads\"";
    char *text = read_text(p->name, "configuration");
    /* In a composite model, the key is after the name of this object. */
    char *object = strstr(text, "\"text_config\"");
    object = object ? object : text;
    char *begin = strstr(object, key), *end; /* of the text to replace */
    const char *separator = "";
    if (begin) {
        end = begin + strlen(key);
        end += strcspn(end, ",}\n"); /* the end of its value */
    } else { /* it has as many key heads as heads; the key is inserted */
        begin = end = strchr(object, '{') + 1;
        separator = ", ";
    }
    char *changed = format_text("%.*s%s: %d%s%s", (int)(begin - text), text,
                                key, groups, separator, end);
    const char *text_part = NULL; /* the part that published_read counts */
    Published now = published_parse(p->name, copy_text(changed), text_part);
    /* The file may give some layers another number by other keys. */
    for (int i = 0; i < now.layers; i++)
        if (now.each[i].groups != groups)
            fail("%s: num_key_value_heads %d does not give every layer that "
                 "many, so no model can be written; give no directory, to "
                 "print only the errors",
                 p->name, groups);
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
