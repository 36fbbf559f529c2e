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

/* d_model, heads, kv_heads, d_k, d_v, latent, and a variant's own widths. */
enum { D, H, G, K, V, R, OWNS, LETTERS = OWNS + 4 };
enum { MOST_TERMS = 3 * (2 * LETTERS + 1), CHECKS = 12 };
enum { MOST_SHAPES = 2 * MOST_TERMS + CHECKS, TRIES = 300000 };

typedef struct Shape {
    int n[LETTERS];
} Shape;

typedef struct Family {
    const Variant *variant;
    Attention like; /* what is asked for */
    Shape wanted;   /* the same */
    bool used[LETTERS];
    int step[LETTERS]; /* 2 of what may be rotated, in pairs of columns */
    char name[LETTERS][OWN_NAME];
    int terms, power[MOST_TERMS][LETTERS];
    double factor[MOST_TERMS];
    Random random;
    int size; /* shapes that were measured */
    Shape at[MOST_SHAPES];
    double gauge[MOST_SHAPES];
} Family;

static int *
shape_option(Attention *a, int letter)
{
    int *const of[] = {&a->d_model, &a->heads, &a->kv_heads,
                       &a->d_k,     &a->d_v,   &a->latent};
    return of[letter];
}

/* The attention of such a shape; its settings are there until the next one. */
static Attention
attention_at(const Family *f, const Shape *at)
{
    static char settings[256];
    Attention a = f->like;
    Own own;
    int said = 0;
    for (int i = 0; i < OWNS; i++)
        if (f->used[i])
            *shape_option(&a, i) = at->n[i];
    *settings = 0;
    for (const char *list = a.settings; list && own_next(&list, &own);) {
        for (int i = OWNS; i < LETTERS; i++)
            if (f->used[i] && !strcmp(f->name[i], own.name))
                own.value = at->n[i];
        said += snprintf(settings + said, sizeof settings - (size_t)said,
                         "%s=%g ", own.name, own.value);
    }
    a.settings = settings;
    return a;
}

static double
used_at(const Family *f, const Shape *at)
{
    return cost_of(f->variant, attention_at(f, at), 2, 0).parameters;
}

/* Is a setting of the variant's own, the letter i, a width? Then the size of
   its matrices depends on it. */
static bool
is_width(Family *f, int i, const Own *own)
{
    if (own->value < 1 || own->value != floor(own->value))
        return false;
    Shape other = f->wanted;
    strcpy(f->name[i], own->name);
    f->used[i] = true;
    f->wanted.n[i] = (int)own->value;
    other.n[i] = 2 * f->wanted.n[i];
    return used_at(f, &other) != used_at(f, &f->wanted);
}

/* The letters: the shape options that the variant can be told, if they are not
   1, and its own widths. Other widths count as 0. */
static void
find_letters(Family *f)
{
    static const char *const names[] = {"d", "h", "g", "k", "v", "r"};
    static const char *const options[] = {"",    "heads", "kv-heads",
                                          "d-k", "d-v",   "latent"};
    Own own;
    bool rotates = cost_of(f->variant, f->like, 2, 0).rotates;
    for (int i = 0; i < OWNS; i++) {
        int n = *shape_option(&f->like, i);
        strcpy(f->name[i], names[i]);
        f->used[i] = i == D || (index_in(f->variant->shape, options[i]) >= 0 &&
                                !((i == H || i == G) && n == 1));
        f->wanted.n[i] = f->used[i] ? n : i == H || i == G;
        bool pairs = i == K || i == R || (i == D && !f->used[K]);
        f->step[i] = f->like.relative == &rope && pairs ? 2 : 1;
    }
    const char *list = f->like.settings;
    for (int i = OWNS; i < LETTERS && list && own_next(&list, &own);) {
        f->used[i] = is_width(f, i, &own);
        f->step[i] = rotates && f->wanted.n[i] % 2 == 0 ? 2 : 1;
        i += f->used[i];
    }
}

/* What decides by its order what rank a product can have: widths of queries
   and keys, of values, and of both where they are made of one latent. Of equal
   ones d_model counts as a little wider, then the latent. */
enum { CHAINS = 3, WIDTHS = 5 + LETTERS - OWNS };
static void
widths_of(const Family *f, const Shape *at, double little,
          double width[CHAINS][WIDTHS])
{
    const int *n = at->n;
    double h = n[H], g = f->used[G] ? n[G] : h, both = f->used[R] ? n[V] : 0;
    const double of[CHAINS] = {n[K], n[V], n[K] + both};
    for (int c = 0; c < CHAINS; c++) {
        double *w = width[c];
        *w++ = n[D] * (1 + 2 * little);
        *w++ = n[R] * (1 + little);
        *w++ = of[c];
        *w++ = g * of[c];
        *w++ = h * of[c];
        for (int i = OWNS; i < LETTERS; i++)
            *w++ = f->used[i] ? n[i] : 0;
    }
}

static bool
ordered_alike(const Family *f, const Shape *at)
{
    double here[CHAINS][WIDTHS], there[CHAINS][WIDTHS];
    widths_of(f, &f->wanted, 1e-6, here);
    widths_of(f, at, 0, there);
    for (int c = 0; c < CHAINS; c++)
        for (int i = 0; i < WIDTHS; i++)
            for (int j = 0; j < i; j++)
                if ((here[c][i] - here[c][j]) * (there[c][i] - there[c][j]) < 0)
                    return false;
    return f->wanted.n[D] % f->wanted.n[H] || at->n[D] % at->n[H] == 0;
}

