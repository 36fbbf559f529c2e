/* formula.c - how many parameters are gauge at shapes too large to measure.

   A shape gives each letter of the formula its size. Random small shapes are
   drawn that are like the wanted one, their gauge is measured, and the factors
   of the terms are found by least squares. More random shapes then check the
   formula. */
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
#include "training/rope_and_alibi.h"

/* The letters stand for d_model, heads, kv_heads, d_k, d_v and latent, which
   are options of the shape. From FIRST_OWN on they stand for widths among the
   variant's own settings, at most four. */
enum { D, H, G, K, V, R, FIRST_OWN, LETTERS = FIRST_OWN + 4 };

/* A term is 1, h or g times 1, a width or its square. */
enum { MOST_TERMS = 3 * (2 * LETTERS + 1) };

/* A formula is checked at CHECKS shapes. At most MOST_SHAPES are measured,
   because fit_formula fits to fewer than 2 MOST_TERMS. The search for one more
   shape ends after TRIES random shapes. */
enum { CHECKS = 12, MOST_SHAPES = 2 * MOST_TERMS + CHECKS, TRIES = 300000 };

typedef struct Shape {
    int n[LETTERS]; /* the size of each letter; if the letter is not used, 0 for
                       a width and 1 for a count */
} Shape;

/* A variant with the shape that is wanted, the terms of its formula, and the
   small shapes that were measured. */
typedef struct Family {
    const Variant *variant;
    Attention attention; /* at the shape wanted */
    Shape wanted;
    bool used[LETTERS]; /* which letters the variant depends on */
    int step[LETTERS];  /* a width is a multiple of this: PAIR if its columns
                           may be rotated, else 1 */
    char name[LETTERS][OWN_NAME_SIZE];
    char settings[256]; /* the variant's own, as attention_at last wrote them */
    int terms;
    int power[MOST_TERMS][LETTERS]; /* term i has each letter k to the power
                                       power[i][k] */
    double factor[MOST_TERMS];      /* of each term */
    Random random;
    int measured; /* the number of shapes below */
    Shape shape[MOST_SHAPES];
    double gauge[MOST_SHAPES]; /* the gauge that was measured at each shape */
} Family;

/* The parameters that cost_of counts do not depend on the number of tokens. */
enum { FEW_TOKENS = 2 };

/* The field of an attention that a letter before FIRST_OWN stands for. */
static int *
shape_option(Attention *a, int letter)
{
    int *const fields[FIRST_OWN] = {
        [D] = &a->d_model, [H] = &a->heads, [G] = &a->kv_heads,
        [K] = &a->d_k,     [V] = &a->d_v,   [R] = &a->latent};
    return fields[letter];
}

/* Columns that are rotated in pairs have a width that is a multiple of this. */
enum { PAIR = 2 };

/* Returns whether a letter is a count, the number of heads or of groups of
   heads. All other letters are widths. */
static bool
is_count(int letter)
{
    return letter == H || letter == G;
}

/* The wanted attention at another shape: each letter that is used has its size
   there. Its settings are f->settings, which the next call overwrites. */
static Attention
attention_at(Family *f, const Shape *shape)
{
    Attention a = f->attention;
    OwnSetting own;
    int length = 0; /* of f->settings so far */
    for (int i = 0; i < FIRST_OWN; i++)
        if (f->used[i])
            *shape_option(&a, i) = shape->n[i];
    f->settings[0] = 0;
    const char *list = a.settings; /* "name=value" pairs, or NULL */
    while (list && next_own_setting(&list, &own)) {
        for (int i = FIRST_OWN; i < LETTERS; i++)
            if (f->used[i] && !strcmp(f->name[i], own.name))
                own.value = shape->n[i];
        length +=
            snprintf(f->settings + length, sizeof f->settings - (size_t)length,
                     "%s=%g ", own.name, own.value);
    }
    a.settings = f->settings;
    return a;
}

/* The number of parameters that the variant uses at a shape. */
static double
parameters_at(Family *f, const Shape *shape)
{
    Attention a = attention_at(f, shape);
    return cost_of(f->variant, a, FEW_TOKENS, Y_IS_X).parameters;
}

/* Makes one of the variant's own settings letter i if it is a width: if twice
   its value changes the number of parameters. Otherwise used[i] stays false,
   and the letter's name and number mean nothing. */
