/* settings.h - every setting of a run, in one table.

   The options of the command, config.tsv, the defaults of a task, grids, the
   names of runs and the lines of --plan are all this table read or written. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/find_plugin.h"
#include "heart/config.h"

enum { WORD_SIZE = 1024 };

enum { OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_SGD, OPTIMIZER_MUON };
enum { SCHEDULE_CONSTANT, SCHEDULE_COSINE };
enum { EMBED_LEARNED, EMBED_ONEHOT };
enum { CROSS_NONE, CROSS_ONLY, CROSS_AFTER };

/* Several kinds may be asked for at once: s->kind & WORDED. */
typedef enum {
    SWITCH = 0, /* of an option that takes no value */
    INTEGER = 1,
    NUMBER = 2,
    OWN = 4, /* a number of a variant's own */
    CHOICE = 8,
    HASH = 16,
    WORD = 32, /* empty unless something was asked for */
    PLUGIN = 64,
    OWN_LIST = 128, /* all of a variant's own: "window=8 base=10000" */
    TEXT = 256,     /* of an option that takes any characters */
    NUMERIC = INTEGER | NUMBER | OWN, /* can vary over a grid of numbers */
    WORDED = WORD | PLUGIN | OWN_LIST
} Kind;

/* What a setting is for. Code that concerns some settings only asks for their
   role, or for several with |. */
enum {
    OF_VARIANT = 1,
    OF_SEED = 2,
    OF_DATA = 4,    /* the task, and what it draws */
    OF_SHAPE = 8,   /* of a variant: SHAPE_OPTIONS */
    OF_MODEL = 16,  /* around the variant */
    OF_SECOND = 32, /* what reads a second sequence */
    OF_START = 64,  /* how weights and widths are chosen before training */
    OF_TRAINING = 128,
    OF_OBSERVATION = 256, /* measured and written; changes no weight */
    OF_RECORD = 512,      /* the program's, not to be given */
    OF_ANY = 1023
};

typedef struct Setting {
    const char *name; /* of the option and of the line in config.tsv */
    int role;
    Kind kind;
    size_t offset;
    double min, max;
    const char *choices; /* "none learned rope" */
    const char *help;    /* NULL: the program sets it, not the user */
} Setting;

/* The built-in ones, and behind them those that variants declare, in the order
   in which they came to be known. */
extern Setting settings[];
extern int setting_count;
extern const int settings_built_in, settings_most;

/* NULL if there is no such setting. */
const Setting *setting_named(const char *name);

/* The setting of a variant's own that has this name, made where it is new; NULL
   for "", which none is called. */
const Setting *setting_declare(const char *name);

/* Does it decide what comes of a run? A text does by its bytes (file-hash), not
   by its path. The bytes of a plugin are compared elsewhere. */
bool setting_decides(const Setting *s);

/* Have a and b the same value of it? */
bool setting_equal(const Setting *s, const Config *a, const Config *b);

/* Have a and b the same values of all settings of these roles? */
bool config_equal(const Config *a, const Config *b, int roles);

/* Is it a shape option, or other variants' own, that c's variant does not use?
   (config_resolve) */
bool setting_unused(const Setting *s, const Config *c);

/* Sets one from text. Returns what is wrong with it, or NULL. */
const char *setting_set(const Setting *s, Config *c, const char *text);

/* Its value as text that sets the same value again; interned. */
const char *setting_text(const Setting *s, const Config *c);

/* Applies "name=value name=value ..."; a bug if that cannot be done. */
void config_apply(Config *c, const char *assignments);

/* Makes the settings agree with one another: d_k and d_v where they are 0,
   and exits (2) where they contradict each other, saying how. `uses` are the
   shape options of the variant and settings of its own (variant_uses): others
   go to 0 or NaN, so that runs which differ in them only are one run. */
void config_resolve(Config *c, const char *uses);

/* Eight hex digits of everything that decides a run's result, except the
   plugin's bytes. */
void config_digest(const Config *c, char digest[9]);

#endif
