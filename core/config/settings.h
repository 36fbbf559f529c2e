/* settings.h - every setting of a run, in one table.

   Whatever reads or writes settings uses this table: the options of the
   command, config.tsv, the defaults of a task, grids, the names of runs and the
   lines of --plan. A default is in heart/config.h (USUAL), unless the task has
   another (tasks/tasks.c). */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/find_plugin.h"
#include "heart/config.h"

/* The values of settings of kind CHOICE; heart/config.h has those of other
   settings. Setting.choices lists the words in the same order
   (tests/check_task.c compares them). */
enum { OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_SGD, OPTIMIZER_MUON };
enum { SCHEDULE_CONSTANT, SCHEDULE_COSINE };
enum { EMBED_LEARNED, EMBED_ONEHOT };
enum { CROSS_NONE, CROSS_ONLY, CROSS_AFTER };

/* The kind of a setting's value. Each is a bit, so that several can be tested
   at once: s->kind & WORDED. */
typedef enum {
    SWITCH = 0, /* without a value; only of options */
    INTEGER = 1,
    NUMBER = 2,
    OWN = 4, /* a number that a variant declares in .settings */
    CHOICE = 8,
    HASH = 16,
    WORD = 32, /* "" unless it is set */
    PLUGIN = 64,
    OWN_LIST = 128, /* all of these with their values: "window=8 base=10000" */
    TEXT = 256,     /* any characters; only of options */
    NUMERIC = INTEGER | NUMBER | OWN, /* can vary over a grid of numbers */
    WORDED = WORD | PLUGIN | OWN_LIST
} Kind;

/* The purpose of a setting. Code that concerns only some settings selects them
   by their role, or by several roles joined with |. */
enum {
    OF_VARIANT = 1,
    OF_SEED = 2,
    OF_DATA = 4,    /* the task, and the sequences that it draws */
    OF_SHAPE = 8,   /* of a variant: SHAPE_OPTIONS */
    OF_MODEL = 16,  /* around the variant */
    OF_SECOND = 32, /* the parts that read a second sequence */
    OF_START = 64,  /* how weights and widths are chosen before training */
    OF_TRAINING = 128,
    OF_OBSERVATION = 256, /* measured and written; changes no weight */
    OF_RECORD = 512,      /* written by the program; the user cannot set it */
    OF_ANY = 1023
};

typedef struct Setting {
    const char *name; /* names the option and the line in config.tsv */
    int role;
    Kind kind;
    size_t offset;       /* offset of its value in Config; not used for OWN */
    double min, max;     /* of INTEGER, NUMBER and OWN */
    const char *choices; /* of CHOICE: "none learned rope" */
    const char *help;    /* NULL: the program sets it, not the user */
} Setting;

/* The greatest value of sizes; larger ones are more likely mistyped. */
#define MOST_SIZE 1e6

/* Each macro initialises the kind of a setting and the offset of its value in a
   struct (Config, or the Options of a command), and its least and greatest
   value or its choices. It compiles only if the field has the type of the kind.
 */
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

/* The table: first settings_built_in built-in settings, then those that
   variants declare, in the order in which setting_declare first saw them;
   setting_count in all, and never more than settings_most. */
extern Setting settings[];
extern int setting_count;
extern const int settings_built_in, settings_most;

/* The setting of this name, or NULL. */
const Setting *setting_named(const char *name);

/* The setting with this name, which a variant declares. Adds it to the table if
   it is new. Returns NULL for "", which is not a name. */
const Setting *setting_declare(const char *name);

/* Do a and b have the same value of this setting? */
bool setting_equal(const Setting *s, const Config *a, const Config *b);

/* Do a and b have the same values of all settings of these roles? */
bool config_equal(const Config *a, const Config *b, int roles);

/* The name of the first setting that can change a result, is not in the list
   `except` ("lr seed"), and has different values in a and b. NULL if there is
   none. The path of a file, the equation and the hash of a plugin change no
   result by themselves. */
const char *differing_setting(const Config *a, const Config *b,
                              const char *except);

/* Is this a shape option or a declared setting that c's variant does not use? c
   must be resolved (config_resolve). */
bool setting_unused(const Setting *s, const Config *c);

/* Reads a text as the value of a setting, and stores it at `at`. `at` points to
   an int for INTEGER and CHOICE, a double for NUMBER, a uint64_t for HASH, and
   a const char * for the other kinds. Returns NULL, or why the text is not a
   value of the setting. */
const char *value_read(const Setting *s, void *at, const char *text);

/* Sets c's value from a text. Returns NULL, or why the text is not a value of
   the setting. */
const char *setting_set(const Setting *s, Config *c, const char *text);

/* c's value as a text, interned. setting_set reads the same value from it. */
const char *setting_text(const Setting *s, const Config *c);

/* Interns every text of c, as heart/config.h demands. A text that is NULL
   becomes "". */
void config_intern(Config *c);

/* Sets the settings of "name=value name=value ...". The text is the program's,
   so this aborts if a name or a value is wrong. */
void config_apply(Config *c, const char *assignments);

/* Replaces widths of 0 by their defaults, and exits (2) if settings contradict
   each other. `uses` lists the shape options and the settings that the variant
   uses (variant_uses). All others become 0 or are dropped, so that runs that
   differ only in unused settings are the same run. */
void config_resolve(Config *c, const char *uses);

/* A hash of all settings that can change a run's result (differing_setting):
   eight hex digits, and the 0 after them. */
enum { DIGEST_SIZE = 9 };
void config_digest(const Config *c, char digest[DIGEST_SIZE]);

#endif
