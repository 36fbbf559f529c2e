/* settings.h - every setting of a run, in one table.

   All code that reads or writes settings uses this table: for the options of
   the command, config.tsv, the defaults of a task, grids, the names of runs and
   the lines of --plan. The defaults are in heart/config.h (USUAL), unless the
   task has others (heart/task.c, tasks/tasks.c). */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/find_plugin.h"
#include "heart/config.h"

/* The values of settings of kind CHOICE, except for those in heart/config.h.
   Setting.choices lists the words in the same order (tests/check_task.c
   compares them). */
enum { OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_SGD, OPTIMIZER_MUON };
enum { SCHEDULE_CONSTANT, SCHEDULE_COSINE };
enum { EMBED_LEARNED, EMBED_ONEHOT };
enum { CROSS_NONE, CROSS_ONLY, CROSS_AFTER };

/* The kind of a setting's value. Each is a bit, so that several can be tested
   at once: s->kind & WORDED. */
typedef enum {
    SWITCH = 0, /* has no value; only for options of a command */
    INTEGER = 1,
    NUMBER = 2,
    OWN = 4, /* a number that a variant declares in .settings */
    CHOICE = 8,
    HASH = 16,
    WORD = 32, /* "" unless it is set */
    PLUGIN = 64,
    OWN_LIST = 128, /* all OWN settings and values: "window=8 base=10000" */
    TEXT = 256,     /* any characters; only for options of a command */
    NUMERIC = INTEGER | NUMBER | OWN, /* can vary over a grid of numbers */
    WORDED = WORD | PLUGIN | OWN_LIST
} Kind;

/* The role of a setting. Code that concerns only some settings selects them by
   one role, or by several roles joined with |. */
enum {
    OF_VARIANT = 1,
    OF_SEED = 2,
    OF_DATA = 4,    /* the task, and the sequences that it draws */
    OF_SHAPE = 8,   /* of a variant: SHAPE_OPTIONS, and its own settings */
    OF_MODEL = 16,  /* the model around the variant */
    OF_SECOND = 32, /* the parts of the model that read a second sequence */
    OF_START = 64,  /* the initial weights */
    OF_TRAINING = 128,
    OF_OBSERVATION = 256, /* what is measured and logged; changes no weight */
    OF_RECORD = 512,      /* set by the program; the user cannot set it */
    OF_ANY = 1023
};

typedef struct Setting {
    const char *name; /* also of its option, and of its line in config.tsv */
    int role;         /* OF_VARIANT ... OF_RECORD */
    Kind kind;
    size_t offset;       /* offset of its value in Config; not used for OWN */
    double min, max;     /* least and greatest value of INTEGER, NUMBER, OWN */
    const char *choices; /* for CHOICE: "none learned rope" */
    const char *users;   /* the tasks (OF_DATA) or the optimizers (OF_TRAINING)
                            that use it; NULL: all */
    const char *help;    /* NULL if the program sets it, not the user */
} Setting;

/* The greatest value of a size. A larger one is probably a typing mistake. */
#define MOST_SIZE 1e6

/* Each macro initialises the kind of a setting, the offset of its value in a
   struct (Config, or the Options of a command), and the least and greatest
   value or the choices. It compiles only if the field has the type that this
   kind needs. */
/* clang-format off */
#define TYPED_AT(in, field, type) .offset = _Generic(((in *)0)->field, type: offsetof(in, field))
#define SWITCH_AT(in, field)   .kind = SWITCH, TYPED_AT(in, field, bool)
#define INTEGER_AT(in, field, least, most) .kind = INTEGER, TYPED_AT(in, field, int), .min = least, .max = most
#define NUMBER_AT(in, field, least, most)  .kind = NUMBER, TYPED_AT(in, field, double), .min = least, .max = most
#define CHOICE_AT(in, field, words)        .kind = CHOICE, TYPED_AT(in, field, int), .choices = words
#define HASH_AT(in, field)     .kind = HASH, TYPED_AT(in, field, uint64_t)
#define WORD_AT(in, field)     .kind = WORD, TYPED_AT(in, field, const char *)
#define PLUGIN_AT(in, field)   .kind = PLUGIN, TYPED_AT(in, field, const char *)
#define OWN_LIST_AT(in, field) .kind = OWN_LIST, TYPED_AT(in, field, const char *)
#define TEXT_AT(in, field)     .kind = TEXT, TYPED_AT(in, field, const char *)
/* clang-format on */

/* The table. First come settings_built_in built-in settings, then the settings
   that variants declare, in the order of the first calls of setting_declare.
   There are setting_count in all, and never more than settings_most. */
extern Setting settings[];
extern int setting_count;
extern const int settings_built_in, settings_most;

/* The setting of this name, or NULL. */
const Setting *setting_named(const char *name);

/* The setting of this name, which a variant declares. Adds the setting to the
   table if it is new, and exits if the table is full. Returns NULL for "",
   which is not a name. */
const Setting *setting_declare(const char *name);

/* Returns whether a and b have the same value of this setting. */
bool setting_equal(const Setting *s, const Config *a, const Config *b);

/* Returns whether a and b have the same values of all settings of these roles.
 */
bool config_equal(const Config *a, const Config *b, int roles);

/* The name of the first setting whose values differ in a and b, or NULL. Leaves
   out the settings in the list `except` ("lr seed"), and those that cannot
   change a result by themselves: the path of a file, and the equation and the
   hash of a plugin. */
const char *differing_setting(const Config *a, const Config *b,
                              const char *except);

/* Returns whether a setting changes nothing in a run of c: its task or
   optimizer is none of Setting.users, or the setting is a shape option or a
   declared setting that its variant does not use. c must be resolved
   (config_resolve). */
bool setting_unused(const Setting *s, const Config *c);

/* Reads a text as the value of a setting, and stores the value at `at`. This
   points to an int for INTEGER and CHOICE, a double for NUMBER, a uint64_t for
   HASH, and a const char * for the other kinds. Returns NULL, or why the text
   is not a value of the setting. */
const char *value_read(const Setting *s, void *at, const char *text);

/* Sets c's value from a text. Returns NULL, or why the text is not a value of
   the setting. */
const char *setting_set(const Setting *s, Config *c, const char *text);

/* c's value as an interned text, from which setting_set reads the same value.
 */
const char *setting_text(const Setting *s, const Config *c);

/* Interns every text of c, as heart/config.h demands. A text that is NULL
   becomes "". */
void config_intern(Config *c);

/* Sets settings of c from assignments such as "heads=4 lr=0.01". Aborts if a
   name or a value is wrong, since the text comes from the program, not from a
   user. */
void config_apply(Config *c, const char *assignments);

/* Replaces widths of 0 by their defaults, and exits with status 2 if settings
   contradict each other. `uses` lists the shape options and the declared
   settings that the variant uses (variant_uses). A shape option that it does
   not use becomes 0, and a declared setting that it does not use is dropped. So
   runs that differ only in these are the same run. */
void config_resolve(Config *c, const char *uses);

/* A hash of all settings that can change a run's result (differing_setting), as
   eight hexadecimal digits with a 0 at the end. */
enum { DIGEST_SIZE = 9 };
void config_digest(const Config *c, char digest[DIGEST_SIZE]);

#endif
