/* settings.c - every setting of a run, in one table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/real.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/fail.h"

#define MOST      1e6
#define AT(field) offsetof(Config, field)
#define PLACE(i)                                                              \
    {                                                                         \
        NULL, OF_SHAPE, OWN, AT(own[i]), -OWN_MOST, OWN_MOST, NULL,           \
            "a setting of the variant: `qkv list --columns variant,settings`" \
    }

/* clang-format off */
Setting settings[] = {
    /* Name, role, kind, where, least, most, choices, help. A run is named by a hash
       of them all. */
    {"variant", OF_VARIANT, PLUGIN, AT(variant), 0, 0, NULL, "the variant of attention, a name or the path of a .c or .so"},
    {"task", OF_DATA, WORD, AT(task), 0, 0, NULL, "what is learned; `qkv list --tasks` describes them"},
    {"seed", OF_SEED, INTEGER, AT(seed), 0, 2147483647, NULL, "seed of every random stream: data, initialisation, test"},

    {"length", OF_DATA, INTEGER, AT(length), 1, MOST, NULL, "the task's n: tokens, pairs or characters in a sequence"},
    {"symbols", OF_DATA, INTEGER, AT(symbols), 1, MOST, NULL, "different digits, keys or tokens"},
    {"values", OF_DATA, INTEGER, AT(values), 1, MOST, NULL, "different values, in recall and mqar"},
    {"queries", OF_DATA, INTEGER, AT(queries), 0, MOST, NULL, "number of queries in cross-recall; 0: as many as keys"},
    {"members", OF_DATA, INTEGER, AT(members), 1, MOST, NULL, "tokens that each answer of subset adds up"},
    {"file", OF_DATA, WORD, AT(file), 0, 0, NULL, "file of the task text"},

    {"d-model", OF_MODEL, INTEGER, AT(d_model), 1, MOST, NULL, "width of a token"},
    {"heads", OF_SHAPE, INTEGER, AT(heads), 0, MOST, NULL, "heads of attention"},
    {"d-k", OF_SHAPE, INTEGER, AT(d_k), 0, MOST, NULL, "width of a query or key per head; 0: d-model / heads"},
    {"d-v", OF_SHAPE, INTEGER, AT(d_v), 0, MOST, NULL, "width of a value per head; 0: d-model / heads"},
    {"kv-heads", OF_SHAPE, INTEGER, AT(kv_heads), 0, MOST, NULL, "heads of keys and values in gqa; 0: heads / 2"},
    {"latent", OF_SHAPE, INTEGER, AT(latent), 0, MOST, NULL, "width of the middle in mla; 0: d-model / 2"},
    {"layers", OF_MODEL, INTEGER, AT(layers), 1, 1000, NULL, "number of blocks"},
    {"encoder", OF_SECOND, INTEGER, AT(encoder), 0, 1000, NULL, "blocks that read the second sequence of cross-recall and translate"},
    {"cross", OF_SECOND, CHOICE, AT(cross), 0, 0, "none only after", "attention to the second sequence: only that, or after self-attention"},
    {"mlp", OF_MODEL, INTEGER, AT(mlp), 0, 1000, NULL, "hidden width of the MLP, times d-model; 0: no MLP"},
    {"norm", OF_MODEL, CHOICE, AT(norm), 0, 0, "none pre", "LayerNorm before each part of a block and at the end"},
    {"embed", OF_MODEL, CHOICE, AT(embed), 0, 0, "learned onehot", "onehot: one-hot tokens and positions go straight into the projections"},
    {"positions", OF_MODEL, CHOICE, AT(positions), 0, 0, "none learned rope alibi", "how positions enter: vectors added to tokens or, in self-attention, rotated q and k (rope) or biased scores (alibi)"},
    {"residual", OF_MODEL, CHOICE, AT(residual), 0, 0, "no yes", "x + attention(x), or only attention(x)"},
    {"mask", OF_MODEL, CHOICE, AT(mask), 0, 0, "none causal", "causal: no token sees a later one"},

    {"init", OF_START, WORD, AT(init), 0, 0, NULL, "factors on initial weights: W_Q=0.1+W_K=0.1"},
    {"same-start", OF_START, LIKENESS, AT(same_start), 0, 0, NULL, "initialise as the same function as this variant"},
    {"batch", OF_TRAINING, INTEGER, AT(batch), 1, MOST, NULL, "sequences per step"},
    {"steps", OF_TRAINING, INTEGER, AT(steps), 0, 1e9, NULL, "training steps; 0: measure only the initial model"},
    {"optimizer", OF_TRAINING, CHOICE, AT(optimizer), 0, 0, "adam adamw sgd muon", "adamw: weight decay separate from the gradient; muon: matrices of attention take orthogonal steps"},
    {"lr", OF_TRAINING, NUMBER, AT(lr), 0, 1e6, NULL, "learning rate"},
    {"schedule", OF_TRAINING, CHOICE, AT(schedule), 0, 0, "constant cosine", "schedule of the learning rate; cosine falls to 0"},
    {"warmup", OF_TRAINING, INTEGER, AT(warmup), 0, 1e9, NULL, "steps over which the rate first rises linearly"},
    {"weight-decay", OF_TRAINING, NUMBER, AT(weight_decay), 0, 1e6, NULL, "pull of every weight to 0"},
    {"momentum", OF_TRAINING, NUMBER, AT(momentum), 0, 0.999999, NULL, "momentum of sgd"},
    {"beta1", OF_TRAINING, NUMBER, AT(beta1), 0, 0.999999, NULL, "decay of adam's mean of gradients"},
    {"beta2", OF_TRAINING, NUMBER, AT(beta2), 0, 0.999999999, NULL, "decay of adam's mean of squared gradients"},

    {"log-every", OF_OBSERVATION, INTEGER, AT(log_every), 1, 1e9, NULL, "steps between lines of log.tsv"},
    {"log", OF_OBSERVATION, WORD, AT(log), 0, 0, NULL, "also log attention, scores, gradients, rank or distance; join several with +"},
    {"validate", OF_OBSERVATION, INTEGER, AT(validate), 1, MOST, NULL, "validation sequences per line (for text: at most)"},
    {"test", OF_OBSERVATION, INTEGER, AT(test), 1, 1e9, NULL, "test sequences at the end (for text: at most)"},
    {"threshold", OF_OBSERVATION, NUMBER, AT(threshold), 0, 1, NULL, "accuracy that counts as solved"},

    {"from", OF_RECORD, WORD, AT(from), 0, 0, NULL, NULL},
    {"precision", OF_RECORD, CHOICE, AT(precision), 0, 0, "float double", NULL},
    {"plugin-hash", OF_RECORD, HASH, AT(plugin_hash), 0, 0, NULL, NULL},
    {"file-hash", OF_RECORD, HASH, AT(file_hash), 0, 0, NULL, NULL},

    /* places for those that variants declare */
    PLACE(0), PLACE(1), PLACE(2), PLACE(3), PLACE(4), PLACE(5), PLACE(6), PLACE(7),
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
    const Setting *known = setting_named(name);
    if (known || !is_own_name(name))
        return known;
    if (setting_count == PLACES)
        fail("%s: variants have more than %d settings of their own, the most "
             "that one command takes",
             name, MOST_OWN);
    settings[setting_count].name = interned(name);
    return &settings[setting_count++];
}

