/* formula.c - how many parameters are gauge at shapes too large to measure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/cost.h"
#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "training/positions.h"

/* The sizes of a shape, each a letter of the formula: d_model, heads, kv_heads,
   d_k, d_v, latent, and up to four widths among the variant's own settings. */
enum { D, H, G, K, V, R, OWNS, LETTERS = OWNS + 4 };
enum { MOST_TERMS = 3 * (2 * LETTERS + 1), CHECKS = 12 };
enum { MOST_SHAPES = 2 * MOST_TERMS + CHECKS, TRIES = 300000 };

typedef struct Shape {
    int n[LETTERS];
} Shape;

/* A variant at the shape wanted, the terms of its formula, and the small shapes
   that were measured. */
typedef struct Family {
    const Variant *variant;
    Attention like; /* at the shape wanted */
    Shape wanted;
    bool used[LETTERS]; /* which letters the variant depends on */
    int step[LETTERS];  /* 2 if columns may be rotated in pairs, else 1 */
    char name[LETTERS][OWN_NAME_SIZE];
    int terms;
    int power[MOST_TERMS][LETTERS]; /* of each letter, in each term */
    double factor[MOST_TERMS];
    Random random;
    int size; /* the number of shapes measured */
    Shape at[MOST_SHAPES];
    double gauge[MOST_SHAPES]; /* what was measured at each */
} Family;

static int *
shape_option(Attention *a, int letter)
{
    int *const of[] = {&a->d_model, &a->heads, &a->kv_heads,
                       &a->d_k,     &a->d_v,   &a->latent};
    return of[letter];
}

/* Heads and groups of heads: there is one of them unless a shape has more. */
static bool
is_count(int letter)
{
    return letter == H || letter == G;
}

/* The attention at a shape. Its settings are valid until the next call. */
static Attention
attention_at(const Family *f, const Shape *at)
{
    static char settings[256];
    Attention a = f->like;
    OwnSetting own;
    int length = 0;
    for (int i = 0; i < OWNS; i++)
        if (f->used[i])
            *shape_option(&a, i) = at->n[i];
    *settings = 0;
    const char *list = a.settings;
    while (list && next_own_setting(&list, &own)) {
        for (int i = OWNS; i < LETTERS; i++)
            if (f->used[i] && !strcmp(f->name[i], own.name))
                own.value = at->n[i];
        length += snprintf(settings + length, sizeof settings - (size_t)length,
                           "%s=%g ", own.name, own.value);
    }
    a.settings = settings;
    return a;
}

/* How many parameters the variant uses at a shape. */
static double
used_at(const Family *f, const Shape *at)
{
    return cost_of(f->variant, attention_at(f, at), 2, 0).parameters;
}

/* Makes one of the variant's own settings letter i, and doubles it, to see
   whether it is a width: then the sizes of the matrices change. If it is none,
   the letter stays unused. */
static void
try_as_width(Family *f, int i, const OwnSetting *own)
{
    bool whole = own->value >= 1 && own->value == floor(own->value);
    if (!whole)
        return;
    Shape doubled = f->wanted;
    strcpy(f->name[i], own->name);
    f->wanted.n[i] = (int)own->value;
    doubled.n[i] = 2 * f->wanted.n[i];
    f->used[i] = true; /* attention_at sets only letters that are used */
    f->used[i] = used_at(f, &doubled) != used_at(f, &f->wanted);
}

/* Does the variant depend on this option of its shape? d_model is none of them,
   and always used. A single head or group is no letter. */
static bool
uses_option(Family *f, int letter, const char *option)
{
    if (letter == D)
        return true;
    bool single = is_count(letter) && *shape_option(&f->like, letter) == 1;
    return index_in(f->variant->shape, option) >= 0 && !single;
}

/* Finds the letters among the options of a shape: those that the variant uses.
   Unused widths count as 0, unused counts as 1. */
static void
find_option_letters(Family *f)
{
    static const char *const names[] = {"d", "h", "g", "k", "v", "r"};
    static const char *const options[] = {"",    "heads", "kv-heads",
                                          "d-k", "d-v",   "latent"};
    for (int i = 0; i < OWNS; i++) {
        strcpy(f->name[i], names[i]);
        f->used[i] = uses_option(f, i, options[i]);
        f->wanted.n[i] = is_count(i);
        if (f->used[i])
            f->wanted.n[i] = *shape_option(&f->like, i);
        bool pairs = i == K || i == R || (i == D && !f->used[K]);
        f->step[i] = f->like.relative == &rope && pairs ? 2 : 1;
    }
}

/* Finds the letters among the variant's own settings: its widths. */
static void
find_own_letters(Family *f)
{
    bool rotates = cost_of(f->variant, f->like, 2, 0).rotates;
    const char *list = f->like.settings;
    OwnSetting own;
    int i = OWNS;
    while (i < LETTERS && list && next_own_setting(&list, &own)) {
        try_as_width(f, i, &own);
        f->step[i] = rotates && f->wanted.n[i] % 2 == 0 ? 2 : 1;
        if (f->used[i])
            i++;
    }
}

