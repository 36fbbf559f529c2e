/* config.c - every setting of a run, in one table. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/random.h"
#include "variant/plugin.h"
#include "task/config.h"

#ifdef QKV_DOUBLE
#define PRECISION "double"
#else
#define PRECISION "float"
#endif
#define MOST      1e6
#define AT(field) offsetof(Config, field)

/* clang-format off */
const Setting settings[] = {
    /* name, role, kind, where, least, most, choices, start, help */
    {"variant", OF_VARIANT, WORD, AT(variant), 0, 0, NULL, "standard", "the variant of attention, a name or the path of a .so"},
    {"task", OF_DATA, WORD, AT(task), 0, 0, NULL, "reverse", "what is learned; `qkv list --tasks` describes them"},
    {"seed", OF_SEED, INTEGER, AT(seed), 0, 2147483647, NULL, "1", "of every random stream: data, start, test"},

    {"length", OF_DATA, INTEGER, AT(length), 1, MOST, NULL, "16", "the task's n: tokens, pairs or characters in a sequence"},
    {"symbols", OF_DATA, INTEGER, AT(symbols), 1, MOST, NULL, "10", "different digits, keys or tokens"},
    {"values", OF_DATA, INTEGER, AT(values), 1, MOST, NULL, "16", "different values, in recall and mqar"},
    {"queries", OF_DATA, INTEGER, AT(queries), 0, MOST, NULL, "0", "queries, in cross-recall; 0: as many as there are keys"},
    {"members", OF_DATA, INTEGER, AT(members), 1, MOST, NULL, "4", "tokens that an answer of subset is the sum of"},
    {"depth", OF_DATA, INTEGER, AT(depth), 0, 100, NULL, "0", "matrices whose product linear trains"},
    {"spectrum", OF_DATA, WORD, AT(spectrum), 0, 0, NULL, "", "singular values that it must get, as many as length says, with + between; unless given 4, 2, 1, 1/2 ..."},
    {"loss", OF_DATA, CHOICE, AT(power), 0, 0, "l2 l4", "l2", "of linear: squares or fourth powers of the errors"},
    {"file", OF_DATA, WORD, AT(file), 0, 0, NULL, "", "the text of the task text, the table of pairs"},
    {"characters", OF_DATA, CHOICE, AT(characters), 0, 0, "utf8 bytes", "utf8", "how the text is cut into tokens"},

    {"d-model", OF_MODEL, INTEGER, AT(d_model), 1, MOST, NULL, "32", "width of a token"},
    {"heads", OF_SHAPE, INTEGER, AT(heads), 0, MOST, NULL, "4", "heads of attention"},
    {"d-k", OF_SHAPE, INTEGER, AT(d_k), 0, MOST, NULL, "0", "width of a query or key per head; 0: d-model / heads"},
    {"d-v", OF_SHAPE, INTEGER, AT(d_v), 0, MOST, NULL, "0", "width of a value per head; 0: d-model / heads"},
    {"kv-heads", OF_SHAPE, INTEGER, AT(kv_heads), 0, MOST, NULL, "0", "heads of keys and values in gqa; 0: heads / 2"},
    {"latent", OF_SHAPE, INTEGER, AT(latent), 0, MOST, NULL, "0", "width of the middle in mla; 0: d-model / 2"},
    {"layers", OF_MODEL, INTEGER, AT(layers), 1, 1000, NULL, "1", "blocks, one above the other"},
    {"encoder", OF_SECOND, INTEGER, AT(encoder), 0, 1000, NULL, "0", "blocks that read the second sequence of cross-recall and translate"},
    {"cross", OF_SECOND, CHOICE, AT(cross), 0, 0, "none only after", "none", "attention to the second sequence: instead of self-attention, or after it"},
    {"encoder-variant", OF_SECOND, WORD, AT(encoder_variant), 0, 0, NULL, "", "the variant in the encoder's blocks, where it is another one"},
    {"cross-variant", OF_SECOND, WORD, AT(cross_variant), 0, 0, NULL, "", "the variant of attention to the second sequence, where it is another one"},
    {"mlp", OF_MODEL, INTEGER, AT(mlp), 0, 1000, NULL, "0", "hidden width of the MLP, times d-model; 0: no MLP"},
    {"norm", OF_MODEL, CHOICE, AT(norm), 0, 0, "none pre", "none", "LayerNorm before each part of a block and at the end"},
    {"embed", OF_MODEL, CHOICE, AT(embed), 0, 0, "learned onehot", "learned", "onehot: tokens and positions go straight into the projections, as wide as there are of them"},
    {"positions", OF_MODEL, CHOICE, AT(positions), 0, 0, "none learned sinusoidal", "learned", "what tells a token where it stands"},
    {"residual", OF_MODEL, CHOICE, AT(residual), 0, 0, "no yes", "yes", "x + attention(x), or attention(x) alone"},
    {"mask", OF_MODEL, CHOICE, AT(mask), 0, 0, "none causal", "none", "causal: no token sees a later one"},

    {"init", OF_START, WORD, AT(init), 0, 0, NULL, "", "factors of what weights start as: W_Q=0.1+W_K=0.1"},
    {"same-start", OF_START, LIKENESS, AT(same_start), 0, 0, NULL, "", "start as the same function as that variant does (compare: auto chooses it)"},
    {"match", OF_START, LIKENESS, AT(match), 0, 0, "params flops cache", "", "change widths to meet the baseline's budget"},
    {"batch", OF_TRAINING, INTEGER, AT(batch), 1, MOST, NULL, "32", "sequences in a step"},
    {"steps", OF_TRAINING, INTEGER, AT(steps), 0, 1e9, NULL, "300", "training steps; 0: measure the start only"},
    {"optimizer", OF_TRAINING, CHOICE, AT(optimizer), 0, 0, "sgd adam adamw", "adam", "adamw: weight decay apart from the gradient"},
    {"lr", OF_TRAINING, NUMBER, AT(lr), 0, 1e6, NULL, "0.003", "learning rate"},
    {"schedule", OF_TRAINING, CHOICE, AT(schedule), 0, 0, "constant cosine", "constant", "of the learning rate; cosine goes to 0"},
    {"warmup", OF_TRAINING, INTEGER, AT(warmup), 0, 1e9, NULL, "0", "steps in which the rate first rises linearly"},
    {"weight-decay", OF_TRAINING, NUMBER, AT(weight_decay), 0, 1e6, NULL, "0", "pull of every weight to 0"},
    {"momentum", OF_TRAINING, NUMBER, AT(momentum), 0, 0.999999, NULL, "0", "of sgd"},
    {"beta1", OF_TRAINING, NUMBER, AT(beta1), 0, 0.999999, NULL, "0.9", "of adam: memory of the gradient"},
    {"beta2", OF_TRAINING, NUMBER, AT(beta2), 0, 0.999999999, NULL, "0.999", "of adam: memory of its square"},

    {"log-every", OF_OBSERVATION, INTEGER, AT(log_every), 1, 1e9, NULL, "10", "steps from one line of log.tsv to the next"},
    {"log", OF_OBSERVATION, WORD, AT(log), 0, 0, NULL, "", "log more: attention scores gradients rank distance, several with +"},
    {"validate", OF_OBSERVATION, INTEGER, AT(validate), 1, MOST, NULL, "64", "validation sequences per line (text: the most)"},
    {"test", OF_OBSERVATION, INTEGER, AT(test), 1, 1e9, NULL, "1024", "test sequences at the end (text: the most)"},
    {"patience", OF_TRAINING, INTEGER, AT(patience), 0, 1e9, NULL, "0", "stop after so many lines of log.tsv without a lower validation loss; 0: never"},
    {"threshold", OF_OBSERVATION, NUMBER, AT(threshold), 0, 1, NULL, "0.99", "accuracy that counts as solved"},

    {"from", OF_RECORD, WORD, AT(from), 0, 0, NULL, "", NULL},
    {"precision", OF_RECORD, CHOICE, AT(precision), 0, 0, "float double", PRECISION, NULL},
    {"plugin-hash", OF_RECORD, HASH, AT(plugin_hash), 0, 0, NULL, "0", NULL},
    {"file-hash", OF_RECORD, HASH, AT(file_hash), 0, 0, NULL, "0", NULL},
};
/* clang-format on */
const int setting_count = sizeof settings / sizeof *settings;