const Setting *
setting_in_order(int i)
{
    const Setting *s = settings + (i < BUILT_IN ? i : BUILT_IN);
    for (int before = -1; i >= BUILT_IN && before != i; s += before != i) {
        before = BUILT_IN;
        for (int k = BUILT_IN; k < setting_count; k++)
            before += strcmp(settings[k].name, s->name) < 0;
    }
    return s;
}

static void
clear_own(Config *c)
{
    for (int i = 0; i < MOST_OWN; i++)
        c->own[i] = NAN;
}

/* Where c has its value. */
static void *
value_at(const Setting *s, const Config *c)
{
    return (char *)c + s->offset;
}

/* Words are interned: equal ones are one pointer. */
static size_t
size_of(const Setting *s)
{
    return s->kind & WORDED               ? sizeof(char *)
           : s->kind & (INTEGER | CHOICE) ? sizeof(int)
                                          : sizeof(double);
}

bool
setting_equal(const Setting *s, const Config *a, const Config *b)
{
    return !memcmp(value_at(s, a), value_at(s, b), size_of(s));
}

bool
config_equal(const Config *a, const Config *b, int roles)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->role & roles && !setting_equal(s, a, b))
            return false;
    return true;
}

bool
setting_unused(const Setting *s, const Config *c)
{
    const void *at = value_at(s, c);
    return s->kind == OWN ? isnan(*(const double *)at)
                          : s->role == OF_SHAPE && !*(const int *)at;
}

