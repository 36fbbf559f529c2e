/* settings.c - every setting of a run, in one table. The defaults are in USUAL
   (heart/config.h) and, for a task that has others, in its row (heart/task.c,
   tasks/tasks.c). */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/settings.h"
#include "heart/fail.h"

/* clang-format off */
Setting settings[] = {
    /* Each row has a name, a role, a kind (with the field of Config, and the
       least and greatest value or the choices), and a help text. A decay rate
       must be below 1, since a mean with rate 1 would never forget. */
    {"variant", OF_VARIANT, PLUGIN_AT(Config, variant), .help = "the variant of attention: a name, or the path of a .c, .so or .eq file"},
    {"task", OF_DATA, WORD_AT(Config, task), .help = "the task; `qkv list --tasks` describes them"},
    {"seed", OF_SEED, INTEGER_AT(Config, seed, 0, INT_MAX), .help = "seed of all random numbers: data, initialisation, test"},

    {"length", OF_DATA, INTEGER_AT(Config, length, 1, MOST_SIZE), .help = "length n of a sequence, in tokens, pairs or characters"},
    {"symbols", OF_DATA, INTEGER_AT(Config, symbols, 1, MOST_SIZE), .users = "reverse recall sort induction mqar cross-recall translate", .help = "number of different digits, keys or tokens"},
    {"values", OF_DATA, INTEGER_AT(Config, values, 1, MOST_SIZE), .users = "recall mqar cross-recall", .help = "number of different values in recall, mqar and cross-recall"},
    {"queries", OF_DATA, INTEGER_AT(Config, queries, 0, MOST_SIZE), .users = "cross-recall", .help = "number of queries in cross-recall; 0: as many as keys"},
    {"members", OF_DATA, INTEGER_AT(Config, members, 1, MOST_SIZE), .users = "subset", .help = "number of tokens that each answer of the task `subset` sums"},
    {"file", OF_DATA, WORD_AT(Config, file), .help = "the file that the task `text` reads"},

    {"d-model", OF_MODEL, INTEGER_AT(Config, d_model, 1, MOST_SIZE), .help = "width of a token"},
    {"heads", OF_SHAPE, INTEGER_AT(Config, heads, 0, MOST_SIZE), .help = "number of attention heads"},
    {"d-k", OF_SHAPE, INTEGER_AT(Config, d_k, 0, MOST_SIZE), .help = "width of the queries and keys of a head; 0: d-model / heads"},
    {"d-v", OF_SHAPE, INTEGER_AT(Config, d_v, 0, MOST_SIZE), .help = "width of the values of a head; 0: d-model / heads"},
    {"kv-heads", OF_SHAPE, INTEGER_AT(Config, kv_heads, 0, MOST_SIZE), .help = "number of heads of keys and values in gqa; 0: heads / 2"},
    {"latent", OF_SHAPE, INTEGER_AT(Config, latent, 0, MOST_SIZE), .help = "width of the latent vector, as in mla; 0: d-model / 2"},
    {"layers", OF_MODEL, INTEGER_AT(Config, layers, 1, 1000), .help = "number of blocks"},
    {"encoder", OF_SECOND, INTEGER_AT(Config, encoder, 0, 1000), .help = "number of encoder blocks, which read the second sequence of cross-recall and translate"},
    {"cross", OF_SECOND, CHOICE_AT(Config, cross, "none only after"), .help = "attention to the second sequence: none, only that, or after self-attention"},
    {"mlp", OF_MODEL, INTEGER_AT(Config, mlp, 0, 1000), .help = "hidden width of the MLP, as a multiple of d-model; 0: no MLP"},
    {"norm", OF_MODEL, CHOICE_AT(Config, norm, "none pre rms"), .help = "pre: LayerNorm before attention, before the MLP and at the end; rms: RMSNorm there"},
    {"embed", OF_MODEL, CHOICE_AT(Config, embed, "learned onehot"), .help = "onehot: one-hot tokens and positions go straight to the projections"},
    {"positions", OF_MODEL, CHOICE_AT(Config, positions, "none learned rope alibi"), .help = "how attention knows positions: by vectors added to tokens (learned) or, in self-attention, by rotated q and k (rope) or biased scores (alibi)"},
    {"residual", OF_MODEL, CHOICE_AT(Config, residual, "no yes"), .help = "yes: a block returns x + attention(x); no: only attention(x)"},
    {"mask", OF_MODEL, CHOICE_AT(Config, mask, "none causal"), .help = "causal: no token sees a later one"},

    {"init", OF_START, WORD_AT(Config, init), .help = "factors for initial weights, such as W_Q=0.1+W_K=0.1"},
    {"same-start", OF_START, PLUGIN_AT(Config, same_start), .help = "initialise the model to compute the same function as this variant"},
    {"batch", OF_TRAINING, INTEGER_AT(Config, batch, 1, MOST_SIZE), .help = "number of sequences per step"},
    {"steps", OF_TRAINING, INTEGER_AT(Config, steps, 0, 1e9), .help = "training steps; 0: only the initial model"},
    {"optimizer", OF_TRAINING, CHOICE_AT(Config, optimizer, "adam adamw sgd muon"), .help = "adamw: weight decay outside the gradient; muon: orthogonal steps for attention's matrices, adam for the rest"},
    {"lr", OF_TRAINING, NUMBER_AT(Config, lr, 0, 1e6), .help = "learning rate; auto: compare tries nine"},
    {"schedule", OF_TRAINING, CHOICE_AT(Config, schedule, "constant cosine"), .help = "schedule of the learning rate; cosine falls to 0"},
    {"warmup", OF_TRAINING, INTEGER_AT(Config, warmup, 0, 1e9), .help = "number of steps, from the first, over which the learning rate rises linearly"},
    {"weight-decay", OF_TRAINING, NUMBER_AT(Config, weight_decay, 0, 1e6), .help = "weight decay: how strongly every weight is pulled towards 0"},
    {"momentum", OF_TRAINING, NUMBER_AT(Config, momentum, 0, 0.999999), .users = "sgd", .help = "momentum of sgd"},
    {"beta1", OF_TRAINING, NUMBER_AT(Config, beta1, 0, 0.999999), .users = "adam adamw muon", .help = "decay rate of adam's mean of gradients"},
    {"beta2", OF_TRAINING, NUMBER_AT(Config, beta2, 0, 0.999999999), .users = "adam adamw muon", .help = "decay rate of adam's mean of squared gradients"},

    {"log-every", OF_OBSERVATION, INTEGER_AT(Config, log_every, 1, 1e9), .help = "number of steps between two lines of log.tsv"},
    {"log", OF_OBSERVATION, WORD_AT(Config, log), .help = "also log attention, scores, gradients, rank, distance, conserved, gauge or turn; join several with +"},
    {"validate", OF_OBSERVATION, INTEGER_AT(Config, validate, 1, MOST_SIZE), .help = "number of validation sequences for each line of log.tsv (for text: at most)"},
    {"test", OF_OBSERVATION, INTEGER_AT(Config, test, 1, 1e9), .help = "number of test sequences at the end (for text: at most)"},
    {"threshold", OF_OBSERVATION, NUMBER_AT(Config, threshold, 0, 1), .help = "accuracy at which a task counts as solved"},

    {"settings", OF_RECORD, OWN_LIST_AT(Config, settings)},
    {"from", OF_RECORD, WORD_AT(Config, from)},
    {"equation", OF_RECORD, WORD_AT(Config, equation)},
    {"precision", OF_RECORD, CHOICE_AT(Config, precision, "float double")},
    {"plugin-hash", OF_RECORD, HASH_AT(Config, plugin_hash)},
    {"file-hash", OF_RECORD, HASH_AT(Config, file_hash)},

    /* MOST_OWN places for settings that variants declare */
    {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0},
};
/* clang-format on */
enum {
    PLACES = sizeof settings / sizeof *settings,
    BUILT_IN = PLACES - MOST_OWN
};
int setting_count = BUILT_IN;
const int settings_built_in = BUILT_IN, settings_most = PLACES;