static void
try_as_width(Family *f, int i, const OwnSetting *own)
{
    bool is_size = own->value >= 1 && own->value == floor(own->value);
    if (!is_size)
        return;
    strcpy(f->name[i], own->name);
    f->wanted.n[i] = (int)own->value;
    Shape doubled = f->wanted;
    doubled.n[i] *= 2;
    f->used[i] = true; /* for now: attention_at sets only letters in use */
    f->used[i] = parameters_at(f, &doubled) != parameters_at(f, &f->wanted);
}

/* Finds which options of the shape are letters. */
static void
find_option_letters(Family *f)
{
    /* in the order D, H, G, K, V, R */
    static const char *const options[FIRST_OWN] = {
        "d-model", "heads", "kv-heads", "d-k", "d-v", "latent"};
    static const char letters[FIRST_OWN] = {'d', 'h', 'g', 'k', 'v', 'r'};
    for (int i = 0; i < FIRST_OWN; i++) {
        int wanted = *shape_option(&f->attention, i);
        /* All variants depend on d_model, although none lists it. */
        bool listed = i == D || index_in(f->variant->shape, options[i]) >= 0;
        /* A count of 1 is no letter, nor is a width of 0. */
        int if_unused = is_count(i) ? 1 : 0;
        f->name[i][0] = letters[i];
        f->used[i] = listed && wanted > if_unused;
        f->wanted.n[i] = f->used[i] ? wanted : if_unused;
    }
}

/* Finds which widths must be even, and so change in steps of a PAIR. If the
   variant's code rotates tokens, it may rotate pairs of columns in its own even
   widths. If the setting positions is rope, keys are rotated, so d_k must be
   even, or d_model if d_k is unused; and so must a latent, if used. */
static void
find_steps(Family *f)
{
    Cost cost = cost_of(f->variant, f->attention, FEW_TOKENS, Y_IS_X);
    for (int i = 0; i < LETTERS; i++) {
        bool is_even_own = i >= FIRST_OWN && f->wanted.n[i] % PAIR == 0;
        f->step[i] = cost.rotates && is_even_own ? PAIR : 1;
    }
    bool keys_are_rotated = f->attention.relative == &rope;
    if (keys_are_rotated) {
        f->step[f->used[K] ? K : D] = PAIR;
        f->step[R] = PAIR;
    }
}

/* Finds the letters among the variant's own settings: those that are widths. */
static void
find_own_letters(Family *f)
{
    const char *list = f->attention.settings;
    OwnSetting own;
    int letter = FIRST_OWN; /* the next one that is free */
    while (letter < LETTERS && list && next_own_setting(&list, &own)) {
        try_as_width(f, letter, &own);
        if (f->used[letter])
            letter++;
    }
}

/* A chain is the product of matrices that makes the keys or the values of all
   heads from a token, perhaps through a latent. Its matrices can have the width
   of a token, of the latent, of one head, of all groups of heads, of all heads,
   or a width of the variant's own. The order of these widths decides which
   ranks the product can have. */
enum { TOKEN, LATENT, HEAD, ALL_GROUPS, ALL_HEADS, SHAPE_WIDTHS };
enum { WIDTHS = SHAPE_WIDTHS + LETTERS - FIRST_OWN };

/* If widths are equal at the wanted shape, a token counts as a little wider
   than a latent, and both as a little wider than the others. So d_model must
   not be narrower than any that it equals there, nor a latent than any of the
   others. */
#define TOKEN_TIE  (1 + 2e-6)
#define LATENT_TIE (1 + 1e-6)

/* Writes the widths of a chain at a shape, for heads that are `width` wide. A
   width that the variant does not have is 0. */
static void
chain_widths(const Family *f, const Shape *shape, double width,
             double to[WIDTHS])
{
    const int *n = shape->n;
    int groups = f->used[G] ? n[G] : n[H];
    to[TOKEN] = n[D];
    to[LATENT] = n[R];
    to[HEAD] = width;
    to[ALL_GROUPS] = groups * width;
    to[ALL_HEADS] = n[H] * width;
    for (int i = FIRST_OWN; i < LETTERS; i++)
        to[SHAPE_WIDTHS + i - FIRST_OWN] = f->used[i] ? n[i] : 0;
}