static const char *
set_choice(int *to, const char *choices, const char *text)
{
    static char why[256];
    int i = index_in(choices, text);
    snprintf(why, sizeof why, "\"%.64s\" is not one of: %s", text, choices);
    if (i >= 0)
        *to = i;
    return i < 0 ? why : NULL;
}

/* Applies "name=value name=value ...", settings of these roles. `written` by
   this program it may name settings of variants' own. */
static const char *
assign(Config *c, const char *assignments, int roles, bool written)
{
    static char why[512];
    char name[64], value[64];
    for (int n; *(assignments += strspn(assignments, " ")); assignments += n) {
        if (sscanf(assignments, "%63[^=]=%63s%n", name, value, &n) != 2)
            return "not NAME=VALUE";
        const Setting *s =
            written ? setting_declare(name) : setting_named(name);
        const char *wrong = !s                ? "there is no such setting"
                            : s->role & roles ? setting_set(s, c, value)
                                              : "no shape option";
        snprintf(why, sizeof why, "%s: %.256s", name, wrong ? wrong : "");
        if (wrong)
            return why;
    }
    return NULL;
}

/* Reads "standard+d-k=2", or with what was found "auto:standard+heads=4". */
static const char *
set_likeness(Likeness *to, const char *text)
{
    char word[WORD_SIZE];
    int n = (int)strcspn(text, ":");
    snprintf(word, sizeof word, "%.*s", n, text);
    *to = (Likeness){.asked = interned(word), .found = text[n]};
    clear_own(&to->as);
    const char *why = NULL;
    if (to->found)
        snprintf(word, sizeof word, "%s", text + n + 1);
    char *options = word + strcspn(word, "+");
    if (options == word && *options)
        why = "no variant before the +";
    for (char *at = options; *at; at++)
        *at = *at == '+' ? ' ' : *at;
    if (!why)
        why = assign(&to->as, options, OF_SHAPE, to->found);
    *options = 0;
    to->as.variant = interned(word);
    return why;
}

Likeness
likeness_of(const char *word)
{
    Likeness l;
    set_likeness(&l, word);
    return l;
}

/* Adds "name=value" to a text for each setting that c's variant uses of its
   shape, or only of its own. */
static void
add_shape(char **text, const char *between, bool own, const Config *c)
{
    for (int i = own ? BUILT_IN : 0; i < setting_count; i++) {
        char value[VALUE_SIZE];
        const Setting *s = setting_in_order(i);
        if (s->role != OF_SHAPE || setting_unused(s, c))
            continue;
        setting_print(s, c, value);
        replace(text, format_text("%s%s%s=%s", *text, **text ? between : "",
                                  s->name, value));
    }
}

const char *
likeness_word(const Likeness *l)
{
    if (!l->found)
        return l->asked;
    char *text = format_text("%s:%s", l->asked, l->as.variant);
    add_shape(&text, "+", false, &l->as);
    const char *word = interned(text);
    free(text);
    return word;
}