const Setting *
setting_named(const char *name)
{
    for (int i = 0; i < setting_count; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    return NULL;
}

const Setting *
setting_declare(const char *name)
{
    if (!*name)
        return NULL;
    const Setting *known = setting_named(name);
    if (known)
        return known;
    if (setting_count == PLACES)
        fail("%s: one setting too many: the variants of one command may "
             "declare %d settings in all; use fewer variants",
             name, MOST_OWN);
    settings[setting_count] = (Setting){
        .name = interned(name),
        .role = OF_SHAPE, /* a variant's setting has the role of a width: other
                             variants do not use it */
        .kind = OWN,
        .min = -OWN_MOST,
        .max = OWN_MOST,
        .help =
            "a setting of the variant: `qkv list --columns variant,settings`"};
    return &settings[setting_count++];
}

/* c's value of a setting that a variant declares; NaN if c's variant declares
   none of this name. */
static double
own_value(const Config *c, const char *name)
{
    OwnSetting own;
    for (const char *at = c->settings; next_own_setting(&at, &own);)
        if (!strcmp(own.name, name))
            return own.value;
    return NAN;
}

/* The address of a built-in setting's value in c. The caller may write to it
   only if it could write to c. */
static void *
value_at(const Setting *s, const Config *c)
{
    return (char *)c + s->offset;
}

void
config_intern(Config *c)
{
    for (const Setting *s = settings; s < settings + BUILT_IN; s++)
        if (s->kind & WORDED) {
            const char **text = value_at(s, c);
            *text = interned(*text ? *text : "");
        }
}

/* Returns whether a setting can change the result of a run by itself. The path
   of a file cannot, but its bytes can (file-hash). The equation and the bytes
   of a plugin do not count here, because they are compared separately. */
static bool
can_change_result(const Setting *s)
{
    return s->offset != offsetof(Config, file) &&
           s->offset != offsetof(Config, equation) &&
           s->offset != offsetof(Config, plugin_hash);
}

bool
setting_equal(const Setting *s, const Config *a, const Config *b)
{
    return !strcmp(setting_text(s, a), setting_text(s, b));
}

bool
config_equal(const Config *a, const Config *b, int roles)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->role & roles && !setting_equal(s, a, b))
            return false;
    return true;
}

