/* heads.c - finds the maps of a layer among the tensors of a checkpoint, and
   says what they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "models/heads.h"

/* The name of a tensor of a layer: the # in the family's pattern stands for the
   layer. */
static char *
name_of(const Heads *l, const char *pattern, const char *part)
{
    const char *hash = strchr(pattern, '#');
    return format_text("%.*s%d%s.%s", (int)(hash - pattern), pattern, l->number,
                       hash + 1, part);
}

/* Finds a tensor of a layer; a vector if rows is 0. Fails if there is none. */
static Tensor *
required(const Heads *l, const Checkpoint *c, const char *pattern,
         const char *part, int rows, int cols)
{
    char *name = name_of(l, pattern, part);
    Tensor *t = tensor_ending(c, name, rows, cols);
    if (!t)
        fail("%s: its .safetensors have no %s of %d x %d in F32, F16 or BF16, "
             "which config.json asks for; download them again",
             c->directory, name, rows ? rows : 1, cols);
    free(name);
    return t;
}

/* Finds a tensor of a map. A bias that the family or config.json does not have
   is left out, as it is where the model runs. */
static Tensor *
find(const Heads *l, const Checkpoint *c, int map, const char *part, int rows,
     int cols)
{
    if (!rows && !strchr(l->model->biases, "qkvo"[map]))
        return NULL;
    return required(l, c, l->model->tensors[map], part, rows, cols);
}

/* The map of all heads that has `width` of every `every` outputs of a tensor,
   from `first` on, for `rows` inputs. */
static Projection
part_of(Tensor *weight, int heads, int width, int first, int every, int rows)
{
    return (Projection){.weight = weight,
                        .heads = heads,
                        .width = width,
                        .rows = rows,
                        .first = first,
                        .every = every,
                        .upright = true};
}

/* The maps of latent attention, without rotated columns. Of each head, these
   are behind the others in the tensor of queries, as values are behind keys. */
static Heads
latent_heads(const Checkpoint *c, const Published *p, int layer)
{
    int d = p->d_model, h = p->heads, k = p->d_k, v = p->d_v, r = p->rope;
    int n = p->latent, m = p->query_latent, of_queries = m ? m : d;
    const char *in = p->tensors[0];
    Published *unrotated = allocate(1, sizeof *unrotated);
    *unrotated = *p;
    unrotated->rope = 0;
    Heads l = {.model = unrotated, .number = layer};
    Tensor *q = required(&l, c, in, m ? "q_b_proj.weight" : "q_proj.weight",
                         h * (k + r), of_queries);
    Tensor *kv = required(&l, c, in, "kv_b_proj.weight", h * (k + v), n);
    Tensor *out = required(&l, c, in, "o_proj.weight", d, h * v);
    Tensor *down = required(&l, c, in, "kv_a_proj_with_mqa.weight", n + r, d);
    l.of[QUERY] = part_of(q, h, k, 0, k + r, of_queries);
    l.of[KEY] = part_of(kv, h, k, 0, k + v, n);
    l.of[VALUE] = part_of(kv, h, v, k, k + v, n);
    l.of[OUTPUT] = part_of(out, h, v, 0, v, d);
    l.of[OUTPUT].upright = false;
    l.of[CONSTANT] = part_of(NULL, 1, 1, 0, 1, d);
    l.of[LATENT] = part_of(down, 1, n, 0, n, d);
    l.of[LATENT].gain = required(&l, c, in, "kv_a_layernorm.weight", 0, n);
    if (m) {
        down = required(&l, c, in, "q_a_proj.weight", m, d);
        l.of[QUERY_LATENT] = part_of(down, 1, m, 0, m, d);
        l.of[QUERY_LATENT].gain =
            required(&l, c, in, "q_a_layernorm.weight", 0, m);
    }
    return l;
}