const char *
config_own(const Config *c)
{
    char *text = copy_text("");
    add_shape(&text, " ", true, c);
    const char *own = interned(text);
    free(text);
    return own;
}

static const char *
set_word(const Setting *s, const char **to, const char *text)
{
    Likeness l;
    if (strlen(text) >= WORD_SIZE || !is_text(text))
        return "too long, or it has a control character or bytes that are no "
               "UTF-8";
    const char *why = s->kind == LIKENESS ? set_likeness(&l, text) : NULL;
    *to = why ? *to : s->kind == LIKENESS ? likeness_word(&l) : interned(text);
    return why;
}

const char *
setting_set(const Setting *s, Config *c, const char *text)
{
    void *at = value_at(s, c);
    const char *why = NULL;
    double x;
    char *end;
    switch (s->kind) {
    case INTEGER:
    case NUMBER:
    case OWN:
        why = number_read(text, s->kind == INTEGER, s->min, s->max, &x);
        if (!why && s->kind == INTEGER)
            *(int *)at = (int)x;
        else if (!why)
            *(double *)at = x;
        return why;
    case CHOICE:
        return set_choice(at, s->choices, text);
    case HASH:
        *(uint64_t *)at = strtoull(text, &end, 16);
        return *text && !*end ? NULL : "not a hexadecimal number";
    default:
        return set_word(s, at, text);
    }
}

/* The fewest digits that read back as x. */
static void
print_double(double x, char text[VALUE_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, VALUE_SIZE, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}

void
setting_print(const Setting *s, const Config *c, char text[VALUE_SIZE])
{
    const void *at = value_at(s, c);
    const char *choices = s->choices;
    switch (s->kind) {
    case INTEGER:
        snprintf(text, VALUE_SIZE, "%d", *(const int *)at);
        break;
    case NUMBER:
    case OWN:
        print_double(*(const double *)at, text);
        break;
    case HASH:
        snprintf(text, VALUE_SIZE, "%016llx",
                 (unsigned long long)*(const uint64_t *)at);
        break;
    case CHOICE:
        for (int i = *(const int *)at; i > 0; i--)
            choices += strcspn(choices, " ") + 1;
        snprintf(text, VALUE_SIZE, "%.*s", (int)strcspn(choices, " "), choices);
        break;
    default:
        snprintf(text, VALUE_SIZE, "%s", *(const char *const *)at);
    }
}

void
config_shape(Config *c, const Config *from, bool all)
{
    c->variant = from->variant;
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->role == OF_SHAPE && (all || !setting_unused(s, from)))
            memcpy(value_at(s, c), value_at(s, from), size_of(s));
}

void
config_complete(Config *c)
{
    clear_own(c);
    for (const Setting *s = settings; s < settings + BUILT_IN; s++) {
        const char **word = value_at(s, c);
        if (s->kind & WORDED)
            *word = interned(*word ? *word : "");
    }
    c->precision = sizeof(real) == sizeof(double);
}

void
config_apply(Config *c, const char *assignments)
{
    const char *why = assign(c, assignments, OF_ANY, false);
    if (why)
        bug("config: \"%s\" cannot be set: %s", assignments, why);
}

/* plugin-hash is checked apart, and file by file-hash. */
void
config_digest(const Config *c, char digest[9])
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < setting_count; i++) {
        char value[VALUE_SIZE];
        const Setting *s = setting_in_order(i);
        if (s->offset == AT(plugin_hash) || s->offset == AT(file) ||
            (s->kind == OWN && setting_unused(s, c)))
            continue;
        setting_print(s, c, value);
        if (s->kind == PLUGIN)
            plugin_name(interned(value), value);
        hash = hash_bytes(hash, s->name, strlen(s->name) + 1);
        hash = hash_bytes(hash, value, strlen(value) + 1);
    }
    snprintf(digest, 9, "%08llx",
             (unsigned long long)(hash >> 32 ^ hash) & 0xffffffffULL);
}
