/* formula.c - how many parameters are real at shapes too large to measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "config/positions.h"
#include "heart/fail.h"
#include "heart/random.h"

enum { D, H, G, K, V, R };
static const char letters[] = "dhgkvr";

typedef struct Numbers {
    int n[SHAPE_NUMBERS];
} Numbers;

static Numbers
numbers_of(const Attention *a)
{
    return (Numbers){
        {a->d_model, a->heads, a->kv_heads, a->d_k, a->d_v, a->latent}};
}

/* Those that the variant does not use as small shapes have them. */
static void
set_unused(Numbers *n, const bool used[SHAPE_NUMBERS])
{
    for (int i = 0; i < SHAPE_NUMBERS; i++)
        if (!used[i])
            n->n[i] = i == H || i == G ? 1 : n->n[D];
}

static Attention
attention_at(Attention a, Numbers at)
{
    a.d_model = at.n[D];
    a.heads = at.n[H];
    a.kv_heads = at.n[G];
    a.d_k = at.n[K];
    a.d_v = at.n[V];
    a.latent = at.n[R];
    return a;
}

/* Which of them a variant can be told, and are not 1. */
static void
find_used(const Variant *v, Numbers at, bool used[SHAPE_NUMBERS])
{
    static const char *const names[] = {NULL,  "heads", "kv-heads",
                                        "d-k", "d-v",   "latent"};
    for (int i = 0; i < SHAPE_NUMBERS; i++)
        used[i] = i == D || (index_in(v->shape, names[i]) >= 0 &&
                             !((i == H || i == G) && at.n[i] == 1));
}

/* The widths that decide what rank a product can have: of queries and keys, of
   values, and of both together where they are made of one latent. Of equal ones
   the first counts as a little wider: d_model before latent before d_k, d_v. */
enum { CHAINS = 3, WIDTHS = 5 };
static void
widths_of(Numbers a, const bool *used, double little,
          double width[CHAINS][WIDTHS])
{
    double h = a.n[H], g = used[G] ? a.n[G] : h;
    double d = a.n[D] * (1 + 2 * little), r = a.n[R] * (1 + little);
    double k = a.n[K], v = a.n[V], both = used[R] ? k + v : k;
    const double all[CHAINS][WIDTHS] = {{d, r, k, g * k, h * k},
                                        {d, r, v, g * v, h * v},
                                        {d, r, both, g * both, h * both}};
    memcpy(width, all, sizeof all);
}

/* Are the widths of b in the order of those of a? */
static bool
ordered_alike(Numbers a, Numbers b, const bool *used)
{
    double here[CHAINS][WIDTHS], there[CHAINS][WIDTHS];
    widths_of(a, used, 1e-6, here);
    widths_of(b, used, 0, there);
    for (int c = 0; c < CHAINS; c++)
        for (int i = 0; i < WIDTHS; i++)
            for (int j = i + 1; j < WIDTHS; j++)
                if ((here[c][i] - here[c][j]) * (there[c][i] - there[c][j]) < 0)
                    return false;
    return a.n[D] % a.n[H] || b.n[D] % b.n[H] == 0;
}

/* Are d_model, d_k, d_v and the latent on the same side of each of the
   variant's own settings that is a width of its matrices? */
static bool
beside_alike(const Variant *v, const Attention *a, Numbers one, Numbers other)
{
    static const int widths[] = {D, K, V, R};
    Weights w = weights_declared(v, a);
    bool alike = true;
    Own own;
    for (const char *at = v->settings; at && own_next(&at, &own);) {
        double value = setting(a, own.name);
        bool width = false;
        for (int i = 0; i < w.count; i++)
            width |= w.list[i].rows == value || w.list[i].cols == value;
        for (int i = 0; i < 4 && width && value > 1; i++)
            alike &=
                (one.n[widths[i]] - value) * (other.n[widths[i]] - value) >= 0;
    }
    free(w.list);
    return alike;
}

/* All products of a power of h, or g, with at most two of the widths that go
   with it. */