const Setting *
setting_named(const char *name)
{
    for (int i = 0; i < setting_count; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    return NULL;
}

/* The shape option at that place of SHAPE_OPTIONS. */
static const Setting *
shape_option(int place)
{
    const Setting *s = settings;
    while (s->role != OF_SHAPE || index_in(SHAPE_OPTIONS, s->name) != place)
        s++;
    return s;
}

static int *
shape_at(const Setting *s, Config *c)
{
    return (int *)((char *)c + s->offset);
}

static size_t
size_of(const Setting *s)
{
    static const size_t sizes[] = {
        [WORD] = sizeof(char *), /* interned: equal words are one pointer */
        [INTEGER] = sizeof(int),      [NUMBER] = sizeof(double),
        [CHOICE] = sizeof(int),       [HASH] = sizeof(uint64_t),
        [LIKENESS] = sizeof(Likeness)};
    return sizes[s->kind];
}

bool
setting_equal(const Setting *s, const Config *a, const Config *b)
{
    const void *x = (const char *)a + s->offset;
    const void *y = (const char *)b + s->offset;
    const Likeness *p = x, *q = y;
    if (s->kind != LIKENESS)
        return !memcmp(x, y, size_of(s));
    return p->asked == q->asked && p->found == q->found &&
           p->as.variant == q->as.variant &&
           !memcmp(p->as.shape, q->as.shape, sizeof p->as.shape);
}

bool
config_equal(const Config *a, const Config *b, int roles)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->role & roles && !setting_equal(s, a, b))
            return false;
    return true;
}

