/* heads.c - finds the maps of a layer among the tensors of a checkpoint, and
   says what they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/heads.h"

/* Where column `col` of a map is among the outputs of its tensor, or of W^O
   among the inputs. Several maps may be in one tensor, after one another or,
   interleaved, in each head; and the file has the first columns of all rotated
   pairs of a head, then the second ones. */
static size_t
column_of(const Heads *l, int map, int col)
{
    const Published *m = l->model;
    const Projection *p = &l->of[map];
    int head = col / p->width, own = col % p->width, before = 0;
    bool interleaved = map < OUTPUT && published_has(m, "interleaved");
    if (map <= KEY && own < m->rope)
        own = own / 2 + own % 2 * (m->rope / 2);
    for (int i = 0; i < map && !strcmp(m->tensors[i], m->tensors[map]); i++)
        before += l->of[i].width * (interleaved ? 1 : l->of[i].heads);
    int every = interleaved ? 2 * m->d_k + m->d_v : p->width;
    return (size_t)(before + head * every + own);
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
   the family has them transposed; and a map of ours has d_model rows, which are
   the outputs of W^O. */
static void
move_map(const Heads *l, int map, bool back)
{
    const Projection *p = &l->of[map];
    int d = l->model->d_model;
    size_t stride = (size_t)p->weight->shape[1];
    bool turned = published_has(l->model, "transposed") == (map == OUTPUT);
    for (int col = 0; col < p->heads * p->width; col++) {
        size_t at = column_of(l, map, col);
        for (size_t row = 0; row < (size_t)d; row++)
            move(p->weight, turned ? at * stride + row : row * stride + at,
                 entry_of(l, map, (int)row, col), back);
        if (p->bias && map != OUTPUT)
            move(p->bias, at, entry_of(l, map, d, col), back);
    }
    for (int row = 0; map == OUTPUT && p->bias && row < d; row++)
        move(p->bias, (size_t)row, &l->constant[row], back);
}

/* Finds a tensor of a map: the family's pattern with the layer in place of its
   #. */
static Tensor *
find(const Heads *l, const Checkpoint *c, int map, const char *part, int rows,
     int cols)
{
    const char *pattern = l->model->tensors[map], *hash = strchr(pattern, '#');
    char *name = format_text("%.*s%d%s.%s", (int)(hash - pattern), pattern,
                             l->number, hash + 1, part);
    bool bias = !rows, wanted = !bias || strchr(l->model->biases, "qkvo"[map]);
    Tensor *t = tensor_ending(c, name, rows, cols);
    if (wanted != (t != NULL))
        fail("%s: its .safetensors have %s %s of %d x %d in F32, F16 or BF16, "
             "which is not as config.json says: they are not of one model, or "
             "one was cut or is missing",
             c->directory, t ? "a" : "no", name, rows ? rows : 1, cols);
    free(name);
    return t;
}

Heads
heads_read(const Checkpoint *c, const Published *p, int layer)
{
    Heads l = {.model = p, .number = layer};
    int d = p->d_model, h = p->heads, g = p->groups, k = p->d_k, v = p->d_v;
    int of_queries = h * k, of_keys = g * k, of_values = g * v;
    if (!strchr(p->tensors[0], '#'))
        fail("%s: a %s can be counted (qkv count --config), but not opened",
             c->directory, p->type);
    bool packed = !strcmp(p->tensors[QUERY], p->tensors[KEY]);
    bool turned = published_has(p, "transposed");
    size_t columns = (size_t)(of_queries + of_keys + of_values + h * v);
    double *w = l.constant =
        allocate((size_t)d + (size_t)(d + 1) * columns, sizeof *w);
    w += d;
    for (int i = 0; i < 4; i++) {
        Projection *of = &l.of[i];
        of->heads = i == KEY || i == VALUE ? g : h;
        of->width = i <= KEY ? k : v;
        of->w = w;
        int cols = of->heads * of->width, inputs = i == OUTPUT ? cols : d;
        int outputs = i == OUTPUT ? d
                      : packed    ? of_queries + of_keys + of_values
                                  : cols;
        w += (size_t)(d + 1) * (size_t)cols;
        of->weight = find(&l, c, i, "weight", turned ? inputs : outputs,
                          turned ? outputs : inputs);
        of->bias = find(&l, c, i, "bias", 0, outputs);
    }
    for (int i = 0; i < 4; i++)
        move_map(&l, i, false);
    return l;
}

void
heads_store(const Heads *l)
{
    for (int i = 0; i < 4; i++)
        move_map(l, i, true);
}

double *
entry_of(const Heads *l, int map, int row, int col)
{
    const Projection *p = &l->of[map];
    int head = col / p->width, rows = l->model->d_model + 1;
    return p->w + (head * rows + row) * p->width + col % p->width;
}

double *
head_map(const Heads *l, int map, int head)
{
    const Projection *p = &l->of[map];
    return entry_of(l, map, 0, head * p->heads / l->model->heads * p->width);
}

double
bias_norm(const Heads *l, int map)
{
    const Projection *p = &l->of[map];
    double sum = 0;
    for (int col = 0; col < p->heads * p->width; col++)
        sum += pow(*entry_of(l, map, l->model->d_model, col), 2);
    return p->bias ? sqrt(sum) : NAN;
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

int
energy_rank(const Heads *l, int left, int shared, int head, double *values)
{
    int d = l->model->d_model, n = l->of[left].width, rank = 0;
    Svd of_shared = svd_of(head_map(l, shared, head), d, n);
    double *mixed = allocate((size_t)d * (size_t)n, sizeof *mixed);
    for (int i = 0; i < n * of_shared.k; i++)
        of_shared.v[i] *= of_shared.s[i % of_shared.k];
    product_of(mixed, head_map(l, left, head), of_shared.v, d, n, of_shared.k,
               false);
    Svd s = svd_of(mixed, d, of_shared.k);
    double all = 0, sum = 0;
    for (int i = 0; i < s.k; i++)
        all += pow(values[i] = s.s[i], 2);
    while (rank < s.k && sum < 0.99 * all)
        sum += pow(values[rank++], 2);
    free(of_shared.u);
    free(mixed);
    free(s.u);
    return rank;
}