/* The widths along one chain of matrices, of which a head has `width` columns:
   the widths of a token, of the latent, of a head, of all groups together and
   of all heads together, and the variant's own. Their order decides which ranks
   products can have. */
enum { WIDTHS = 5 + LETTERS - OWNS };

/* Writes these widths at one shape, always in the same order; 0 for a width
   that the variant does not have. */
static void
chain_widths(const Family *f, const Shape *at, double width, double to[WIDTHS])
{
    const int *n = at->n;
    double heads = n[H], groups = f->used[G] ? n[G] : heads;
    to[0] = n[D];
    to[1] = n[R];
    to[2] = width;
    to[3] = groups * width;
    to[4] = heads * width;
    for (int i = OWNS; i < LETTERS; i++)
        to[5 + i - OWNS] = f->used[i] ? n[i] : 0;
}

/* Are the widths of a chain in the same order at two shapes? Two that are equal
   here may be in either order there; but if d_model is one of them, or else the
   latent, it must not be the smaller one there. */
static bool
chain_ordered_alike(const Family *f, const Shape *at, double width_wanted,
                    double width)
{
    double here[WIDTHS], there[WIDTHS];
    chain_widths(f, &f->wanted, width_wanted, here);
    chain_widths(f, at, width, there);
    here[0] *= 1 + 2e-6; /* counts as wider than its equals */
    here[1] *= 1 + 1e-6;
    for (int i = 0; i < WIDTHS; i++)
        for (int j = 0; j < i; j++)
            if ((here[i] - here[j]) * (there[i] - there[j]) < 0)
                return false;
    return true;
}

/* Are all widths in the same order as those wanted, along the chains of queries
   and keys, of values, and of both together if they come from one latent? And
   do the heads divide d_model, if they do at the shape wanted? */
static bool
ordered_alike(const Family *f, const Shape *at)
{
    const int *wanted = f->wanted.n, *n = at->n;
    bool keys = chain_ordered_alike(f, at, wanted[K], n[K]);
    bool values = chain_ordered_alike(f, at, wanted[V], n[V]);
    bool both = !f->used[R] ||
                chain_ordered_alike(f, at, wanted[K] + wanted[V], n[K] + n[V]);
    bool divides = wanted[D] % wanted[H] != 0 || n[D] % n[H] == 0;
    return keys && values && both && divides;
}

/* Adds the term h or g, or 1 if `letter` is neither, times letter `width` to a
   power. */
static void
add_term(Family *f, int letter, int width, int power)
{
    int *powers = f->power[f->terms];
    if (is_count(letter))
        powers[letter] = 1;
    powers[width] = power;
    f->terms++;
}

/* Lists the terms: 1, h or g, times 1, a width or its square. */
static void
list_terms(Family *f)
{
    for (int count = D; count <= G; count++) {
        if (!f->used[count])
            continue;
        add_term(f, count, D, 0);
        for (int width = 0; width < LETTERS; width++)
            if (f->used[width] && !is_count(width)) {
                add_term(f, count, width, 1);
                add_term(f, count, width, 2);
            }
    }
}

static double
term_at(const int *power, const Shape *at)
{
    double product = 1;
    for (int i = 0; i < LETTERS; i++)
        for (int k = 0; k < power[i]; k++)
            product *= at->n[i];
    return product;
}

static double
value_at(const Family *f, const Shape *at)
{
    double sum = 0;
    for (int i = 0; i < f->terms; i++)
        sum += f->factor[i] * term_at(f->power[i], at);
    return sum;
}

/* The largest value of a letter in a random shape whose d_model and heads are
   drawn already. A width that is no wider than d_model in the shape wanted, for
   all heads together, is not wider in this one; an own width that is no wider
   than a key is narrow. */
static int
largest_drawn(const Family *f, int letter, const Shape *at, int wide)
{
    const int *wanted = f->wanted.n;
    bool in_each_head = letter == K || letter == V;
    bool own = OWNS <= letter && letter < LETTERS;
    int all = wanted[letter] * (in_each_head ? wanted[H] : 1);
    if (letter == H && f->used[G])
        return 8;
    if (is_count(letter))
        return 4;
    if (own && wanted[letter] <= wanted[K])
        return 3 * f->step[letter];
    if (letter == D || all > wanted[D])
        return wide;
    return in_each_head ? at->n[D] / at->n[H] : at->n[D];
}

/* A random shape; `wide` is the largest d_model. */
static Shape
drawn(Family *f, int wide)
{
    Shape at = {{[H] = 1, [G] = 1}};
    for (int i = 0; i < LETTERS; i++) {
        if (!f->used[i])
            continue;
        int step = f->step[i], steps = largest_drawn(f, i, &at, wide) / step;
        at.n[i] = step * (1 + random_below(&f->random, steps > 1 ? steps : 1));
    }
    return at;
}

/* May this shape be measured: is it new, of at most `most` parameters, and like
   the shape wanted? A single head is a special case, and is left out. */