static void
list_terms(Formula *f, const bool used[SHAPE_NUMBERS])
{
    const struct { /* beside a latent, k and v are of heads */
        int h, g, widths;
        int width[4];
    } kinds[] = {{0, 0, used[R] ? 2 : 4, {D, R, K, V}},
                 {1, 0, 4, {D, K, V, R}},
                 {0, 1, 3, {D, K, V}},
                 {2, 0, 2, {K, V}}};
    for (int m = 0; m < 4; m++)
        for (int i = -1; i < kinds[m].widths; i++)
            for (int j = -1; j <= (kinds[m].h < 2 ? i : -1); j++) {
                const int *width = kinds[m].width;
                if ((kinds[m].h && !used[H]) || (kinds[m].g && !used[G]) ||
                    (i >= 0 && !used[width[i]]) || (j >= 0 && !used[width[j]]))
                    continue;
                int *power = f->term[f->count++].power;
                power[H] = kinds[m].h;
                power[G] = kinds[m].g;
                if (i >= 0)
                    power[width[i]]++;
                if (j >= 0)
                    power[width[j]]++;
            }
}

static double
term_value(const int power[SHAPE_NUMBERS], Numbers at)
{
    double product = 1;
    for (int i = 0; i < SHAPE_NUMBERS; i++)
        for (int k = 0; k < power[i]; k++)
            product *= at.n[i];
    return product;
}

static double
value_at(const Formula *f, Numbers at)
{
    double sum = 0;
    for (int i = 0; i < f->count; i++)
        sum += f->term[i].factor * term_value(f->term[i].power, at);
    return sum;
}

double
formula_value(const Formula *f, const Attention *a, double stored)
{
    double value = f->holds ? value_at(f, numbers_of(a)) : NAN;
    return value >= 0 && value <= stored ? value : NAN;
}

/* Small shapes, each once. */
enum { MOST_SHAPES = 2 * MOST_TERMS, TRIES = 20000 };
typedef struct Sample {
    const Variant *variant;
    Attention like;
    Numbers wanted; /* like's */
    bool used[SHAPE_NUMBERS];
    int step[SHAPE_NUMBERS]; /* 2 of what may be rotated, in pairs of columns */
    int together;            /* so many blocks are measured as one function */
    Random random;
    Numbers at[MOST_SHAPES];
    double count[MOST_SHAPES];
    int size;
} Sample;

static double
stored_at(const Sample *s, Numbers n)
{
    Attention a = attention_at(s->like, n);
    Weights w = weights_declared(s->variant, &a);
    double stored = 0;
    for (int i = 0; i < w.count; i++)
        stored += (double)w.list[i].rows * w.list[i].cols;
    free(w.list);
    return stored;
}

/* Is it like the wanted one, and new? */
static bool
fits(const Sample *s, const Numbers *n)
{
    for (int i = 0; i < s->size; i++)
        if (!memcmp(&s->at[i], n, sizeof *n))
            return false;
    return (!s->used[H] || n->n[H] > 1) &&
           ordered_alike(s->wanted, *n, s->used);
}

/* A random shape like the wanted one, of at most so many parameters, or up to
   six times as many where it must be; false if there is none that is new. */
static bool
draw_shape(Sample *s, int wide, int most)
{
    const int *w =
        s->wanted.n; /* of wide groups only more heads have several */
    int heads = s->used[G] && w[G] * w[K] > w[D] ? 8 : 4;
    for (int try = 0; try < TRIES; try++) {
        const int limit[] = {wide, heads, 4, wide / 2, wide / 2, wide};
        Numbers n = {{0}};
        for (int i = 0; i < SHAPE_NUMBERS; i++)
            n.n[i] = s->step[i] *
                     (1 + random_below(&s->random, limit[i] / s->step[i]));
        if (try < TRIES / 2) /* of each as many, and one head is a case apart */
            n.n[H] = heads / 4 * (2 + s->size % 3);
        set_unused(&n, s->used);
        if (n.n[H] % n.n[G] || !fits(s, &n) ||
            stored_at(s, n) > most * (1 + 6 * try / TRIES))
            continue;
        s->at[s->size] = n;
        return true;
    }
    return false;
}

