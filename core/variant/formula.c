/* formula.c - how many parameters are real at shapes too large to measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/random.h"
#include "math/svd.h"
#include "variant/formula.h"
#include "variant/real_parameters.h"

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

double
formula_value(const Formula *f, const Attention *a)
{
    double sum = 0;
    for (int i = 0; i < f->count; i++)
        sum += f->term[i].factor * term_value(f->term[i].power, numbers_of(a));
    return sum;
}

/* Small shapes, each once. */
enum { MOST_SHAPES = 2 * MOST_TERMS, TRIES = 20000 };
typedef struct Sample {
    const Variant *variant;
    Attention like;
    Random random;
    Numbers at[MOST_SHAPES];
    double count[MOST_SHAPES];
    int size;
} Sample;

/* A random shape like the wanted one, of at most so many parameters, or up to
   six times as many where it must be; false if there is none that is new. */
static bool
draw_shape(Sample *s, int wide, int most)
{
    bool used[SHAPE_NUMBERS];
    Numbers wanted = numbers_of(&s->like);
    find_used(s->variant, wanted, used);
    for (int try = 0; try < TRIES; try++) {
        const int limit[] = {wide, 4, 4, wide / 2, wide / 2, wide};
        Numbers n = {{0}};
        bool known = false;
        for (int i = 0; i < SHAPE_NUMBERS; i++)
            n.n[i] = 1 + random_below(&s->random, limit[i]);
        if (try < TRIES / 2) /* of each as many, and one head is a case apart */
            n.n[H] = 2 + s->size % 3;
        for (int i = 0; i < SHAPE_NUMBERS; i++)
            if (!used[i])
                n.n[i] = i == H || i == G ? 1 : n.n[D];
        if (n.n[H] % n.n[G] || (used[H] && n.n[H] == 1) ||
            !ordered_alike(wanted, n, used))
            continue;
        for (int i = 0; i < s->size && !known; i++)
            known = !memcmp(&s->at[i], &n, sizeof n);
        if (known)
            continue;
        Attention a = attention_at(s->like, n);
        Weights w = weights_declared(s->variant, &a);
        double stored = 0;
        for (int i = 0; i < w.count; i++)
            stored += w.list[i].rows * w.list[i].cols;
        weights_free(&w);
        if (stored > most * (1 + 6 * try / TRIES))
            continue;
        s->at[s->size] = n;
        return true;
    }
    return false;
}

/* Draws and measures that many more; false where that cannot be. */
static bool
measure(Sample *s, int more, int wide, int most)
{
    for (int i = 0; i < more; i++, s->size++) {
        if (!draw_shape(s, wide, most))
            return false;
        Attention a = attention_at(s->like, s->at[s->size]);
        Weights w = weights_declared(s->variant, &a);
        RealCount c = real_count(s->variant, a, &w, 0, false);
        weights_free(&w);
        real_free(&c);
        s->count[s->size] = c.real;
        if (c.real < 0)
            return false;
    }
    return true;
}

/* The factors by least squares, rounded to halves; false where the shapes leave
   them open. */
static bool
solve(Formula *f, const Sample *s)
{
    int n = f->count, m = s->size;
    size_t size = (size_t)(m * n);
    double *a = allocate(size, sizeof *a), *u = allocate(size, sizeof *u);
    double *v = allocate((size_t)(n * n), sizeof *v);
    double sizes[MOST_TERMS], length[MOST_TERMS] = {0};
    for (int i = 0; i < m * n; i++) {
        a[i] = term_value(f->term[i % n].power, s->at[i / n]);
        length[i % n] = hypot(length[i % n], a[i]);
    }
    for (int i = 0; i < m * n; i++)
        a[i] /= length[i % n];
    svd(a, m, n, u, sizes, v);
    bool told = sizes[n - 1] > 1e-9 * sizes[0];
    for (int j = 0; j < n && told; j++) {
        double factor = 0;
        for (int k = 0; k < n; k++) {
            double along = 0;
            for (int i = 0; i < m; i++)
                along += u[i * n + k] * s->count[i];
            factor += v[j * n + k] * along / sizes[k];
        }
        f->term[j].factor = round(2 * factor / length[j]) / 2;
    }
    free(a);
    free(u);
    free(v);
    return told;
}

/* Fits it to shapes of at most so many parameters, or up to six times as many
   where it must be, and checks it on shapes of `more`. */
static Formula
fit_to(const Variant *v, Attention a, int most, int more)
{
    enum { CHECKS = 12 };
    Formula f = {0};
    bool used[SHAPE_NUMBERS];
    Sample *s = allocate(1, sizeof *s);
    *s = (Sample){.variant = v, .like = a};
    s->random = random_stream(5, "formula");
    find_used(v, numbers_of(&a), used);
    list_terms(&f, used);
    f.fitted = f.count + f.count / 3 + 8;
    f.checked = CHECKS;
    f.holds = measure(s, f.fitted, 16, most) && solve(&f, s) &&
              measure(s, CHECKS, 20, more);
    for (int i = 0; i < s->size && f.holds; i++) {
        Attention here = attention_at(a, s->at[i]);
        f.holds = formula_value(&f, &here) == s->count[i];
    }
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
    return a->causal == b->causal && a->layers == b->layers &&
           a->relative == b->relative &&
           !strcmp(settings_of(a), settings_of(b)) &&
           !memcmp(used[0], used[1], sizeof used[0]) &&
           ordered_alike(one, other, used[0]);
}

const Formula *
formula_fit(const Variant *v, Attention a)
{
    static struct Known {
        const Variant *variant;
        Attention at;
        Formula formula;
        struct Known *next;
    } * known;
    for (struct Known *k = known; k; k = k->next)
        if (k->variant == v && serves(v, &k->at, &a))
            return &k->formula;
    struct Known *k = allocate(1, sizeof *k);
    *k = (struct Known){v, a, fit_to(v, a, 200, 500), known};
    if (!k->formula.holds)
        k->formula = fit_to(v, a, 800, 1200);
    known = k;
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
