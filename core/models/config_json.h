/* config_json.h - reads a config.json, key by key, before layers are made of it
   (published.h).

   keys.tsv has a word for the meaning of each key, such as "heads", and the
   layers that the key describes. A key that means something else in one family
   has a row MODEL_TYPE.KEY, which is used instead of the row KEY. A value of
   the file, with its meaning and the layers it is about, is called a saying.
   The value stays text. A list with a value for each layer becomes a saying
   about each layer. */
#ifndef CONFIG_JSON_H
#define CONFIG_JSON_H

#include "base/words.h"

/* The layers that a saying is about:
   - GLOBAL, LOCAL, LINEAR: the layers of one type, which see all tokens, have a
     window, or have no softmax
   - ALL: all layers
   - PART: the layers of the part of the model that is counted
   - COUNT: no layers; the value is the length of a list
   - FIRST + i: layer i. A model has at most LAYERS layers */
enum { GLOBAL, LOCAL, LINEAR, ALL, PART, COUNT, FIRST, LAYERS = 1000 };
typedef struct Saying {
    int layers;          /* the layers it is about, see above */
    const char *meaning; /* the word that keys.tsv has for it; if that is
                            "function" or "compared", the key itself */
    char *text;          /* the value */
} Saying;

/* What a config.json says of a model. */
typedef struct Said {
    const char *path;        /* the path of the file, for messages */
    const char *type, *part; /* model_type; the part that is counted, or NULL */
    Saying *sayings;
    int count, capacity;
    char *text_model; /* of a composite model: the object that is counted */
    char *refused;    /* why the model cannot be counted, or NULL */
    Values left_out;  /* keys, and why each is not counted */
    Values state_keys, state_values; /* the sizes of the state of layers without
                                        softmax: their keys and values */
    struct Said *defaults; /* the family's defaults for keys that the file does
                              not have */
} Said;

/* Reads keys.tsv in this folder. Call it once, before the other functions. */
void read_keys_table(const char *folder);

/* Reads the text of a config.json, and overwrites it. If the model is
   composite, reads only the object PART_config or, if `part` is NULL,
   text_config. */
Said *said_of_model(const char *path, char *text, const char *part);

/* Adds the family's defaults, a text like that of a config.json. */
void said_add_defaults(Said *s, const char *defaults);

/* The value that the file gives a layer of this number and type: what it says
   of this layer or, if it says nothing, of the part, of the type, or of all
   layers, in this order. NULL if it says nothing at all. No layer has the
   number LAYERS: with it and the type ALL, the result is about the whole model.
 */
char *said_text(const Said *s, const char *meaning, int layer, int type);

/* The value that the file gives the part or all layers; NULL if there is none.
 */
char *said_of_all(const Said *s, const char *meaning);

/* The keys with this meaning, "function" or "compared", as they are for a layer
   of this number and type: "KEY VALUE: WHY; KEY VALUE: WHY", in the order of
   keys.tsv, so that two files can be compared. NULL if there is none, or if no
   value changes anything. */
char *said_list(const Said *s, const char *meaning, int layer, int type);

/* The type of layers that files call by this word: GLOBAL, LOCAL or LINEAR;
   NO_TYPE for any other word. */
enum { NO_TYPE = -1 };
int said_type(const char *word);

/* The keys with this meaning, as a list for messages, without keys of only one
   family or part. */
char *said_keys(const char *meaning);

/* Exits, because the model cannot be counted. `why` says what is wrong with the
   value of this meaning, or is NO_KEY if the file gives none. The message names
   the keys that have the meaning. */
#define NO_KEY NULL
_Noreturn void said_refuse(const char *path, const char *meaning,
                           const char *why);

#endif