/* Returns whether the widths of a chain are in the same order at `shape`, with
   heads that are `width` wide, as at the wanted shape, with heads that are
   `width_wanted` wide. Widths that are equal at one of the shapes may be in any
   order at the other one, except for the ties above. */
static bool
chain_ordered_alike(const Family *f, const Shape *shape, double width_wanted,
                    double width)
{
    double wanted[WIDTHS], other[WIDTHS];
    chain_widths(f, &f->wanted, width_wanted, wanted);
    chain_widths(f, shape, width, other);
    wanted[TOKEN] *= TOKEN_TIE;
    wanted[LATENT] *= LATENT_TIE;
    for (int i = 0; i < WIDTHS; i++)
        for (int j = 0; j < i; j++) {
            double wider_wanted = wanted[i] - wanted[j];
            double wider = other[i] - other[j];
            if (wider_wanted * wider < 0) /* opposite signs */
                return false;
        }
    return true;
}

/* Returns whether a shape is like the wanted one. Its widths must be in the
   same order in the chain of keys and in the chain of values. */
static bool
ordered_alike(const Family *f, const Shape *shape)
{
    const int *wanted = f->wanted.n, *n = shape->n;
    bool keys = chain_ordered_alike(f, shape, wanted[K], n[K]);
    bool values = chain_ordered_alike(f, shape, wanted[V], n[V]);
    /* A latent makes keys and values together, so it has a third chain: */
    bool both =
        !f->used[R] ||
        chain_ordered_alike(f, shape, wanted[K] + wanted[V], n[K] + n[V]);
    /* A variant may use d_model / h, so heads must divide d_model if they do at
       the wanted shape. */
    bool divides = wanted[D] % wanted[H] != 0 || n[D] % n[H] == 0;
    return keys && values && both && divides;
}

/* Instead of the letter of a count: a term has neither h nor g. */
enum { ONE = -1 };

/* Adds the term count * width^power. `count` is the letter H or G, or ONE. */
static void
add_term(Family *f, int count, int width, int power)
{
    int *powers = f->power[f->terms]; /* all 0 until now */
    f->terms++;
    powers[width] = power;
    if (count != ONE)
        powers[count] = 1;
}

/* Adds the terms with this count (add_term): times 1, a width or its square. */
static void
add_terms(Family *f, int count)
{
    add_term(f, count, D, 0); /* times 1, which is d^0 */
    for (int width = 0; width < LETTERS; width++)
        if (f->used[width] && !is_count(width)) {
            add_term(f, count, width, 1);
            add_term(f, count, width, 2);
        }
}

/* Lists all terms: 1, h or g times 1, a width or its square. */
static void
list_terms(Family *f)
{
    add_terms(f, ONE);
    if (f->used[H])
        add_terms(f, H);
    if (f->used[G])
        add_terms(f, G);
}

/* A term at a shape: the product of the letters, each to its power. */
static double
term_at(const int *power, const Shape *shape)
{
    double product = 1;
    for (int i = 0; i < LETTERS; i++)
        for (int k = 0; k < power[i]; k++)
            product *= shape->n[i];
    return product;
}

/* The gauge at a shape by the formula: the sum of factors times terms. */
static double
formula_value(const Family *f, const Shape *shape)
{
    double sum = 0;
    for (int i = 0; i < f->terms; i++)
        sum += f->factor[i] * term_at(f->power[i], shape);
    return sum;
}

/* The largest number of heads, or of groups of heads, in a random shape. Both
   are small, because small shapes are quick to measure. */
static int
largest_count(const Family *f, int letter)
{
    enum { HEADS = 4, GROUPED_HEADS = 8 };
    bool grouped = letter == H && f->used[G]; /* several heads in each group */
    return grouped ? GROUPED_HEADS : HEADS;
}

/* The largest size of a width in a random shape, in which d_model and the
   number of heads are drawn already. No width is larger than `widest`. A width
   that fits into d_model at the wanted shape has to fit into it here, too:
   otherwise few random shapes would be like the wanted one. */