/* 1, h or g times 1, a width or its square. */
static void
list_terms(Family *f)
{
    for (int of = D; of <= G; of++)
        for (int i = -1; i < LETTERS; i++)
            for (int power = 1; power <= 2; power++) {
                bool width =
                    i < 0 ? power == 1 : f->used[i] && i != H && i != G;
                if (!width || (of != D && !f->used[of]))
                    continue;
                int *term = f->power[f->terms++];
                term[H] = of == H;
                term[G] = of == G;
                if (i >= 0)
                    term[i] = power;
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

/* A random shape, in which what is asked for no wider than d_model, all heads
   together, is so too, and an own width no wider than a key is narrow. */
static Shape
drawn(Family *f, int wide)
{
    const int *wanted = f->wanted.n;
    Shape at = {{[H] = 1, [G] = 1}};
    for (int i = 0; i < LETTERS; i++) {
        bool each = i == K || i == V; /* so wide in each head */
        int all = each ? wanted[H] * wanted[i] : wanted[i], limit = wide;
        if (!f->used[i])
            continue;
        if (i == H || i == G)
            limit = i == H && f->used[G] ? 8 : 4;
        else if (i >= OWNS && wanted[i] <= wanted[K])
            limit = 3 * f->step[i];
        else if (i != D && all <= wanted[D])
            limit = each ? at.n[D] / at.n[H] : at.n[D];
        limit = limit > f->step[i] ? limit / f->step[i] : 1;
        at.n[i] = f->step[i] * (1 + random_below(&f->random, limit));
    }
    return at;
}

/* Measures so many random shapes of at most `most` parameters that are like the
   wanted one, and new; false where there are none. */
static bool
measure(Family *f, int count, int wide, int most)
{
    for (int try = 0; count > 0 && try < TRIES; try++) {
        Shape at = drawn(f, wide);
        bool is_new = !f->used[H] || at.n[H] > 1; /* one head is a case apart */
        for (int i = 0; i < f->size; i++)
            is_new &= memcmp(&f->at[i], &at, sizeof at) != 0;
        if (!is_new || at.n[H] % at.n[G] || !ordered_alike(f, &at) ||
            used_at(f, &at) > most)
            continue;
        Attention a = attention_at(f, &at);
        RealCount c = real_count(f->variant, a);
        if (c.real < 0)
            return false;
        f->gauge[f->size] = used_at(f, &at) - c.real;
        f->at[f->size++] = at;
        count--;
        try = 0;
    }
    return count == 0;
}

/* The factors by least squares, rounded to halves; false where the shapes leave
   them open. */
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
    bool told = pseudo_inverse(a, m, n, inverse) == n;
    for (int j = 0; j < n; j++) {
        double factor = 0;
        for (int i = 0; i < m; i++)
            factor += inverse[i * n + j] * f->gauge[i];
        f->factor[j] = round(2 * factor / length[j]) / 2;
    }
    free(a);
    return told;
}

/* "h v^2 + 2 h k" */
static char *
text_of(const Family *f)
{
    char *text = "";
    for (int i = f->terms - 1; i >= 0; i--) {
        double factor = fabs(f->factor[i]);
        char *term = factor == 1 ? "" : format_text(" %g", factor);
        for (int k = 0; k < LETTERS; k++)
            if (f->power[i][k])
                term = format_text("%s %s%s", term, f->name[k],
                                   f->power[i][k] > 1 ? "^2" : "");
        const char *sign = f->factor[i] < 0 ? "-" : "+";
        if (factor != 0)
            text = format_text("%s%s%s%s", text, *text ? " " : "",
                               *text || *sign == '-' ? sign : "",
                               *term ? term : " 1");
    }
    return *text ? text + (*text == ' ') : "0";
}

Formula
formula_of(const Variant *v, Attention a, double used)
{
    Formula found = {.holds = false};
    bool together = cost_of(v, a, 2, 0).recalls;
    int times = together || a.layers < 1 ? 1 : a.layers;
    a.layers = together ? a.layers : 1;
    int wide = a.relative == &rope ? 32 : 16;
    for (int most = 12 * wide; most <= 6400 && !found.holds;
         most *= 4, wide += 8) {
        Family *f = allocate(1, sizeof *f);
        *f = (Family){.variant = v, .like = a};
        f->random = random_stream(5, "formula");
        find_letters(f);
        list_terms(f);
        found.fitted = f->terms + f->terms / 3 + 8;
        found.holds = measure(f, found.fitted, wide, most) && solve(f) &&
                      measure(f, CHECKS, wide + 4, 2 * most);
        found.checked = f->size - found.fitted;
        for (int i = 0; i < f->size && found.holds; i++)
            found.holds = value_at(f, &f->at[i]) == f->gauge[i];
        found.gauge = times * value_at(f, &f->wanted);
        found.holds &= found.gauge >= 0 && found.gauge <= used;
        found.text = text_of(f);
        free(f);
    }
    return found;
}