/* The shared keys are behind the latent, in one tensor with its map. */
Heads
rotated_heads(Heads l)
{
    const Published *p = &l.model->each[l.number];
    Published *rotated = allocate(1, sizeof *rotated);
    *rotated = *p;
    rotated->groups = 1;
    l.model = rotated;
    l.of[QUERY].first = p->d_k;
    l.of[QUERY].width = p->rope;
    l.of[KEY] = part_of(l.of[LATENT].weight, 1, p->rope, p->latent, p->rope,
                        p->d_model);
    l.of[VALUE] = l.of[OUTPUT] = l.of[LATENT] = (Projection){0};
    return l;
}

const Projection *
latent_of(const Heads *l, int map)
{
    const Projection *latent = &l->of[map == QUERY ? QUERY_LATENT : LATENT];
    return map <= VALUE && latent->weight ? latent : NULL;
}

/* Tensors are (outputs x inputs) unless the family has them transposed. Those
   of q, k and v may be one, in which they follow one another or, interleaved,
   do so in each head. */
Heads
heads_of(const Checkpoint *c, const Published *model, int layer)
{
    const Published *p = &model->each[layer];
    Heads l = {.model = p, .number = layer};
    int d = p->d_model, h = p->heads, g = p->groups, k = p->d_k, v = p->d_v;
    bool transposed = published_has(p, "transposed");
    if (!strchr(p->tensors[0], '#'))
        fail("%s: a %s can only be counted, by `qkv count --config`",
             c->directory, p->type);
    if (published_has(p, "latent"))
        return latent_heads(c, p, layer);
    for (int i = 0, first = 0; i < CONSTANT; i++) {
        bool packed = i < OUTPUT && !strcmp(p->tensors[0], p->tensors[1]);
        bool interleaved = packed && published_has(p, "interleaved");
        int heads = i == KEY || i == VALUE ? g : h, width = i <= KEY ? k : v;
        int cols = heads * width, inputs = i == OUTPUT ? cols : d;
        int outputs = cols;
        if (i == OUTPUT)
            outputs = d;
        else if (packed)
            outputs = (h + g) * k + g * v;
        /* Our W^O is turned over, too: if both are, nothing is to be swapped.
         */
        l.of[i] = (Projection){.weight = find(&l, c, i, "weight",
                                              transposed ? inputs : outputs,
                                              transposed ? outputs : inputs),
                               .bias = find(&l, c, i, "bias", 0, outputs),
                               .heads = heads,
                               .width = width,
                               .rows = d,
                               .first = packed ? first : 0,
                               .every = interleaved ? 2 * k + v : width,
                               .upright = transposed == (i == OUTPUT)};
        first += interleaved ? width : cols;
    }
    /* b^O is a map of its own, of one column; the map of W^O has no bias. */
    l.of[CONSTANT] = (Projection){.weight = l.of[OUTPUT].bias,
                                  .heads = 1,
                                  .width = 1,
                                  .rows = d,
                                  .upright = true};
    l.of[OUTPUT].bias = NULL;
    return l;
}

void
heads_take_norm(Heads *l, const Checkpoint *c)
{
    const char *pattern = l->model->norm;
    if (!strchr(pattern, '#'))
        return;
    l->gain = required(l, c, pattern, "weight", 0, l->model->d_model);
    int before = (int)(strlen(l->gain->name) - strlen("weight"));
    char *bias = format_text("%.*sbias", before, l->gain->name);
    l->shift = tensor_ending(c, bias, 0, l->model->d_model);
    free(bias);
}

bool
scores_are_normed(const Published *p)
{
    return published_has(p, "head-norm") || published_has(p, "full-norm");
}

/* The file has the first columns of all rotated pairs of a head, then the
   second ones, unless the two of a pair are side by side there, too. */