static int
largest_width(const Family *f, int letter, const Shape *shape, int widest)
{
    enum { NARROW = 3 };
    const int *wanted = f->wanted.n;
    bool is_own = letter >= FIRST_OWN;
    if (letter == D)
        return widest;
    if (is_own && wanted[letter] <= wanted[K]) /* it is narrow here, too */
        return NARROW * f->step[letter];
    if (letter == K || letter == V) { /* in all heads together */
        bool fits = wanted[letter] * wanted[H] <= wanted[D];
        return fits ? shape->n[D] / shape->n[H] : widest;
    }
    return wanted[letter] <= wanted[D] ? shape->n[D] : widest;
}

/* A random shape whose d_model is at most `widest`. Each letter that is used
   gets a random multiple of its step (find_steps), in the order of the enum, so
   that d_model and the heads come before the other widths. */
static Shape
draw_shape(Family *f, int widest)
{
    Shape shape = {{[H] = 1, [G] = 1}};
    for (int i = 0; i < LETTERS; i++) {
        if (!f->used[i])
            continue;
        int most = is_count(i) ? largest_count(f, i)
                               : largest_width(f, i, &shape, widest);
        int most_steps = most / f->step[i];
        if (most_steps < 1)
            most_steps = 1;
        shape.n[i] = f->step[i] * (1 + random_below(&f->random, most_steps));
    }
    return shape;
}

/* Returns whether this shape may be measured: it must be new, have at most
   `most` parameters, and be like the wanted shape. */
static bool
may_be_measured(Family *f, const Shape *shape, int most)
{
    /* If the wanted shape has several heads, a single one is a special case. */
    if (f->used[H] && shape->n[H] == 1)
        return false;
    for (int i = 0; i < f->measured; i++)
        if (memcmp(&f->shape[i], shape, sizeof *shape) == 0)
            return false;
    /* A count that is not used is 1, and divides. */
    bool groups_divide = shape->n[H] % shape->n[G] == 0;
    return groups_divide && ordered_alike(f, shape) &&
           parameters_at(f, shape) <= most;
}

/* Draws shapes until one may be measured; returns false after TRIES of them. */
static bool
draw_new(Family *f, int widest, int most, Shape *shape)
{
    for (int try = 0; try < TRIES; try++) {
        *shape = draw_shape(f, widest);
        if (may_be_measured(f, shape, most))
            return true;
    }
    return false;
}

/* Measures the gauge at `count` more random shapes, with a d_model of at most
   `widest` and at most `most` parameters. Returns false if no new shape is
   found, or if the rank at one of them is not known. */
static bool
measure_shapes(Family *f, int count, int widest, int most)
{
    for (int i = 0; i < count; i++) {
        Shape shape;
        if (!draw_new(f, widest, most, &shape))
            return false;
        RealCount c =
            real_count(f->variant, attention_at(f, &shape), ANY_TOKENS);
        if (c.real == UNKNOWN_RANK)
            return false;
        f->gauge[f->measured] = parameters_at(f, &shape) - c.real;
        f->shape[f->measured] = shape;
        f->measured++;
    }
    return true;
}

/* Finds the factors by least squares: A times the factors should be the gauges,
   where A has a row for each shape and a column for each term. Factors are
   rounded to halves. Returns false if the shapes do not determine them. */
static bool
fit_factors(Family *f)
{
    int terms = f->terms, shapes = f->measured;
    double length[MOST_TERMS] = {0}; /* of each column of A */
    /* A with columns of length 1, so that small terms are not lost in rounding;
       and the transpose of its pseudo-inverse, A^+. */
    double *a = allocate(matrix_entries(shapes, terms), sizeof *a);
    double *inverse = allocate(matrix_entries(shapes, terms), sizeof *inverse);
    for (int j = 0; j < terms; j++) {
        for (int i = 0; i < shapes; i++)
            length[j] = hypot(length[j], term_at(f->power[j], &f->shape[i]));
        for (int i = 0; i < shapes; i++)
            a[i * terms + j] = term_at(f->power[j], &f->shape[i]) / length[j];
    }
    int rank = pseudo_inverse(a, shapes, terms, inverse);
    for (int j = 0; j < terms; j++) {
        double scaled = 0; /* factor j times length[j], by row j of A^+ */
        for (int i = 0; i < shapes; i++)
            scaled += inverse[i * terms + j] * f->gauge[i];
        f->factor[j] = round(2 * scaled / length[j]) / 2;
    }
    free(inverse);
    free(a);
    return rank == terms;
}

