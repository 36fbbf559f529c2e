/* heads.c - finds the maps of a layer among the tensors of a checkpoint, and
   reads and writes their entries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "models/heads.h"

/* Finds a tensor of a layer; a vector of `cols` entries if rows is 0. Fails if
   there is none. Its name is the pattern, in which # stands for the layer's
   number, and a suffix such as "weight". */
static Tensor *
required(const Heads *l, const Checkpoint *c, const char *pattern,
         const char *suffix, int rows, int cols)
{
    const char *hash = strchr(pattern, '#');
    char *name = format_text("%.*s%d%s.%s", (int)(hash - pattern), pattern,
                             l->number, hash + 1, suffix);
    Tensor *t = tensor_ending(c, name, rows, cols);
    if (!t)
        fail("%s: its .safetensors have no %s of %d x %d in F32, F16 or BF16, "
             "which config.json asks for; download them again",
             c->directory, name, rows ? rows : 1, cols);
    free(name);
    return t;
}

/* The tensor of a map, which is stored as (outputs x inputs), unless the family
   has it transposed. */
static Tensor *
weight_of(const Heads *l, const Checkpoint *c, int map, int inputs, int outputs)
{
    const char *pattern = l->model->tensors[map];
    if (published_has(l->model, "transposed"))
        return required(l, c, pattern, "weight", inputs, outputs);
    return required(l, c, pattern, "weight", outputs, inputs);
}

/* The bias of a map; NULL if the family or config.json does not have one, even
   if the files do, because the program that runs the model ignores it. */
static Tensor *
bias_of(const Heads *l, const Checkpoint *c, int map, int outputs)
{
    if (!strchr(l->model->biases, "qkvo"[map]))
        return NULL;
    return required(l, c, l->model->tensors[map], "bias", 0, outputs);
}

/* A map with this many rows and heads of this width, without a bias. Column j
   of head i is row first + i stride + j of the tensor. */
static Projection
rows_of(Tensor *weight, int rows, int heads, int width, int first, int stride)
{
    return (Projection){weight, NULL,   heads, width, rows,
                        first,  stride, true,  NULL};
}

/* Finds the maps of queries, keys and values. They may be in one tensor: one
   after the other or, interleaved, those of each head side by side. */
static void
find_input_maps(Heads *l, const Checkpoint *c)
{
    const Published *p = l->model;
    const int heads[] = {p->heads, p->groups, p->groups};
    const int width[] = {p->d_k, p->d_k, p->d_v};
    bool packed = !strcmp(p->tensors[QUERY], p->tensors[KEY]);
    bool interleaved = packed && published_has(p, "interleaved");
    int all_columns = 0, first = 0;
    for (int map = QUERY; map <= VALUE; map++)
        all_columns += heads[map] * width[map];
    for (int map = QUERY; map <= VALUE; map++) {
        int columns = heads[map] * width[map];
        int outputs = packed ? all_columns : columns;
        Tensor *weight = weight_of(l, c, map, p->d_model, outputs);
        int stride = interleaved ? p->d_k + p->d_k + p->d_v : width[map];
        l->maps[map] =
            rows_of(weight, p->d_model, heads[map], width[map], first, stride);
        l->maps[map].bias = bias_of(l, c, map, outputs);
        l->maps[map].columns_are_rows = !published_has(p, "transposed");
        if (packed)
            first += interleaved ? width[map] : columns;
    }
}

/* Finds the maps of latent attention, without rotated columns. In the tensor of
   queries, each head has k columns and then its r rotated ones; in the tensor
   of keys and values, the k columns of its keys and then the v of its values.
 */