/* That share of it, as it can be where columns are rotated in pairs. */
static int
scaled(const Sample *s, int i, double share)
{
    return s->step[i] * (int)lround(s->wanted.n[i] * share / s->step[i]);
}

/* The largest shape of the wanted one's proportions that has at most so many
   parameters; false if there is none that is new. */
static bool
draw_alike(Sample *s, double most)
{
    Numbers all = s->wanted;
    double largest = 0;
    for (int by = 1; by <= all.n[H]; by++) { /* that many times fewer heads */
        if (all.n[H] % by || (s->used[G] && all.n[G] % by))
            continue;
        int h = all.n[H] / by, g = s->used[G] ? all.n[G] / by : 1;
        for (int d = s->step[D]; d <= all.n[D]; d += s->step[D]) {
            double share = (double)d / all.n[D];
            Numbers n = {{d, h, g, scaled(s, K, share * by),
                          scaled(s, V, share * by), scaled(s, R, share)}};
            set_unused(&n, s->used);
            if (!n.n[K] || !n.n[V] || !n.n[R] || n.n[K] > all.n[K] ||
                !fits(s, &n) || !beside_alike(s->variant, &s->like, all, n))
                continue;
            double stored = stored_at(s, n);
            if (stored > most)
                break;
            if (stored > largest)
                s->at[s->size] = n;
            largest = fmax(largest, stored);
        }
    }
    return largest > 0;
}

/* Measures the shape that was drawn; false where that cannot be. */
static bool
measure(Sample *s)
{
    Attention a = attention_at(s->like, s->at[s->size]);
    Weights w = weights_declared(s->variant, &a);
    RealCount c = real_count(s->variant, a, &w, 0);
    free(w.list);
    s->together = c.together;
    s->count[s->size++] = c.real;
    return c.real >= 0;
}

static bool
measure_random(Sample *s, int more, int wide, int most)
{
    for (int i = 0; i < more; i++)
        if (!draw_shape(s, wide, most) || !measure(s))
            return false;
    return true;
}

/* Of up to what can be measured in a few seconds; those that are found are new,
   so that the largest comes first. */
static bool
measure_alike(Sample *s, int count)
{
    double most = (double)MOST_ALIKE / s->together;
    for (int i = 0; i < count; i++, most /= 2)
        if (!draw_alike(s, most))
            return i > 0;
        else if (!measure(s))
            return false;
    return true;
}

/* The factors by least squares, rounded to halves; false where the shapes leave
   them open. */
static bool
solve(Formula *f, const Sample *s)
{
    int n = f->count, m = s->size;
    double *a = allocate((size_t)m * n, sizeof *a), length[MOST_TERMS] = {0};
    for (int i = 0; i < m * n; i++) {
        a[i] = term_value(f->term[i % n].power, s->at[i / n]);
        length[i % n] = hypot(length[i % n], a[i]);
    }
    for (int i = 0; i < m * n; i++)
        a[i] /= length[i % n];
    Svd x = svd_of(a, m, n);
    bool told = x.s[n - 1] > 1e-9 * x.s[0];
    for (int j = 0; j < n && told; j++) {
        double factor = 0;
        for (int k = 0; k < n; k++) {
            double along = 0;
            for (int i = 0; i < m; i++)
                along += x.u[i * n + k] * s->count[i];
            factor += x.v[j * n + k] * along / x.s[k];
        }
        f->term[j].factor = round(2 * factor / length[j]) / 2;
    }
    free(x.u);
    free(a);
    return told;
}

/* Fits it to shapes of at most so many parameters, or up to six times as many
   where it must be, and checks it on shapes of `more`, and on some of the
   wanted proportions. */