/* Term i with the absolute value of its factor, such as "2 h k", "h v^2" or
   "1". */
static char *
term_text(const Family *f, int i)
{
    double factor = fabs(f->factor[i]);
    Values parts = {0};
    if (factor != 1)
        values_add(&parts, format_text("%g", factor));
    for (int k = 0; k < LETTERS; k++)
        if (f->power[i][k])
            values_add(&parts, format_text(f->power[i][k] == 1 ? "%s" : "%s^2",
                                           f->name[k]));
    return parts.count ? joined(&parts, " ") : "1";
}

/* The formula, such as "h v^2 + 2 h k", without terms whose factor is 0. The
   last terms of the list come first: those with g or h, and high powers. */
static char *
text_of(const Family *f)
{
    char *text = "";
    for (int i = f->terms - 1; i >= 0; i--) {
        bool is_first = !*text, negative = f->factor[i] < 0;
        if (f->factor[i] == 0)
            continue;
        const char *sign = negative ? " - " : " + ";
        if (is_first)
            sign = negative ? "- " : "";
        text = format_text("%s%s%s", text, sign, term_text(f, i));
    }
    return *text ? text : "0";
}

/* Returns whether the formula gives each gauge that was measured. Its factors
   are multiples of a half, so its values are exact. */
static bool
is_right(const Family *f)
{
    for (int i = 0; i < f->measured; i++)
        if (formula_value(f, &f->shape[i]) != f->gauge[i])
            return false;
    return true;
}

/* Fits a formula of v at a to small shapes, with a d_model of at most `widest`
   and at most `most` parameters. Checks it at others, which may be larger. */
static Formula
fit_formula(const Variant *v, Attention a, int widest, int most)
{
    enum { SEED = 5, WIDER = 4, MORE_PARAMETERS = 2 };
    Formula found = {.checked = CHECKS};
    Family *f = allocate(1, sizeof *f);
    f->variant = v;
    f->attention = a;
    f->random = random_stream(SEED, "formula");
    find_option_letters(f);
    find_own_letters(f);
    find_steps(f); /* for these letters */
    list_terms(f);
    /* More equations than unknowns, so that a wrong formula does not fit. */
    found.fitted = f->terms + f->terms / 3 + 8;
    found.holds =
        measure_shapes(f, found.fitted, widest, most) && fit_factors(f) &&
        measure_shapes(f, CHECKS, widest + WIDER, MORE_PARAMETERS * most) &&
        is_right(f);
    found.gauge = formula_value(f, &f->wanted);
    found.text = text_of(f);
    free(f);
    return found;
}

/* Tries small shapes first, which are quick to measure. If no formula fits
   them, or one that gives an impossible gauge, larger shapes are tried. */
Formula
formula_of(const Variant *v, Attention a, double used)
{
    /* In the first search: the largest d_model, which is larger if rope rotates
       keys, since then widths are even; and the most parameters of a shape,
       divided by that d_model. */
    enum { WIDEST = 16, WIDEST_IF_EVEN = 32, PARAMETERS_PER_UNIT = 12 };
    /* In each later search, d_model may be larger by WIDER, and a shape may
       have TIMES_PARAMETERS as many parameters, up to MOST_PARAMETERS. */
    enum { WIDER = 8, TIMES_PARAMETERS = 4, MOST_PARAMETERS = 6400 };
    Formula found = {.holds = false};
    /* All blocks have the same gauge, so one is measured for all, unless a
       block recalls what another remembered: then all are measured together. */
    bool together = cost_of(v, a, FEW_TOKENS, Y_IS_X).recalls;
    int layers = a.layers > 1 ? a.layers : 1;
    a.layers = together ? layers : 1;
    int widest = a.relative == &rope ? WIDEST_IF_EVEN : WIDEST;
    int most = PARAMETERS_PER_UNIT * widest;
    while (most <= MOST_PARAMETERS && !found.holds) {
        found = fit_formula(v, a, widest, most);
        if (!together)
            found.gauge *= layers;
        if (found.gauge < 0 || found.gauge > used) /* impossible */
            found.holds = false;
        most *= TIMES_PARAMETERS;
        widest += WIDER;
    }
    return found;
}