static void
find_latent_maps(Heads *l, const Checkpoint *c)
{
    const Published *p = l->model;
    int d = p->d_model, h = p->heads, k = p->d_k, v = p->d_v, r = p->rope;
    int n = p->latent, m = p->query_latent, query_rows = m ? m : d;
    const char *in = p->tensors[0];
    Tensor *q = required(l, c, in, m ? "q_b_proj.weight" : "q_proj.weight",
                         h * (k + r), query_rows);
    Tensor *kv = required(l, c, in, "kv_b_proj.weight", h * (k + v), n);
    Tensor *out = required(l, c, in, "o_proj.weight", d, h * v);
    Tensor *down = required(l, c, in, "kv_a_proj_with_mqa.weight", n + r, d);
    l->rope = 0;
    l->maps[QUERY] = rows_of(q, query_rows, h, k, 0, k + r);
    l->maps[KEY] = rows_of(kv, n, h, k, 0, k + v);
    l->maps[VALUE] = rows_of(kv, n, h, v, k, k + v);
    l->maps[OUTPUT] = rows_of(out, d, h, v, 0, v);
    l->maps[OUTPUT].columns_are_rows = false;
    l->maps[CONSTANT] = rows_of(NULL, d, 1, 1, 0, 1);
    l->maps[LATENT] = rows_of(down, d, 1, n, 0, n);
    l->maps[LATENT].gain = required(l, c, in, "kv_a_layernorm.weight", 0, n);
    if (m) {
        down = required(l, c, in, "q_a_proj.weight", m, d);
        l->maps[QUERY_LATENT] = rows_of(down, d, 1, m, 0, m);
        l->maps[QUERY_LATENT].gain =
            required(l, c, in, "q_a_layernorm.weight", 0, m);
    }
}

/* The map of W^O is transposed (heads.h); b^O is a map of one column. */
Heads
heads_of(const Checkpoint *c, const Published *model, int layer)
{
    const Published *p = &model->each[layer];
    int h = p->heads, v = p->d_v, d = p->d_model;
    Heads l = {.model = p, .number = layer, .rope = p->rope};
    if (!strchr(p->tensors[0], '#'))
        fail("%s: a %s can only be counted, by `qkv count --config`",
             c->directory, p->type);
    if (published_has(p, "latent")) {
        find_latent_maps(&l, c);
        return l;
    }
    find_input_maps(&l, c);
    l.maps[OUTPUT] = rows_of(weight_of(&l, c, OUTPUT, h * v, d), d, h, v, 0, v);
    l.maps[OUTPUT].columns_are_rows = published_has(p, "transposed");
    l.maps[CONSTANT] = rows_of(bias_of(&l, c, OUTPUT, d), d, 1, 1, 0, 1);
    return l;
}

/* In the tensor of queries the rotated columns of a head follow its others. The
   shared keys follow the latent, in the tensor of its map. */
Heads
rotated_heads(Heads l)
{
    const Published *p = l.model;
    int d = p->d_model, r = p->rope;
    l.rope = r;
    l.maps[QUERY].first = p->d_k;
    l.maps[QUERY].width = r;
    l.maps[KEY] = rows_of(l.maps[LATENT].weight, d, 1, r, p->latent, r);
    l.maps[VALUE] = l.maps[OUTPUT] = l.maps[LATENT] = (Projection){0};
    return l;
}

const Projection *
latent_of(const Heads *l, int map)
{
    const Projection *latent = &l->maps[map == QUERY ? QUERY_LATENT : LATENT];
    return map <= VALUE && latent->weight ? latent : NULL;
}

/* A norm without a bias has no such tensor. */
void
heads_read_norm(Heads *l, const Checkpoint *c)
{
    const char *pattern = l->model->norm;
    if (!strchr(pattern, '#'))
        return;
    l->gain = required(l, c, pattern, "weight", 0, l->model->d_model);
    int stem = (int)(strlen(l->gain->name) - strlen("weight"));
    char *bias = format_text("%.*sbias", stem, l->gain->name);
    l->shift = tensor_ending(c, bias, 0, l->model->d_model);
    free(bias);
}

bool
scores_are_normed(const Published *p)
{
    return published_has(p, "head-norm") || published_has(p, "full-norm");
}

/* Returns the tensor that holds an entry of a map, and sets *index to the
   entry's index in it. Returns NULL if the entry is not stored. Our rotated
   pairs are adjacent, but most files have the first columns of all pairs of a
   head, then the second ones. */
static Tensor *
find_entry(const Heads *l, int map, int row, int col, size_t *index)
{
    const Projection *p = &l->maps[map];
    int head = col / p->width, own = col % p->width;
    bool rotated = map <= KEY && own < l->rope;
    if (rotated && !l->model->adjacent) /* pair own / 2, first or second */
        own = own / 2 + own % 2 * (l->rope / 2);
    size_t place = (size_t)head * (size_t)p->stride + (size_t)(p->first + own);
    if (row == p->rows) {
        *index = place;
        return p->bias;
    }
    if (!p->weight)
        return NULL;
    size_t length = (size_t)p->weight->shape[1]; /* of a row; 0 of a vector */
    *index = p->columns_are_rows ? place * length + (size_t)row
                                 : (size_t)row * length + place;
    return p->weight;
}