const char *
differing_setting(const Config *a, const Config *b, const char *except)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (can_change_result(s) && index_in(except, s->name) < 0 &&
            !setting_equal(s, a, b))
            return s->name;
    return NULL;
}

bool
setting_unused(const Setting *s, const Config *c)
{
    if (s->users) { /* the names of tasks or of optimizers */
        const char *kind = s->role == OF_DATA ? "task" : "optimizer";
        const char *user = setting_text(setting_named(kind), c);
        return index_in(s->users, user) < 0;
    }
    if (s->kind == OWN)
        return isnan(own_value(c, s->name));
    /* config_resolve has set shape options that are not used to 0. */
    return s->role == OF_SHAPE && *(const int *)value_at(s, c) == 0;
}

/* Stores the interned text in *to. Returns NULL, or why the text cannot be a
   value. */
static const char *
set_word(const char **to, const char *text)
{
    if (strlen(text) >= WORD_SIZE)
        return format_text("its value is too long: use at most %d bytes",
                           WORD_SIZE - 1);
    if (!is_text(text))
        return "its value has a control character or is not UTF-8";
    *to = interned(text);
    return NULL;
}

/* Sets a setting that a variant declares. Puts its new value before all others,
   because own_value reads the first value of a name. Returns NULL, or why the
   text is not a value of the setting. */
static const char *
set_own(const Setting *s, Config *c, const char *text)
{
    char value[NUMBER_SIZE];
    double x;
    const char *why = number_read(text, ANY_NUMBER, s->min, s->max, &x);
    if (why)
        return why;
    shortest_number(x, value);
    c->settings =
        interned(format_text("%s=%s %s", s->name, value, c->settings));
    return NULL;
}