static Formula
fit_to(const Variant *v, Attention a, int most, int more)
{
    enum { CHECKS = 12, ALIKE = 3 };
    int wide = a.relative == &rope ? 32 : 16;
    Formula f = {0};
    Sample *s = allocate(1, sizeof *s);
    *s = (Sample){.variant = v, .like = a, .wanted = numbers_of(&a)};
    s->random = random_stream(5, "formula");
    find_used(v, s->wanted, s->used);
    set_unused(&s->wanted, s->used);
    for (int i = 0; i < SHAPE_NUMBERS; i++)
        s->step[i] =
            a.relative == &rope && (i == K || i == R || (i == D && !s->used[K]))
                ? 2
                : 1;
    list_terms(&f, s->used);
    f.fitted = f.count + f.count / 3 + 8;
    f.holds = draw_alike(s, MOST_ALIKE) &&
              measure_random(s, f.fitted, wide, most) && solve(&f, s) &&
              measure_random(s, CHECKS, wide + 4, more);
    for (int checked = 0; checked < 2; checked++) {
        for (int i = 0; i < s->size && f.holds; i++)
            f.holds = value_at(&f, s->at[i]) == s->count[i];
        f.holds = f.holds && (checked || measure_alike(s, ALIKE));
    }
    f.checked = s->size - f.fitted;
    f.together = s->together;
    free(s);
    return f;
}

static const char *
settings_of(const Attention *a)
{
    return a->settings ? a->settings : "";
}

/* Is what fits a right for b too? */
static bool
serves(const Variant *v, const Attention *a, const Attention *b)
{
    bool used[2][SHAPE_NUMBERS];
    Numbers one = numbers_of(a), other = numbers_of(b);
    find_used(v, one, used[0]);
    find_used(v, other, used[1]);
    set_unused(&one, used[0]);
    set_unused(&other, used[1]);
    return a->causal == b->causal && a->layers == b->layers &&
           a->relative == b->relative &&
           !strcmp(settings_of(a), settings_of(b)) &&
           !memcmp(used[0], used[1], sizeof used[0]) &&
           ordered_alike(one, other, used[0]) && beside_alike(v, a, one, other);
}

/* Blocks of which none recalls what another remembered are alike: then what two
   have fits any number of them. */
const Formula *
formula_fit(const Variant *v, Attention a)
{
    static struct Known {
        const Variant *variant;
        Attention at;
        Formula formula;
        struct Known *next;
    } * known;
    Attention two = a;
    two.layers = 2;
    for (struct Known *k = known; k; k = k->next)
        if (k->variant == v && serves(v, &k->at, &a))
            return &k->formula;
    int larger = a.relative == &rope ? 4 : 1; /* of pairs of columns */
    const Formula *of_two = a.layers == 2 ? NULL : formula_fit(v, two);
    struct Known *k = allocate(1, sizeof *k);
    *k = (struct Known){v, a, {0}, known};
    known = k;
    if (of_two && of_two->holds && of_two->together == 1) {
        k->formula = *of_two;
        for (int i = 0; i < k->formula.count; i++)
            k->formula.term[i].factor *= fmax(a.layers, 1) / 2.;
        return &k->formula;
    }
    k->formula = fit_to(v, a, 200 * larger, 500 * larger);
    if (!k->formula.holds)
        k->formula = fit_to(v, a, 800, 1200);
    return &k->formula;
}

char *
formula_text(const Formula *f)
{
    char *text = copy_text("");
    for (int i = f->count - 1; i >= 0; i--) {
        double factor = f->term[i].factor;
        bool bare = true;
        if (factor == 0)
            continue;
        const char *sign = factor < 0 ? (*text ? " - " : "-")
                           : *text    ? " + "
                                      : "";
        replace(&text, format_text("%s%s", text, sign));
        if (fabs(factor) != 1) {
            replace(&text, format_text("%s%g", text, fabs(factor)));
            bare = false;
        }
        for (int k = 0; k < SHAPE_NUMBERS; k++) {
            int power = f->term[i].power[k];
            if (power)
                replace(&text, format_text("%s%s%c%s", text, bare ? "" : " ",
                                           letters[k], power > 1 ? "^2" : ""));
            bare &= !power;
        }
        if (bare)
            replace(&text, format_text("%s1", text));
    }
    if (!*text)
        replace(&text, copy_text("0"));
    return text;
}
