/* heads.c - finds the maps of a layer among the tensors of a checkpoint, and
   reads and writes their entries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "models/heads.h"

/* The maps CONSTANT, LATENT and QUERY_LATENT belong to no head, so they count
   as maps of one head. CONSTANT, b^O, has one column. */
enum { ONE_HEAD = 1, ONE_COLUMN = 1, FIRST_COLUMN = 0 };

/* Finds a tensor of a layer, or fails. It is a matrix or, if `rows` is VECTOR,
   a vector of `cols` entries. Its name is PATTERN.SUFFIX, with the layer's
   number instead of # in the pattern; a suffix is, for example, "weight". */
static Tensor *
layer_tensor(const Heads *l, const Checkpoint *c, const char *pattern,
             const char *suffix, int rows, int cols)
{
    const char *hash = strchr(pattern, '#');
    int before_hash = (int)(hash - pattern);
    char *name = format_text("%.*s%d%s.%s", before_hash, pattern, l->number,
                             hash + 1, suffix);
    Tensor *t = tensor_ending(c, name, rows, cols);
    if (!t)
        fail("%s: no .safetensors file has a tensor %s of %d x %d in F32, F16 "
             "or BF16, as config.json says: correct config.json, or download "
             "the files again",
             c->directory, name, rows == VECTOR ? 1 : rows, cols);
    return t;
}

/* The tensor of a map. It is (outputs x inputs), unless the family stores its
   tensors transposed. */
static Tensor *
weight_of(const Heads *l, const Checkpoint *c, int map, int inputs, int outputs)
{
    bool transposed = published_has(l->model, "transposed");
    return layer_tensor(l, c, l->model->tensors[map], "weight",
                        transposed ? inputs : outputs,
                        transposed ? outputs : inputs);
}

/* The bias of one of the maps QUERY .. OUTPUT; NULL if the family and
   config.json say that there is none. A bias that is in the files anyway is
   ignored, as by the program that runs the model. */
static Tensor *
bias_of(const Heads *l, const Checkpoint *c, int map, int outputs)
{
    const char letter = "qkvo"[map]; /* of the map in Published.biases */
    if (!strchr(l->model->biases, letter))
        return NULL;
    return layer_tensor(l, c, l->model->tensors[map], "bias", VECTOR, outputs);
}

/* A map of `heads` heads without biases, whose columns are the rows of the
   tensor, head by head. For another layout the caller changes first, stride or
   columns_are_rows. */
static Projection
map_in(Tensor *weight, int rows, int heads, int width)
{
    return (Projection){.weight = weight,
                        .heads = heads,
                        .width = width,
                        .rows = rows,
                        .stride = width,
                        .columns_are_rows = true};
}

/* Finds the maps of queries, keys and values. They may be packed in one tensor:
   one map after the other or, interleaved, the three maps of each head side by
   side. */
static void
find_input_maps(Heads *l, const Checkpoint *c)
{
    const Published *p = l->model;
    const int heads[] = {
        [QUERY] = p->heads, [KEY] = p->groups, [VALUE] = p->groups};
    const int width[] = {[QUERY] = p->d_k, [KEY] = p->d_k, [VALUE] = p->d_v};
    bool packed = !strcmp(p->tensors[QUERY], p->tensors[KEY]);
    bool interleaved = packed && published_has(p, "interleaved");
    int packed_columns = 0, first = 0; /* first: where the next map begins */
    for (int map = QUERY; map <= VALUE; map++)
        packed_columns += heads[map] * width[map];
    for (int map = QUERY; map <= VALUE; map++) {
        int columns = heads[map] * width[map];           /* of this map */
        int outputs = packed ? packed_columns : columns; /* of its tensor */
        Projection *found = &l->maps[map];
        *found = map_in(weight_of(l, c, map, p->d_model, outputs), p->d_model,
                        heads[map], width[map]);
        found->bias = bias_of(l, c, map, outputs);
        found->columns_are_rows = !published_has(p, "transposed");
        found->first = first;
        if (interleaved) { /* the next map begins within the first head */
            found->stride = width[QUERY] + width[KEY] + width[VALUE];
            first += width[map];
        } else if (packed) {
            first += columns;
        }
    }
}

/* Finds the maps of a layer with latents, without rotated columns. The names of
   its tensors all begin with one pattern. In the tensor of queries, each head
   has k columns and then r rotated ones. One tensor has keys and values: for
   each head, k columns of keys and then v of values. In the tensor of the map
   LATENT, n columns of the latent come first, and then r rotated columns of
   keys, which all heads share. */