/* Sets all settings that c's variant declares, from the value of `settings` in
   a run's config.tsv: "window=8 base=10000". Adds these settings to the table.
   Returns NULL, or why the text is not such a list. */
static const char *
set_own_list(Config *c, const char *text)
{
    OwnSetting own;
    for (const char *at = text; next_own_setting(&at, &own);)
        if (isnan(own.value) || !setting_declare(own.name))
            return "its value is not a list of NAME=NUMBER";
    return set_word(&c->settings, text);
}

const char *
value_read(const Setting *s, void *at, const char *text)
{
    const char *why = NULL;
    double x;
    int choice;
    char *end;
    switch (s->kind) {
    case INTEGER:
        why = number_read(text, WHOLE_NUMBER, s->min, s->max, &x);
        if (!why)
            *(int *)at = (int)x;
        return why;
    case NUMBER:
        why = number_read(text, ANY_NUMBER, s->min, s->max, &x);
        if (!why)
            *(double *)at = x;
        return why;
    case CHOICE:
        choice = index_in(s->choices, text);
        if (choice < 0)
            return not_one_of(text, s->choices);
        *(int *)at = choice;
        return NULL;
    case HASH:
        *(uint64_t *)at = strtoull(text, &end, 16);
        return *text && !*end ? NULL : "not a hexadecimal number";
    default: /* the other kinds are texts */
        return set_word(at, text);
    }
}

const char *
setting_set(const Setting *s, Config *c, const char *text)
{
    if (s->kind == OWN)
        return set_own(s, c, text);
    if (s->kind == OWN_LIST)
        return set_own_list(c, text);
    return value_read(s, value_at(s, c), text);
}

/* The word at an index of a list such as "none learned rope". */
static const char *
word_at(const char *list, int index)
{
    for (int i = 0; i < index; i++)
        list += strcspn(list, " ") + strlen(" ");
    return format_text("%.*s", (int)strcspn(list, " "), list);
}

const char *
setting_text(const Setting *s, const Config *c)
{
    char text[NUMBER_SIZE];
    const void *at = value_at(s, c);
    switch (s->kind) {
    case INTEGER:
        snprintf(text, sizeof text, "%d", *(const int *)at);
        break;
    case NUMBER:
        shortest_number(*(const double *)at, text);
        break;
    case OWN:
        shortest_number(own_value(c, s->name), text);
        break;
    case HASH:
        snprintf(text, sizeof text, "%016llx",
                 (unsigned long long)*(const uint64_t *)at);
        break;
    case CHOICE:
        return interned(word_at(s->choices, *(const int *)at));
    default: /* the other kinds are texts, which are interned */
        return *(const char *const *)at;
    }
    return interned(text);
}

void
config_apply(Config *c, const char *assignments)
{
    char *rest = copy_text(assignments);
    for (char *name = strtok(rest, " "); name; name = strtok(NULL, " ")) {
        char *equals = strchr(name, '=');
        if (equals)
            *equals = 0; /* ends the name; the value follows */
        const Setting *s = equals ? setting_named(name) : NULL;
        if (!s || setting_set(s, c, equals + 1))
            bug("config_apply: %s is not a setting, or its value in \"%s\" is "
                "wrong",
                name, assignments);
    }
    free(rest);
}

/* The default of a width: whole / parts, for example d-model / heads. */
typedef struct Default {
    const char *in_words; /* "d-model / heads" */
    int whole, parts;
} Default;

/* Sets *width, the value of the setting `option`, to `resolved`, which
   attention_of has made from it, or from its default if it is 0. If the
   variant's shape lacks the option, sets it to 0 instead. Exits if the default
   is needed, and is not an integer. */
static void
resolve_width(int *width, const char *shape, const char *option, int resolved,
              Default usual)
{
    bool used = index_in(shape, option) >= 0;
    if (used && !*width && usual.whole % usual.parts)
        usage("%s: its default, %s = %d / %d, is not an integer; set %s, or "
              "choose numbers that divide evenly",
              option, usual.in_words, usual.whole, usual.parts, option);
    *width = used ? resolved : 0;
}

