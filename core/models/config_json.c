/* config_json.c - reads a config.json by keys.tsv. */
#include <math.h>
#include <string.h>

#include "base/tsv.h"
#include "config/find_plugin.h"
#include "heart/config.h"
#include "models/json.h"
#include "models/config_json.h"

/* keys.tsv and its columns: the key, the word for its meaning, the layers that
   it describes, the values that change nothing, and a reason for the user. */
static Table keys;
enum { KEY, MEANING, OF, UNLESS, WHY };

/* DEPTH: how many levels of objects within objects are read. NO_LAYERS: the
   layers that a key describes if its part of the model is not counted. */
enum { DEPTH = 4, NO_LAYERS = -1 };

void
read_keys_table(const char *folder)
{
    table_add(&keys, within(folder, "keys.tsv"));
}

int
said_type(const char *word)
{
    static const char *const words[] = {
        [GLOBAL] = "full_attention attention global",
        [LOCAL] = "sliding_attention chunked_attention local",
        [LINEAR] = "linear_attention mamba conv"};
    for (int i = GLOBAL; i <= LINEAR; i++)
        if (index_in(words[i], word) >= 0)
            return i;
    return NO_TYPE;
}

char *
said_keys(const char *meaning)
{
    Values names = {0};
    for (int i = 0; i < keys.rows; i++) {
        const char *key = table_cell(&keys, i, KEY);
        bool of_one_family = strchr(key, '.');
        bool of_one_part =
            index_in("encoder decoder", table_cell(&keys, i, OF)) >= 0;
        if (!strcmp(table_cell(&keys, i, MEANING), meaning) && !of_one_family &&
            !of_one_part)
            values_add(&names, copy_text(key));
    }
    return joined(&names, ", ");
}

_Noreturn void
said_refuse(const char *path, const char *meaning, const char *why)
{
    fail("%s: its %s (%s; models/keys.tsv): %s", path, meaning,
         said_keys(meaning), why != NO_KEY ? why : "no key gives it; add one");
}

/* Returns "0" for a word that means no, and "1" for a word that means yes. For
   a kind of position embeddings, yes means that it rotates queries and keys.
   Returns other values unchanged. */
static char *
without_words(char *value)
{
    if (index_in("false absolute nope", value) >= 0)
        return "0";
    if (index_in("true rotary rope", value) >= 0)
        return "1";
    return value;
}

/* Returns a number in one spelling, so that 1000000.0 and 1e6 become the same
   text. Returns other values unchanged. */
static char *
in_one_spelling(char *value)
{
    double number;
    if (number_read(value, ANY_NUMBER, -INFINITY, INFINITY, &number))
        return value;
    return format_text("%.15g", number); /* a double has 15 sure digits */
}

/* Adds a saying about these layers. */
static void
add_saying(Said *s, int layers, const char *meaning, char *text)
{
    s->sayings = grow(s->sayings, s->count, &s->capacity, sizeof *s->sayings);
    s->sayings[s->count++] = (Saying){layers, meaning, text};
}

/* Adds the sayings of a list, whose n-th value is about the n-th layer, and a
   saying of its length. An empty list says nothing. */
static void
add_list(Said *s, const char *meaning, char *list)
{
    char *at = json_enter(list, s->path), *name, *value;
    int count = 0;
    for (; json_next(&at, &name, &value, s->path); count++)
        if (count < LAYERS) /* a longer list is refused (find_types) */
            add_saying(s, FIRST + count, meaning, without_words(value));
    if (count)
        add_saying(s, COUNT, meaning, format_text("%d", count));
}

/* Returns the last value that is not null among the sayings about exactly these
   layers. If there is none, returns that of the family's defaults, unless the
   file says null for all layers: null means none, not the default. Returns NULL
   if nothing is found. */
static char *
last_said(const Said *s, const char *meaning, int layers)
{
    bool null_for_all = false;
    for (int i = s->count - 1; i >= 0; i--) {
        const Saying *one = &s->sayings[i];
        if (one->layers != layers || strcmp(one->meaning, meaning) != 0)
            continue;
        if (strcmp(one->text, "null") != 0)
            return one->text;
        null_for_all = layers == ALL;
    }
    if (null_for_all || !s->defaults)
        return NULL;
    return last_said(s->defaults, meaning, layers);
}

char *
said_text(const Said *s, const char *meaning, int layer, int type)
{
    const int layers[] = {FIRST + layer, PART, type, ALL};
    char *text = NULL;
    for (size_t i = 0; i < sizeof layers / sizeof *layers && !text; i++)
        text = last_said(s, meaning, layers[i]);
    return text;
}

char *
said_of_all(const Said *s, const char *meaning)
{
    return said_text(s, meaning, LAYERS, ALL);
}

/* The values are not shortened, because the lists of two models are compared
   (published_difference). */
char *
said_list(const Said *s, const char *meaning, int layer, int type)
{
    char *list = NULL;
    for (int i = 0; i < keys.rows; i++) {
        const char *key = table_cell(&keys, i, KEY);
        if (strcmp(table_cell(&keys, i, MEANING), meaning) != 0)
            continue;
        const char *value =
            said_text(s, key, layer, type); /* its own meaning */
        const char *harmless = table_cell(&keys, i, UNLESS);
        if (value && index_in(harmless, value) < 0)
            list =
                format_text("%s%s%s %s: %s", list ? list : "", list ? "; " : "",
                            key, value, table_cell(&keys, i, WHY));
    }
    return list;
}