static void
find_latent_maps(Heads *l, const Checkpoint *c)
{
    const Published *p = l->model;
    int d = p->d_model, h = p->heads, k = p->d_k, v = p->d_v, r = p->rope;
    int n = p->latent, m = p->query_latent, query_rows = m ? m : d;
    const char *in = p->tensors[QUERY];
    const char *query = m ? "q_b_proj.weight" : "q_proj.weight";
    Projection *maps = l->maps;
    l->rope = 0;
    Tensor *w = layer_tensor(l, c, in, query, h * (k + r), query_rows);
    maps[QUERY] = map_in(w, query_rows, h, k);
    maps[QUERY].stride = k + r;
    w = layer_tensor(l, c, in, "kv_b_proj.weight", h * (k + v), n);
    maps[KEY] = map_in(w, n, h, k);
    maps[VALUE] = map_in(w, n, h, v);
    maps[KEY].stride = maps[VALUE].stride = k + v;
    maps[VALUE].first = k;
    w = layer_tensor(l, c, in, "o_proj.weight", d, h * v);
    maps[OUTPUT] = map_in(w, d, h, v);
    maps[OUTPUT].columns_are_rows = false;
    maps[CONSTANT] = map_in(NULL, d, ONE_HEAD, ONE_COLUMN); /* b^O is 0 */
    w = layer_tensor(l, c, in, "kv_a_proj_with_mqa.weight", n + r, d);
    maps[LATENT] = map_in(w, d, ONE_HEAD, n);
    maps[LATENT].gain =
        layer_tensor(l, c, in, "kv_a_layernorm.weight", VECTOR, n);
    if (!m) /* queries are made from tokens */
        return;
    w = layer_tensor(l, c, in, "q_a_proj.weight", m, d);
    maps[QUERY_LATENT] = map_in(w, d, ONE_HEAD, m);
    maps[QUERY_LATENT].gain =
        layer_tensor(l, c, in, "q_a_layernorm.weight", VECTOR, m);
}

/* The map of W^O is transposed (heads.h), so its columns are the columns of a
   tensor (outputs x inputs). The map CONSTANT has b^O not as a bias but as its
   one column, so the vector counts as its weight. */
Heads
heads_of(const Checkpoint *c, const Published *model, int layer)
{
    const Published *p = &model->each[layer];
    int h = p->heads, v = p->d_v, d = p->d_model;
    Heads l = {.model = p, .number = layer, .rope = p->rope};
    if (!strchr(p->tensors[QUERY], '#')) /* it is "-" */
        fail("%s: qkv cannot open the tensors of a %s; it can count what they "
             "should be: `qkv count --config`",
             c->directory, p->type);
    if (published_has(p, "latent")) {
        find_latent_maps(&l, c);
        return l;
    }
    find_input_maps(&l, c);
    l.maps[OUTPUT] = map_in(weight_of(&l, c, OUTPUT, h * v, d), d, h, v);
    l.maps[OUTPUT].columns_are_rows = published_has(p, "transposed");
    l.maps[CONSTANT] =
        map_in(bias_of(&l, c, OUTPUT, d), d, ONE_HEAD, ONE_COLUMN);
    return l;
}

/* In the tensor of queries, the rotated columns of a head follow its others.
   The shared keys are in the tensor of the map LATENT, after the latent's
   columns. They are made from tokens, so the result has no map LATENT. */
Heads
rotated_heads(Heads l)
{
    const Published *p = l.model;
    int d = p->d_model, r = p->rope;
    l.rope = r;
    l.maps[QUERY].first = p->d_k;
    l.maps[QUERY].width = r;
    l.maps[KEY] = map_in(l.maps[LATENT].weight, d, ONE_HEAD, r);
    l.maps[KEY].first = p->latent;
    l.maps[VALUE] = l.maps[OUTPUT] = l.maps[LATENT] = (Projection){0};
    return l;
}

int
rotated_width(const Heads *l, int map)
{
    return map == QUERY || map == KEY ? l->rope : 0;
}

/* Returns whether a map makes queries, keys or values. */
static bool
is_input_map(int map)
{
    return map == QUERY || map == KEY || map == VALUE;
}

/* Returns the map of the latent that an input map may read. */
static int
latent_map(int map)
{
    return map == QUERY ? QUERY_LATENT : LATENT;
}

bool
reads_latent(const Heads *l, int map)
{
    return is_input_map(map) && l->maps[latent_map(map)].weight;
}

/* The full name of the norm's bias is that of its gain, with "bias" instead of
   "weight". A norm without a bias has no such tensor. */
void
heads_read_norm(Heads *l, const Checkpoint *c)
{
    const char *pattern = l->model->norm;
    if (!strchr(pattern, '#')) /* there is no norm */
        return;
    l->gain = layer_tensor(l, c, pattern, "weight", VECTOR, l->model->d_model);
    int stem = (int)(strlen(l->gain->name) - strlen("weight"));
    char *bias = format_text("%.*sbias", stem, l->gain->name);
    l->shift = tensor_ending(c, bias, VECTOR, l->model->d_model);
}

bool
scores_are_normed(const Published *p)
{
    return published_has(p, "head-norm") || published_has(p, "full-norm");
}

/* Returns the tensor that has an entry of a map, and sets *index to the entry's
   index in it. Returns NULL if the entry is not stored. */