/* Sets the number of heads and all widths to the values that the variant gets,
   or to 0 if it does not use them. */
static void
resolve_widths(Config *c, const char *shape)
{
    bool uses_heads = index_in(shape, "heads") >= 0;
    if (uses_heads && c->heads < 1)
        usage("heads %d: attention needs at least one head", c->heads);
    if (!uses_heads)
        c->heads = 0;
    Attention a = attention_of(c, shape);
    int d = c->d_model, heads = a.heads; /* 1 if `shape` lacks heads */
    Default per_head = {"d-model / heads", .whole = d, .parts = heads};
    /* Of 1 head or column the default is 1, not 1 / 2. */
    Default half_heads = {"heads / 2", heads, .parts = heads > 1 ? 2 : 1};
    Default half_width = {"d-model / 2", d, .parts = d > 1 ? 2 : 1};
    resolve_width(&c->d_k, shape, "d-k", a.d_k, per_head);
    resolve_width(&c->d_v, shape, "d-v", a.d_v, per_head);
    resolve_width(&c->kv_heads, shape, "kv-heads", a.kv_heads, half_heads);
    resolve_width(&c->latent, shape, "latent", a.latent, half_width);
    if (c->kv_heads && heads % c->kv_heads)
        usage("kv-heads %d: it must divide heads, which is %d", c->kv_heads,
              heads);
}

/* The value of Config.settings, such as "window=8 base=10000": the settings
   that a variant declares in `uses` (variant_uses), each with c's value, or
   with its default if c has none. */
static const char *
own_settings(const Config *c, const char *uses)
{
    OwnSetting own;
    char *text = "", value[NUMBER_SIZE];
    for (const char *at = uses; next_own_setting(&at, &own);) {
        double given = own_value(c, own.name);
        setting_declare(own.name);
        shortest_number(isnan(given) ? own.value : given, value);
        text =
            format_text("%s%s%s=%s", text, *text ? " " : "", own.name, value);
    }
    return interned(text);
}

/* Exits if the positions rope or alibi contradict the other settings. */
static void
check_positions(const Config *c)
{
    if (c->positions == POSITIONS_ROPE && c->d_k % 2)
        usage("d-k %d: positions rope rotates pairs of columns; choose an even "
              "d-k",
              c->d_k);
    bool in_scores =
        c->positions == POSITIONS_ROPE || c->positions == POSITIONS_ALIBI;
    if (in_scores && c->cross == CROSS_ONLY && !c->encoder)
        usage("positions %s: it needs self-attention, and a model whose cross "
              "is \"only\" has none; set positions to none or learned, or "
              "encoder to 1",
              c->positions == POSITIONS_ROPE ? "rope" : "alibi");
}

void
config_resolve(Config *c, const char *uses)
{
    resolve_widths(c, uses);
    c->settings = own_settings(c, uses);
    /* No matrix has more than this many columns for each head. matrix_entries
       exits if an int cannot count the columns of all heads. */
    int columns_of_head = c->d_model + 2 * c->d_k + c->d_v + c->latent;
    matrix_entries(c->heads, columns_of_head);
    check_positions(c);
}

/* Only built-in settings are hashed, since `settings` is one of them and has
   the values of all declared settings. Of a plugin only the name is hashed,
   because its path may differ. A text is hashed with the 0 at its end, so that
   different lists of texts never have the same bytes. */
void
config_digest(const Config *c, char digest[DIGEST_SIZE])
{
    uint64_t hash = HASH_START;
    for (const Setting *s = settings; s < settings + BUILT_IN; s++) {
        const char *value = setting_text(s, c);
        if (!can_change_result(s))
            continue;
        if (s->kind == PLUGIN && *value)
            value = plugin_name(value);
        hash = hash_bytes(hash, s->name, strlen(s->name) + 1);
        hash = hash_bytes(hash, value, strlen(value) + 1);
    }
    uint32_t folded = (uint32_t)(hash >> 32 ^ hash); /* 64 bits to 32 */
    snprintf(digest, DIGEST_SIZE, "%08" PRIx32, folded);
}
