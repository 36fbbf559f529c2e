/* config_json.h - reads a config.json, key by key, before layers are made of
   it.

   keys.tsv has the meaning of each key, and the layers that it describes. A key
   that means something else in one family has a row MODEL_TYPE.KEY, which comes
   before the row KEY. What the file says stays text. A list has a value for
   each layer. A "saying" is a value with its meaning and the layers it is
   about. */
#ifndef CONFIG_JSON_H
#define CONFIG_JSON_H

#include <stdbool.h>

#include "base/words.h"

/* The layers that a saying is about: those of a type (GLOBAL sees all tokens,
   LOCAL has a window, LINEAR has no softmax), ALL, all of the PART that is
   counted, or only layer i, as FIRST + i. A saying about COUNT is the length of
   a list. A model has at most LAYERS layers. */
enum { GLOBAL, LOCAL, LINEAR, ALL, PART, COUNT, FIRST, LAYERS = 1000 };
typedef struct Saying {
    int layers;
    const char *meaning;
    char *text;
} Saying;

typedef struct Said {
    const char *path;
    const char *type, *part; /* model_type; the part that is counted, or NULL */
    Saying *sayings;
    int count, capacity;
    char *text_model; /* the object of a composite model that is counted */
    char *refused;    /* why the model cannot be counted, or NULL */
    char *function, *compared;       /* see Published */
    Values left_out;                 /* keys, and why each is not counted */
    Values state_keys, state_values; /* of layers without softmax */
    struct Said *defaults; /* the family's defaults for keys that the file does
                              not have */
} Said;

/* Reads keys.tsv in this folder. Call it once, before the other functions. */
void read_keys_table(const char *folder);

/* Reads the text of a config.json, which is changed. Of a composite model, only
   the object PART_config counts or, if `part` is NULL, text_config. */
Said *said_of_model(const char *path, char *text, const char *part);

/* Adds the defaults of the family, an object like that of a config.json. */
void said_add_defaults(Said *s, const char *defaults);

/* The value that the file gives a layer of this number and type. What it says
   of this layer precedes what it says of its part, of its type, and of all
   layers, in this order. NULL if it says nothing. With the layer LAYERS and the
   type ALL, only what it says of the part and of all layers. */
char *said_text(const Said *s, const char *meaning, int layer, int type);

/* The value that the file gives all layers, or all of the part. */
char *said_of_all(const Said *s, const char *meaning);

/* The type of layers of that name: GLOBAL, LOCAL or LINEAR, or NO_TYPE. */
enum { NO_TYPE = -1 };
int said_type(const char *word);

/* The keys that have this meaning in all families and parts, as a list for
   messages. */
char *said_keys(const char *meaning);

/* Exits, because the model cannot be counted. `why` says what is wrong with
   what the file says of this meaning, or is NO_KEY if it says nothing. The
   message names the keys that have the meaning. */
#define NO_KEY NULL
_Noreturn void said_refuse(const char *path, const char *meaning,
                           const char *why);

#endif