void
config_copy(Config *to, const Config *from, int roles)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->role & roles)
            memcpy((char *)to + s->offset, (const char *)from + s->offset,
                   size_of(s));
}

bool
setting_plugin(const Setting *s)
{
    return s->offset == AT(variant) || s->offset == AT(encoder_variant) ||
           s->offset == AT(cross_variant);
}

bool
setting_numeric(const Setting *s)
{
    return s->kind == INTEGER || s->kind == NUMBER;
}

bool
setting_worded(const Setting *s)
{
    return s->kind == WORD || s->kind == LIKENESS;
}

bool
setting_unused(const Setting *s, const Config *c)
{
    return s->role == OF_SHAPE &&
           *(const int *)((const char *)c + s->offset) == 0;
}

bool
setting_matched(const Setting *s, const Config *c)
{
    const char *whose = c->match.as.variant;
    return *whose && strcmp(c->variant, whose) &&
           (s->offset == AT(d_k) || s->offset == AT(d_v) ||
            s->offset == AT(latent));
}

bool
setting_follows(const Setting *s, const Config *c)
{
    return s->offset == AT(d_k)        ? c->d_k * c->heads == c->d_model
           : s->offset == AT(d_v)      ? c->d_v * c->heads == c->d_model
           : s->offset == AT(kv_heads) ? 2 * c->kv_heads == c->heads
           : s->offset == AT(latent)   ? 2 * c->latent == c->d_model
                                       : false;
}

static const char *
set_number(const Setting *s, void *at, const char *text)
{
    static char why[256];
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    bool whole = s->kind == INTEGER;
    if (errno == ERANGE && fabs(x) < 1)
        snprintf(why, sizeof why, "%.64s is nearer to 0 than numbers go", text);
    else if (end == text || *end || isspace((unsigned char)*text) || isnan(x))
        snprintf(why, sizeof why, "\"%.64s\" is not a number", text);
    else if (whole && x != floor(x))
        snprintf(why, sizeof why, "%.64s is not a whole number", text);
    else if (x < s->min || x > s->max)
        snprintf(why, sizeof why, "%.64s is not within %.10g and %.10g", text,
                 s->min, s->max);
    else {
        if (whole)
            *(int *)at = (int)x;
        else
            *(double *)at = x + 0.; /* -0 becomes 0 */
        return NULL;
    }
    return why;
}

static const char *
set_choice(int *to, const char *choices, const char *text)
{
    static char why[256];
    int i = index_in(choices, text);
    snprintf(why, sizeof why, "\"%.64s\" is none of: %s", text, choices);
    if (i >= 0)
        *to = i;
    return i < 0 ? why : NULL;
}

static const char *assign(Config *c, const char *assignments, int roles);

static const char *
set_shaped(Shaped *to, const char *text)
{
    char word[WORD_SIZE];
    Config c = {0};
    snprintf(word, sizeof word, "%s", text);
    char *options = word + strcspn(word, "+");
    for (char *at = options; *at; at++)
        *at = *at == '+' ? ' ' : *at;
    const char *why = assign(&c, options, OF_SHAPE);
    *options = 0;
    c.variant = interned(word);
    *to = shaped_of(&c);
    return why ? why : !*word && *text ? "no variant before the +" : NULL;
}

static const char *
set_likeness(Likeness *to, const char *text, const char *choices)
{
    char asked[WORD_SIZE];
    int ignored;
    size_t n = strcspn(text, ":");
    snprintf(asked, sizeof asked, "%.*s", (int)n, text);
    to->asked = interned(asked);
    to->found = text[n];
    const char *why =
        choices && *text ? set_choice(&ignored, choices, asked) : NULL;
    if (to->found && !n)
        why = "there is nothing before the colon";
    text = to->found ? text + n + 1 : choices ? "" : asked;
    return why ? why : set_shaped(&to->as, text);
}