static bool
is_fit_to_measure(const Family *f, const Shape *at, int most)
{
    if (f->used[H] && at->n[H] == 1)
        return false;
    for (int i = 0; i < f->size; i++)
        if (memcmp(&f->at[i], at, sizeof *at) == 0)
            return false;
    return at->n[H] % at->n[G] == 0 && ordered_alike(f, at) &&
           used_at(f, at) <= most;
}

/* Draws shapes until one may be measured; returns false if TRIES of them may
   not. */
static bool
draw_new(Family *f, int wide, int most, Shape *at)
{
    for (int try = 0; try < TRIES; try++) {
        *at = drawn(f, wide);
        if (is_fit_to_measure(f, at, most))
            return true;
    }
    return false;
}

/* Measures `count` more random shapes; returns false if no new one is found, or
   if the rank of one cannot be told. */
static bool
measure(Family *f, int count, int wide, int most)
{
    for (int i = 0; i < count; i++) {
        Shape at;
        if (!draw_new(f, wide, most, &at))
            return false;
        RealCount c = real_count(f->variant, attention_at(f, &at), ANY_TOKENS);
        if (c.real < 0)
            return false;
        f->gauge[f->size] = used_at(f, &at) - c.real;
        f->at[f->size] = at;
        f->size++;
    }
    return true;
}

/* Finds the factors by least squares, rounded to halves; returns false if the
   shapes do not determine them. */
static bool
solve(Family *f)
{
    int n = f->terms, m = f->size;
    double length[MOST_TERMS] = {0};
    double *a = allocate(2 * (size_t)m * n, sizeof *a), *inverse = a + m * n;
    for (int i = 0; i < m * n; i++) {
        a[i] = term_at(f->power[i % n], &f->at[i / n]);
        length[i % n] = hypot(length[i % n], a[i]);
    }
    for (int i = 0; i < m * n; i++)
        a[i] /= length[i % n];
    bool determined = pseudo_inverse(a, m, n, inverse) == n;
    for (int j = 0; j < n; j++) {
        double factor = 0;
        for (int i = 0; i < m; i++)
            factor += inverse[i * n + j] * f->gauge[i];
        f->factor[j] = round(2 * factor / length[j]) / 2;
    }
    free(a);
    return determined;
}

/* A term with its factor, the sign left out: "2 h k", "h v^2", "1". */
static char *
term_text(const Family *f, int i)
{
    double factor = fabs(f->factor[i]);
    Values parts = {0};
    if (factor != 1)
        values_add(&parts, format_text("%g", factor));
    for (int k = 0; k < LETTERS; k++)
        if (f->power[i][k])
            values_add(&parts, format_text("%s%s", f->name[k],
                                           f->power[i][k] > 1 ? "^2" : ""));
    return parts.count ? joined(&parts, " ") : "1";
}

/* "h v^2 + 2 h k" */
static char *
text_of(const Family *f)
{
    char *text = "";
    for (int i = f->terms - 1; i >= 0; i--) {
        bool negative = f->factor[i] < 0;
        if (f->factor[i] == 0)
            continue;
        if (*text)
            text = format_text("%s %s %s", text, negative ? "-" : "+",
                               term_text(f, i));
        else
            text = format_text("%s%s", negative ? "- " : "", term_text(f, i));
    }
    return *text ? text : "0";
}

/* Fits a formula at small shapes, in which no width is larger than `wide` and
   no block has more than `most` parameters, and checks it at some that are a
   little larger. The factors are multiples of a half, so that its values are
   exact. */
static Formula
formula_at(const Variant *v, Attention a, int wide, int most)
{
    Formula found = {.holds = false};
    Family *f = allocate(1, sizeof *f);
    *f = (Family){.variant = v, .like = a};
    f->random = random_stream(5, "formula");
    find_option_letters(f);
    find_own_letters(f);
    list_terms(f);
    found.fitted = f->terms + f->terms / 3 + 8; /* more than unknowns */
    found.holds = measure(f, found.fitted, wide, most) && solve(f) &&
                  measure(f, CHECKS, wide + 4, 2 * most);
    found.checked = f->size - found.fitted;
    for (int i = 0; found.holds && i < f->size; i++)
        found.holds = value_at(f, &f->at[i]) == f->gauge[i];
    found.gauge = value_at(f, &f->wanted);
    found.text = text_of(f);
    free(f);
    return found;
}

Formula
formula_of(const Variant *v, Attention a, double used)
{
    Formula found = {.holds = false};
    bool together = cost_of(v, a, 2, 0).recalls;
    int times = together || a.layers < 1 ? 1 : a.layers;
    a.layers = together ? a.layers : 1;
    int wide = a.relative == &rope ? 32 : 16, most = 12 * wide;
    while (most <= 6400 && !found.holds) {
        found = formula_at(v, a, wide, most);
        found.gauge *= times;
        found.holds = found.holds && found.gauge >= 0 && found.gauge <= used;
        most *= 4;
        wide += 8;
    }
    return found;
}