double
entry_of(const Heads *l, int map, int row, int col, const double *set)
{
    const Projection *p = &l->of[map];
    int head = col / p->width, own = col % p->width, rope = l->model->rope;
    if (map <= KEY && own < rope && !l->model->adjacent)
        own = own / 2 + own % 2 * (rope / 2);
    bool bias = row == p->rows;
    Tensor *t = bias ? p->bias : p->weight;
    if (!t)
        return 0;
    size_t at = (size_t)head * (size_t)p->every + (size_t)(p->first + own);
    size_t stride = (size_t)t->shape[1], i = (size_t)row; /* 0 of a vector */
    if (!bias)
        at = p->upright ? at * stride + i : i * stride + at;
    if (set)
        tensor_set(t, at, *set);
    return tensor_entry(t, at);
}

/* Turns n columns of a map, which are for tokens behind a norm, into those for
   tokens before its gain, and its bias into one of the columns. */
static void
pass_norm(const Heads *l, double *w, int n)
{
    int d = l->model->d_model;
    double least = published_has(l->model, "gains-from-1");
    for (int i = 0; i < d * n; i++) {
        if (l->shift)
            w[d * n + i % n] += tensor_entry(l->shift, (size_t)(i / n)) * w[i];
        w[i] *= least + tensor_entry(l->gain, (size_t)(i / n));
    }
}

/* Turns n columns that read a latent, a row for each of its entries, into those
   that read tokens. Frees them. */
static double *
through_latent(const Heads *l, int map, double *w, int n)
{
    const Projection *latent = latent_of(l, map);
    int d = l->model->d_model, inner = latent->width;
    int number = (int)(latent - l->of);
    double *down = map_columns(l, number, 0, inner);
    double *column = allocate((size_t)inner, sizeof *column);
    double *all = allocate(matrix_entries(d + 1, n), sizeof *all);
    for (int col = 0; col < n; col++) {
        for (int i = 0; i < inner; i++)
            column[i] = w[i * n + col] * tensor_entry(latent->gain, (size_t)i);
        for (int row = 0; row < d; row++)
            all[row * n + col] = fast_dot(down + row * inner, column, inner);
    }
    free(column);
    free(down);
    free(w);
    return all;
}

int
group_of(const Heads *l, int map, int head)
{
    return head * l->of[map].heads / l->model->heads;
}

double *
map_columns(const Heads *l, int map, int from, int n)
{
    int size = (l->of[map].rows + 1) * n;
    double *w = allocate((size_t)size, sizeof *w);
    for (int i = 0; i < size; i++)
        w[i] = entry_of(l, map, i / n, from + i % n, NULL);
    if (latent_of(l, map) && !l->stored)
        w = through_latent(l, map, w, n);
    if (l->gain && map <= VALUE)
        pass_norm(l, w, n);
    return w;
}

bool
bias_counts(const Heads *l, int map, int column)
{
    if (map == QUERY || published_has(l->model, "sinks"))
        return true;
    if (map == KEY)
        return column % l->of[KEY].width < l->model->rope;
    return !l->of[CONSTANT].weight;
}

double *
constant_of(const Heads *l)
{
    const Published *p = l->model;
    int v = p->d_v, count = p->heads / p->groups;
    double *sum = map_columns(l, CONSTANT, 0, 1);
    double *values = map_columns(l, VALUE, 0, p->groups * v);
    int rows = l->stored ? l->of[VALUE].rows : p->d_model;
    const double *bias = values + rows * p->groups * v;
    if (!bias_counts(l, VALUE, 0))
        for (int row = 0; row < p->d_model; row++)
            for (int col = 0; col < p->heads * v; col++)
                sum[row] += entry_of(l, OUTPUT, row, col, NULL) *
                            bias[col / v / count * v + col % v];
    free(values);
    return sum;
}

void
move_biases(const Heads *l, const Heads *to)
{
    double *constant = constant_of(l);
    for (int row = 0; row < l->model->d_model; row++)
        entry_of(to, CONSTANT, row, 0, &constant[row]);
    free(constant);
}

double
bias_norm(const Heads *l, int map, int from, int n)
{
    double sum = 0;
    for (int col = from; col < from + n; col++)
        sum += pow(entry_of(l, map, l->of[map].rows, col, NULL), 2);
    return l->of[map].bias ? sqrt(sum) : NAN;
}
