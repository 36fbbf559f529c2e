/* config_json.h - reads a config.json, key by key, before any layer is made of
   it.

   keys.tsv names the meaning of a key, and the layers that it is about. A key
   of one family is in it as MODEL_TYPE.KEY, before which KEY does not count.
   Whatever it says stays text. A list has a value for each layer. */
#ifndef CONFIG_JSON_H
#define CONFIG_JSON_H

#include <stdbool.h>

#include "base/words.h"

/* The layers that something is said about: those of a type, all, all of the
   part that is counted, or, from FIRST on, one. COUNT: it is how many layers a
   list is about. */
enum { GLOBAL, LOCAL, LINEAR, ALL, PART, COUNT, FIRST, LAYERS = 1000 };
typedef struct Saying {
    int layers;
    const char *meaning;
    char *text;
} Saying;

typedef struct Said {
    const char *path;
    const char *type, *part; /* its model_type; the part's name, or NULL */
    Saying *sayings;
    int count, capacity;
    char *text_model; /* the object of a composite model that is counted */
    char *refused;    /* why it cannot be counted, or NULL */
    char *function, *compared;       /* see Published */
    Values left_out;                 /* keys, and why each is not counted */
    Values state_keys, state_values; /* of layers without softmax */
    struct Said *defaults; /* what the family takes where the file is silent */
} Said;

/* Reads keys.tsv, once. */
void said_start(const char *folder);

/* The model that is counted: of a composite model, the object named PART_config
   or, without a part, text_config. Cuts the text. */
Said *said_of_model(const char *path, char *text, const char *part);

/* Adds the defaults of the family, an object like that of a config.json. */
void said_defaults(Said *s, const char *defaults);

/* What is said of a layer of this type: of itself, or else of its type, or else
   of all layers; NULL if nothing is. */
char *said_text(const Said *s, const char *meaning, int layer, int type);

/* The type of layers of that name: GLOBAL, LOCAL or LINEAR, or -1. */
int said_type(const char *word);

/* The keys that have this meaning in all families and parts. */
char *said_keys(const char *meaning);

/* Exits, because the model cannot be counted: `why` says what is wrong with
   this meaning; NULL if no key has it. Names the keys that have it. */
_Noreturn void said_refuse(const char *path, const char *meaning,
                           const char *why);

#endif