static Tensor *
find_entry(const Heads *l, int map, int row, int col, size_t *index)
{
    const Projection *p = &l->maps[map];
    int head = col / p->width, in_head = col % p->width;
    bool rotated = in_head < rotated_width(l, map);
    /* In a map the two columns of a rotated pair are adjacent. In most files a
       head has the first columns of all its pairs, then the second ones. */
    if (rotated && !l->model->adjacent) {
        int pair = in_head / 2, in_pair = in_head % 2, pairs = l->rope / 2;
        in_head = in_pair * pairs + pair;
    }
    size_t column =
        (size_t)head * (size_t)p->stride + (size_t)(p->first + in_head);
    bool is_bias = row == p->rows;
    if (is_bias) {
        *index = column;
        return p->bias;
    }
    if (!p->weight)
        return NULL;
    /* How many entries a row of the tensor has. For the vector b^O it is 0, but
       then `column` is 0, too, and the index is `row`. */
    size_t length = (size_t)p->weight->shape[1];
    *index = p->columns_are_rows ? column * length + (size_t)row
                                 : (size_t)row * length + column;
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

/* Includes the norm before the layer in n columns W of a map and in their bias
   b, the last row of w: (x gain + shift) W + b = x (gain W) + (shift W + b). */
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

/* The product D gain W (d_model + 1 x n), where D is the map of a latent, and W
   has n columns of a map that reads this latent. Such a map has no bias, so the
   last row is 0. Frees W. */
static double *
through_latent(const Heads *l, int map, double *w, int n)
{
    const Projection *latent = &l->maps[latent_map(map)];
    int d = l->model->d_model, inner = latent->width;
    double *down = all_columns(l, latent_map(map));
    double *column = allocate((size_t)inner, sizeof *column); /* of gain W */
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

/* The norm before the layer changes only the tokens that the input maps read. A
   layer whose norm is included is not `as_stored`, so w then has a row for each
   entry of a token, even if the map reads a latent. */
double *
map_columns(const Heads *l, int map, int from, int n)
{
    int rows = l->maps[map].rows + 1; /* the last is the bias */
    double *w = allocate(matrix_entries(rows, n), sizeof *w);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < n; col++)
            w[row * n + col] = entry_of(l, map, row, from + col);
    if (reads_latent(l, map) && !l->as_stored)
        w = through_latent(l, map, w, n);
    if (l->gain && is_input_map(map))
        include_norm(l, w, n);
    return w;
}

double *
all_columns(const Heads *l, int map)
{
    const Projection *p = &l->maps[map];
    return map_columns(l, map, FIRST_COLUMN, p->heads * p->width);
}

void
set_columns(const Heads *l, int map, int from, int n, const double *w)
{
    for (int row = 0; row <= l->maps[map].rows; row++)
        for (int col = 0; col < n; col++)
            set_entry(l, map, row, from + col, w[row * n + col]);
}

bool
bias_counts(const Heads *l, int map, int column)
{
    if (map == QUERY || published_has(l->model, "sinks"))
        return true;
    if (map == KEY) /* only if the column is rotated */
        return column % l->maps[KEY].width < rotated_width(l, KEY);
    return !l->maps[CONSTANT].weight; /* b^O, if there is one, absorbs it */
}

/* The sum of b^O and, for each column of W^O's map, that column times the bias
   of the entry of a head's value that it multiplies. This bias is in W^V, in
   the columns of the head's group. all_columns includes the norm before the
   layer, whose own bias adds to W^V's. */
double *
constant_of(const Heads *l)
{
    const Published *p = l->model;
    int v = p->d_v, value_columns = l->maps[VALUE].heads * v;
    double *sum = all_columns(l, CONSTANT);
    if (bias_counts(l, VALUE, FIRST_COLUMN)) /* then all biases of W^V count */
        return sum;
    double *values = all_columns(l, VALUE);
    int bias_row = l->as_stored ? l->maps[VALUE].rows : p->d_model;
    const double *biases = values + bias_row * value_columns;
    for (int row = 0; row < p->d_model; row++)
        for (int col = 0; col < p->heads * v; col++) {
            int head = col / v, in_head = col % v;
            double bias = biases[group_of(l, VALUE, head) * v + in_head];
            sum[row] += entry_of(l, OUTPUT, row, col) * bias;
        }
    free(values);
    return sum;
}

void
write_constant(const Heads *l, const Heads *to)
{
    double *constant = constant_of(l);
    for (int row = 0; row < l->model->d_model; row++)
        set_entry(to, CONSTANT, row, FIRST_COLUMN, constant[row]);
    free(constant);
}

double
bias_norm(const Heads *l, int map, int from, int n)
{
    double sum = 0;
    int bias_row = l->maps[map].rows;
    if (!l->maps[map].bias)
        return NAN;
    for (int col = from; col < from + n; col++)
        sum += pow(entry_of(l, map, bias_row, col), 2);
    return sqrt(sum);
}
