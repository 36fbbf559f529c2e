/* heads.c - finds the maps of a layer among the tensors of a checkpoint, and
   says what they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/heads.h"

/* The column of a tensor, counted over all that it has, that is column `col` of
   a head. */
static int
column_of(const Heads *l, int projection, int head, int col)
{
    const char *const *name = l->model->tensors;
    const Projection *p = &l->of[projection];
    bool interleaved = published_has(l->model, "interleaved");
    int before = 0, rotated = l->model->rope;
    if (projection <= KEY && col < rotated)
        col = col / 2 + col % 2 * (rotated / 2);
    for (int i = 0; i < projection && !strcmp(name[i], name[projection]); i++)
        before += l->of[i].width * (interleaved ? 1 : l->of[i].heads);
    if (interleaved && projection != OUTPUT)
        head *= 3;
    return before + head * p->width + col;
}

/* Reads an entry of a tensor, or puts it back. */
static void
move(Tensor *t, size_t i, double *entry, bool back)
{
    if (back)
        tensor_set(t, i, *entry);
    else
        *entry = tensor_entry(t, i);
}

/* Reads or puts back a map and its bias. Tensors are (outputs x inputs) unless
   the family turns them; and a map of ours has d_model rows, which are the
   outputs of W^O. */
static void
move_map(Heads *l, int i, bool back)
{
    Projection *p = &l->of[i];
    int d = l->model->d_model, size = (d + 1) * p->width;
    size_t stride = (size_t)p->weight->shape[1];
    bool turned = published_has(l->model, "transposed") == (i == OUTPUT);
    for (int at = 0; at < p->heads * p->width; at++) {
        int head = at / p->width, col = at % p->width;
        size_t column = (size_t)column_of(l, i, head, col);
        double *to = p->w + head * size + col;
        for (int row = 0; row < d; row++)
            move(p->weight,
                 turned ? column * stride + (size_t)row
                        : (size_t)row * stride + column,
                 to + row * p->width, back);
        if (p->bias && i != OUTPUT)
            move(p->bias, column, to + d * p->width, back);
    }
    for (int row = 0; i == OUTPUT && p->bias && row < d; row++)
        move(p->bias, (size_t)row, &l->constant[row], back);
}

/* Finds a tensor of a map: PATTERN with the layer in place of its #. */
static Tensor *
find(const Heads *l, const Checkpoint *c, int i, const char *part, int rows,
     int cols)
{
    const char *pattern = l->model->tensors[i], *hash = strchr(pattern, '#');
    char *name = format_text("%.*s%d%s.%s", (int)(hash - pattern), pattern,
                             l->number, hash + 1, part);
    bool bias = !rows, wanted = !bias || strchr(l->model->biases, "qkvo"[i]);
    Tensor *t = tensor_ending(c, name, rows, cols);
    if (wanted != (t != NULL))
        fail("%s: it has %s %s, which is not as config.json says", c->directory,
             t ? "a" : "no", name);
    free(name);
    return t;
}

Heads
heads_read(const Checkpoint *c, const Published *p, int layer)
{
    Heads l = {.model = p, .number = layer};
    int d = p->d_model;
    if (!strchr(p->tensors[0], '#'))
        fail("%s: a %s can be counted (qkv count --config), but not opened",
             c->directory, p->type);
    l.constant = allocate((size_t)d, sizeof *l.constant);
    for (int i = 0; i < 4; i++) {
        bool shared = i == KEY || i == VALUE;
        l.of[i].heads = shared ? p->groups : p->heads;
        l.of[i].width = i <= KEY ? p->d_k : p->d_v;
    }
    for (int i = 0; i < 4; i++) {
        Projection *of = &l.of[i];
        int cols = of->heads * of->width, outputs = i == OUTPUT ? d : 0;
        for (int k = 0; k < OUTPUT && i < OUTPUT; k++)
            if (!strcmp(p->tensors[k], p->tensors[i]))
                outputs += l.of[k].heads * l.of[k].width;
        int inputs = i == OUTPUT ? cols : d;
        bool turned = published_has(p, "transposed");
        of->weight = find(&l, c, i, "weight", turned ? inputs : outputs,
                          turned ? outputs : inputs);
        of->bias = find(&l, c, i, "bias", 0, outputs);
        of->w = allocate((size_t)(d + 1) * (size_t)cols, sizeof *of->w);
        move_map(&l, i, false);
    }
    return l;
}

void
heads_free(Heads *l)
{
    for (int i = 0; i < 4; i++)
        free(l->of[i].w);
    free(l->constant);
}

void
heads_store(Heads *l)
{
    for (int i = 0; i < 4; i++)
        move_map(l, i, true);
}

double *
head_map(const Heads *l, int projection, int head)
{
    const Projection *p = &l->of[projection];
    int rows = l->model->d_model + 1;
    return p->w + head * p->heads / l->model->heads * rows * p->width;
}

double *
head_product(const Heads *l, int left, int shared, int head)
{
    int d = l->model->d_model;
    double *product = allocate((size_t)d * (size_t)d, sizeof *product);
    product_of(product, head_map(l, left, head), head_map(l, shared, head), d,
               l->of[left].width, d, true);
    return product;
}

/* Puts the n singular values of a product of parts that are n wide into
   `values`, and returns how many have 99% of the sum of squares. */
static int
spectrum(const double *product, int d, int n, double *values)
{
    Svd s = svd_of(product, d, d);
    double all = 0, sum = 0;
    int rank = 0;
    memcpy(values, s.s, (size_t)(n < d ? n : d) * sizeof *values);
    free(s.u);
    for (int i = 0; i < n; i++)
        all += values[i] * values[i];
    for (; rank < n && sum < 0.99 * all; rank++)
        sum += values[rank] * values[rank];
    return rank;
}

void
head_facts(const Heads *l, int head, double facts[FACTS], double *values)
{
    int d = l->model->d_model, k = l->model->d_k;
    double *m = head_product(l, QUERY, KEY, head);
    double *n = head_product(l, OUTPUT, VALUE, head);
    facts[RANK_M] = spectrum(m, d, k, values);
    facts[RANK_N] = spectrum(n, d, l->model->d_v, values + k);
    facts[SYMMETRIC] = symmetric_share(m, d);
    free(m);
    free(n);
}

double
map_entry(const Heads *l, int projection, int row, int col)
{
    const Projection *p = &l->of[projection];
    int head = col / p->width, rows = l->model->d_model + 1;
    return p->w[(head * rows + row) * p->width + col % p->width];
}

double
bias_norm(const Heads *l, int projection)
{
    const Projection *p = &l->of[projection];
    double sum = 0;
    for (int col = 0; col < p->heads * p->width; col++)
        sum += pow(map_entry(l, projection, l->model->d_model, col), 2);
    return p->bias ? sqrt(sum) : NAN;
}