static const char *
set_words(const Setting *s, Config *c, const char *text)
{
    if (strlen(text) >= WORD_SIZE || !is_text(text))
        return "too long, or it has a control character or bytes that are no "
               "UTF-8";
    void *at = (char *)c + s->offset;
    if (s->kind == LIKENESS)
        return set_likeness(at, text, s->choices);
    *(const char **)at = interned(text);
    return NULL;
}

const char *
setting_set(const Setting *s, Config *c, const char *text)
{
    void *at = (char *)c + s->offset;
    if (setting_numeric(s))
        return set_number(s, at, text);
    if (setting_worded(s))
        return set_words(s, c, text);
    if (s->kind == CHOICE)
        return set_choice(at, s->choices, text);
    char *end;
    *(uint64_t *)at = strtoull(text, &end, 16);
    return *text && !*end ? NULL : "not a hexadecimal number";
}

static const char *
assign(Config *c, const char *assignments, int roles)
{
    static char why[512];
    char name[64], value[64];
    for (int n; *(assignments += strspn(assignments, " ")); assignments += n) {
        if (sscanf(assignments, "%63[^=]=%63s%n", name, value, &n) != 2)
            return "not NAME=VALUE";
        const Setting *s = setting_named(name);
        const char *wrong = !s                ? "there is no such setting"
                            : s->role & roles ? setting_set(s, c, value)
                                              : "no shape option";
        snprintf(why, sizeof why, "%s: %.256s", name, wrong ? wrong : "");
        if (wrong)
            return why;
    }
    return NULL;
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

static void
print_choice(const char *choices, int place, char text[VALUE_SIZE])
{
    for (; place > 0; place--)
        choices += strcspn(choices, " ") + 1;
    snprintf(text, VALUE_SIZE, "%.*s", (int)strcspn(choices, " "), choices);
}

void
shaped_print(const Shaped *shaped, char text[VALUE_SIZE])
{
    int n = snprintf(text, VALUE_SIZE, "%s", shaped->variant);
    for (int i = 0; i < SHAPE_COUNT && n < VALUE_SIZE; i++)
        if (shaped->shape[i])
            n += snprintf(text + n, (size_t)(VALUE_SIZE - n), "+%s=%d",
                          shape_option(i)->name, shaped->shape[i]);
}

static void
print_likeness(const Likeness *l, char text[VALUE_SIZE])
{
    char found[VALUE_SIZE];
    shaped_print(&l->as, found);
    int n = snprintf(text, VALUE_SIZE, "%s", l->asked);
    if (l->found)
        snprintf(text + n, (size_t)(VALUE_SIZE - n), ":%s", found);
}

void
setting_print(const Setting *s, const Config *c, char text[VALUE_SIZE])
{
    const void *at = (const char *)c + s->offset;
    switch (s->kind) {
    case INTEGER:
        snprintf(text, VALUE_SIZE, "%d", *(const int *)at);
        break;
    case NUMBER:
        print_double(*(const double *)at, text);
        break;
    case HASH:
        snprintf(text, VALUE_SIZE, "%016llx",
                 (unsigned long long)*(const uint64_t *)at);
        break;
    case WORD:
        snprintf(text, VALUE_SIZE, "%s", *(const char *const *)at);
        break;
    case CHOICE:
        print_choice(s->choices, *(const int *)at, text);
        break;
    case LIKENESS:
        print_likeness(at, text);
    }
}

void
setting_asked(const Setting *s, const Config *c, char text[VALUE_SIZE])
{
    setting_print(s, c, text);
    if (s->kind == LIKENESS)
        text[strlen(((const Likeness *)((const char *)c + s->offset))->asked)] =
            0;
}

Shaped
shaped_of(const Config *c)
{
    Shaped shaped = {.variant = c->variant};
    for (int i = 0; i < SHAPE_COUNT; i++)
        shaped.shape[i] = *shape_at(shape_option(i), (Config *)c);
    return shaped;
}

int
shaped_value(const Shaped *shaped, const Setting *s)
{
    int place = index_in(SHAPE_OPTIONS, s->name);
    return place < 0 ? 0 : shaped->shape[place];
}

void
config_shape(Config *c, const Shaped *shaped)
{
    c->variant = shaped->variant;
    for (int i = 0; i < SHAPE_COUNT; i++)
        if (shaped->shape[i])
            *shape_at(shape_option(i), c) = shaped->shape[i];
}

Config
config_start(void)
{
    Config c = {0};
    for (int i = 0; i < setting_count; i++)
        setting_set(&settings[i], &c, settings[i].start);
    return c;
}

void
config_apply(Config *c, const char *assignments)
{
    const char *why = assign(c, assignments, OF_ANY);
    if (why)
        bug("config: \"%s\" cannot be set: %s", assignments, why);
}

bool
shape_uses(const char *shape, const char *option)
{
    return index_in(shape, option) >= 0;
}

/* The width of one head's queries, keys or values. */
static int
head_width(const Config *c, const char *shape, const char *option, int width)
{
    if (!shape_uses(shape, option))
        return 0;
    if (width)
        return width;
    if (shape_uses(shape, "heads") && c->d_model % c->heads)
        usage("heads %d does not divide d-model %d: choose heads that do, "
              "or give d-k and d-v",
              c->heads, c->d_model);
    return shape_uses(shape, "heads") ? c->d_model / c->heads : c->d_model;
}

/* Half of `whole` where nothing is given; exits where there is no half. */
static int
half_unless_given(int given, int whole, const char *option, const char *of)
{
    if (!given && whole > 1 && whole % 2)
        usage("%s: %s %d has no half, which it is unless given; give it",
              option, of, whole);
    return given ? given : whole > 1 ? whole / 2 : 1;
}

static void
settle_heads(Config *c, const char *shape)
{
    if (c->heads < 1 && shape_uses(shape, "heads"))
        usage("heads %d: attention has at least one head", c->heads);
    c->d_k = head_width(c, shape, "d-k", c->d_k);
    c->d_v = head_width(c, shape, "d-v", c->d_v);
    c->kv_heads =
        !shape_uses(shape, "kv-heads")
            ? 0
            : half_unless_given(c->kv_heads, c->heads, "kv-heads", "heads");
    c->latent =
        !shape_uses(shape, "latent")
            ? 0
            : half_unless_given(c->latent, c->d_model, "latent", "d-model");
    if (c->kv_heads && c->heads % c->kv_heads)
        usage("kv-heads %d does not divide heads %d: choose one that does",
              c->kv_heads, c->heads);
}

void
config_settle(Config *c, const char *shape)
{
    settle_heads(c, shape);
    if (!shape_uses(shape, "heads"))
        c->heads = 0;
    if (c->heads * (c->d_model + 2. * c->d_k + c->d_v + c->latent) > 1e8)
        usage("heads %d of d-model %d, d-k %d, d-v %d, latent %d: a "
              "matrix more than 100 million wide; make them smaller",
              c->heads, c->d_model, c->d_k, c->d_v, c->latent);
    if (c->positions == POSITIONS_SINUSOIDAL && c->d_model % 2)
        usage("positions sinusoidal needs an even d-model, not %d: sine "
              "and cosine come in pairs",
              c->d_model);
    if (c->positions == POSITIONS_SINUSOIDAL && c->embed == EMBED_ONEHOT)
        usage("embed onehot has positions of its own: set positions to "
              "learned, which are one-hot then too, or none");
    if (c->warmup > c->steps)
        usage("warmup %d is longer than steps %d: make it shorter", c->warmup,
              c->steps);
}

void
config_settle_all(Config *c, const char *const shapes[3],
                  const uint64_t hashes[3])
{
    char all[256] = "";
    c->plugin_hash = hashes[0];
    for (int i = 0; i < 3; i++) {
        if (!shapes[i])
            continue;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i ? " " : "", shapes[i]);
        if (i)
            c->plugin_hash =
                hash_bytes(c->plugin_hash, &hashes[i], sizeof hashes[i]);
    }
    config_settle(c, all);
}

void
config_digest(const Config *c, char digest[9])
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < setting_count; i++) {
        char value[VALUE_SIZE];
        const Setting *s = &settings[i];
        if (s->offset == AT(plugin_hash) || s->offset == AT(file))
            continue; /* the one is checked apart, the other by file-hash */
        setting_print(s, c, value);
        if (setting_plugin(s) && *value)
            plugin_name(interned(value), value);
        hash = hash_bytes(hash, s->name, strlen(s->name) + 1);
        hash = hash_bytes(hash, value, strlen(value) + 1);
    }
    snprintf(digest, 9, "%08llx",
             (unsigned long long)(hash >> 32 ^ hash) & 0xffffffffULL);
}