double
entry_of(const Heads *l, int map, int row, int col)
{
    size_t index;
    const Tensor *t = find_entry(l, map, row, col, &index);
    return t ? tensor_entry(t, index) : 0;
}

void
set_entry(const Heads *l, int map, int row, int col, double value)
{
    size_t index;
    Tensor *t = find_entry(l, map, row, col, &index);
    if (t)
        tensor_set(t, index, value);
}

/* Includes the norm before the layer in n columns W of a map and their bias b:
   (x gain + shift) W + b = x (gain W) + (shift W + b). */
static void
include_norm(const Heads *l, double *w, int n)
{
    int d = l->model->d_model;
    double *bias = w + d * n;
    double base = published_has(l->model, "gains-from-1") ? 1 : 0;
    for (int row = 0; row < d; row++) {
        double gain = base + tensor_entry(l->gain, (size_t)row);
        double shift = l->shift ? tensor_entry(l->shift, (size_t)row) : 0;
        for (int col = 0; col < n; col++) {
            bias[col] += shift * w[row * n + col];
            w[row * n + col] *= gain;
        }
    }
}

/* The product D gain W of n columns W that read a latent with the map that
   makes the latent from tokens. Such columns have no bias. Frees W. */
static double *
through_latent(const Heads *l, int map, double *w, int n)
{
    const Projection *latent = latent_of(l, map);
    int d = l->model->d_model, inner = latent->width;
    int latent_map = map == QUERY ? QUERY_LATENT : LATENT;
    double *down = map_columns(l, latent_map, 0, inner);
    double *column = allocate((size_t)inner, sizeof *column);
    double *product = allocate(matrix_entries(d + 1, n), sizeof *product);
    for (int col = 0; col < n; col++) {
        for (int i = 0; i < inner; i++)
            column[i] = w[i * n + col] * tensor_entry(latent->gain, (size_t)i);
        for (int row = 0; row < d; row++)
            product[row * n + col] =
                fast_dot(down + row * inner, column, inner);
    }
    free(column);
    free(down);
    free(w);
    return product;
}

int
group_of(const Heads *l, int map, int head)
{
    return head * l->maps[map].heads / l->model->heads;
}

double *
map_columns(const Heads *l, int map, int from, int n)
{
    int rows = l->maps[map].rows + 1; /* the last is the bias */
    double *w = allocate(matrix_entries(rows, n), sizeof *w);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < n; col++)
            w[row * n + col] = entry_of(l, map, row, from + col);
    if (latent_of(l, map) && !l->as_stored)
        w = through_latent(l, map, w, n);
    if (l->gain && map <= VALUE)
        include_norm(l, w, n);
    return w;
}

bool
bias_counts(const Heads *l, int map, int column)
{
    if (map == QUERY || published_has(l->model, "sinks"))
        return true;
    if (map == KEY)
        return column % l->maps[KEY].width < l->rope;
    return !l->maps[CONSTANT].weight;
}

double *
constant_of(const Heads *l)
{
    const Published *p = l->model;
    int v = p->d_v, columns = l->maps[VALUE].heads * v;
    double *sum = map_columns(l, CONSTANT, 0, 1);
    if (bias_counts(l, VALUE, 0))
        return sum;
    double *values = map_columns(l, VALUE, 0, columns);
    int rows = l->as_stored ? l->maps[VALUE].rows : p->d_model;
    const double *bias = values + rows * columns;
    for (int row = 0; row < p->d_model; row++)
        for (int col = 0; col < p->heads * v; col++) {
            int group = group_of(l, VALUE, col / v);
            sum[row] +=
                entry_of(l, OUTPUT, row, col) * bias[group * v + col % v];
        }
    free(values);
    return sum;
}

void
move_biases(const Heads *l, const Heads *to)
{
    double *constant = constant_of(l);
    for (int row = 0; row < l->model->d_model; row++)
        set_entry(to, CONSTANT, row, 0, constant[row]);
    free(constant);
}

double
bias_norm(const Heads *l, int map, int from, int n)
{
    double sum = 0;
    int bias_row = l->maps[map].rows;
    for (int col = from; col < from + n; col++)
        sum += pow(entry_of(l, map, bias_row, col), 2);
    return l->maps[map].bias ? sqrt(sum) : NAN;
}