/* Adds what a key says of these layers to the field of *s for its meaning in
   keys.tsv. `row` names the key's row there (row_of). */
static void
add_key(Said *s, int layers, const char *key, const char *row, char *value)
{
    const char *meaning = table_lookup(&keys, row, MEANING);
    const char *why = table_lookup(&keys, row, WHY);
    if (!meaning) { /* there is no such row */
        values_add(&s->left_out, format_text("%.64s (not known)", key));
        return;
    }
    /* Such a key is its own meaning (said_list). Its harmless values are
       sayings, too, because they replace the family's default. */
    if (index_in("function compared", meaning) >= 0) {
        add_saying(s, layers, row, in_one_spelling(value));
        return;
    }
    bool harmless = index_in(table_lookup(&keys, row, UNLESS), value) >= 0;
    if (!strcmp(meaning, "nothing") || harmless)
        return;
    /* A list has a value for each layer, except the list of the numbers of the
       layers that have a softmax. */
    bool by_layer = *value == '[' && strcmp(meaning, "softmax-layers") != 0;
    if (!strcmp(meaning, "noted"))
        values_add(&s->left_out, format_text("%s (%s)", key, why));
    else if (!strcmp(meaning, "refused"))
        s->refused = format_text("its %s is %.64s: %s", key, value, why);
    else if (!strcmp(meaning, "state")) {
        values_add(&s->state_keys, copy_text(key));
        values_add(&s->state_values, copy_text(value));
    } else if (by_layer)
        add_list(s, meaning, value);
    else
        add_saying(s, layers, meaning, without_words(value));
}

/* The name of a key's row in keys.tsv: MODEL_TYPE.KEY if there is such a row,
   else KEY. */
static const char *
row_of(const Said *s, const char *key)
{
    const char *own = format_text("%.64s.%.64s", s->type ? s->type : "", key);
    return table_lookup(&keys, own, MEANING) ? own : key;
}

/* Which layers a key describes, by its row in keys.tsv; NO_LAYERS if they are
   in a part that is not counted. "-" in the row, or no row, means `outer`, the
   layers that the object around the key describes. */
static int
layers_of(const Said *s, const char *row, int outer)
{
    const char *described = table_lookup(&keys, row, OF);
    if (!described || !strcmp(described, "-"))
        return outer;
    if (said_type(described) != NO_TYPE)
        return said_type(described);
    const char *part = s->part ? s->part : "";
    if (!strcmp(part, "cross")) /* the decoder's keys describe it, too */
        part = "decoder";
    return strcmp(described, part) ? NO_LAYERS : PART;
}

/* Reads an object that describes these layers, and the objects in it, to this
   depth. */
static void
read_object(Said *s, char *text, int layers, int depth)
{
    const int first = 0, last = LAYERS - 1; /* numbers of layers */
    char *at = json_enter(text, s->path), *name, *value;
    const char *part = s->part ? s->part : "text";
    /* The object of the counted part of a composite model. */
    const char *counted_object = format_text("%.64s_config", part);
    while (json_next(&at, &name, &value, s->path)) {
        const char *row = row_of(s, name);
        const char *meaning = table_lookup(&keys, row, MEANING);
        int of_key = layers_of(s, row, layers);
        bool nested = *value == '{' && depth > 0;
        bool more = meaning && !strcmp(meaning, "more");
        double number;
        bool is_layer =
            !meaning && !number_read(name, WHOLE_NUMBER, first, last, &number);
        if (nested && !strcmp(name, counted_object))
            s->text_model = value; /* said_of_model reads it */
        else if (nested && more)   /* more keys, about the layers of its row */
            read_object(s, value, of_key, depth - 1);
        else if (nested && is_layer) /* keys of the layer of this number */
            read_object(s, value, FIRST + (int)number, depth - 1);
        else if (of_key != NO_LAYERS)
            add_key(s, of_key, name, row, value);
    }
}

/* Reads an object as a model of its model_type or, if it has none, of `type`.
 */
static Said *
said_in(const char *path, char *text, const char *type, const char *part)
{
    Said *s = allocate(1, sizeof *s);
    const char *own = json_find(text, "model_type", path);
    s->path = path;
    s->type = own ? own : type;
    s->part = part;
    read_object(s, text, ALL, DEPTH);
    return s;
}

Said *
said_of_model(const char *path, char *text, const char *part)
{
    const char *const no_type = NULL, *const no_part = NULL;
    Said *whole = said_in(path, text, no_type, part);
    if (!whole->text_model) /* it is not composite */
        return whole;
    /* The object is a model without parts. */
    Said *s = said_in(path, whole->text_model, whole->type, no_part);
    const char *counted = part ? part : "text";
    note("%s: it is a composite model; only its %s model, in %s_config, is "
         "counted",
         path, counted, counted);
    return s;
}

void
said_add_defaults(Said *s, const char *defaults)
{
    s->defaults = said_in(s->path, copy_text(defaults), s->type, s->part);
}
