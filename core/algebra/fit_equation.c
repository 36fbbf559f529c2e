/* fit_equation.c - fills the matrices of an equation from a canonical form.

   softmax(x A_i (y B_i)' / sqrt(d_k)) y C_i D_i is fitted as
   variants/standard.c is: A_i and B_i are factors of M_i, C_i and D_i of N_i.
   Square matrices by which the tokens are multiplied before A_i, B_i or C_i are
   set to the identity. An equation is read from its plan (equation/steps.h), in
   which a matrix has a number. */
#include "algebra/fit_equation.h"

/* Stands for the number of a matrix if the equation has none in that place. */
enum { NO_MATRIX = -1 };

/* A product of tokens and matrices, x A B C: the numbers of the matrices in the
   plan, backwards, as they are read: from_last[0] is C. */
enum { MOST_MATRICES = 8 };
typedef struct Product {
    int from_last[MOST_MATRICES];
    int count;
} Product;

/* An equation that can be fitted:
   out_scale softmax(scale x q (y k)') y v out. */
typedef struct Fittable {
    Product q, k, v;
    int out; /* the matrix that leads back from the heads to d_model columns */
    Tree *scale, *out_scale; /* NULL for 1 */
    int latent; /* the first matrix of both k and v, if it is the same one and
                   not square; NO_MATRIX if there is none. k and v lack it. */
} Fittable;

/* Which operand of a step: the two of a map A B, or the three of attention. A
   step with a single operand has only A. */
enum { A, B };
enum { QUERIES, KEYS, VALUES };

static const Step *
operand(const Plan *p, const Step *s, int which)
{
    return &p->step[s->in[which]];
}

/* The matrix of a map, or NO_MATRIX if the step is not a map, or maps by
   something else. */
static int
matrix_of_map(const Plan *p, const Step *s)
{
    const Step *by = operand(p, s, B);
    bool is_map = s->kind == STEP_MAP && by->kind == STEP_WEIGHT;
    return is_map ? by->weight : NO_MATRIX;
}

/* Reads a product of tokens and matrices backwards, from its last step. Returns
   whether it is one, and begins with these tokens, STEP_X or STEP_Y. Splitting
   it into heads and caching it change no entry, so they may be anywhere. */
static bool
read_product(const Plan *p, const Step *s, StepKind tokens, Product *product)
{
    for (; s->kind != tokens; s = operand(p, s, A)) {
        if (s->kind == STEP_SPLIT || s->kind == STEP_CACHED)
            continue;
        int matrix = matrix_of_map(p, s);
        if (matrix == NO_MATRIX || product->count == MOST_MATRICES)
            return false;
        product->from_last[product->count] = matrix;
        product->count++;
    }
    return true;
}

/* Reads the output SCALE(MAP(ATTEND(q, k, v), out)), in which SCALE may be
   missing; returns false if the output is not made so. */
static bool
read_attention(const Plan *p, Fittable *r)
{
    const Step *s = &p->step[p->output];
    *r = (Fittable){.latent = NO_MATRIX};
    if (s->kind == STEP_SCALE) {
        r->out_scale = s->scalar[ONLY_SCALAR];
        s = operand(p, s, A);
    }
    r->out = matrix_of_map(p, s);
    s = operand(p, s, A);
    if (r->out == NO_MATRIX || s->kind != STEP_ATTEND)
        return false;
    r->scale = s->scalar[ONLY_SCALAR];
    return read_product(p, operand(p, s, QUERIES), STEP_X, &r->q) &&
           read_product(p, operand(p, s, KEYS), STEP_Y, &r->k) &&
           read_product(p, operand(p, s, VALUES), STEP_Y, &r->v);
}

/* Returns whether a matrix is shared by all heads, and certainly square: its
   rows and columns are the same scalar of the equation. */
static bool
is_shared_square(const Plan *p, int weight)
{
    const PlanWeight *w = &p->weight[weight];
    return !w->heads &&
           equal_scalars(p->text, width_known(w->rows), width_known(w->cols));
}

/* Keys and values that begin with the same narrow matrix are made from a latent
   vector: that matrix is fitted first, and is left out of both. */
static void
take_latent(const Plan *p, Fittable *r)
{
    Product *k = &r->k, *v = &r->v;
    if (k->count < 2 || v->count < 2) /* one would have no matrix left */
        return;
    int k_first = k->from_last[k->count - 1];
    int v_first = v->from_last[v->count - 1];
    if (k_first != v_first || is_shared_square(p, k_first))
        return;
    r->latent = k_first;
    k->count--; /* drops its first matrix */
    v->count--;
}

/* The last matrix of a product, or NO_MATRIX. */
static int
last_of(const Product *product)
{
    return product->count > 0 ? product->from_last[0] : NO_MATRIX;
}

/* Returns whether all matrices of a product, except perhaps the last, are
   square. Only the last is fitted; the others become I. */
static bool
squares_before_last(const Plan *p, const Product *product)
{
    for (int i = 1; i < product->count; i++) /* 0 is the last */
        if (!is_shared_square(p, product->from_last[i]))
            return false;
    return true;
}

/* Counts the fitted places in which a matrix is used. These places are the last
   matrix of the queries, of the keys and of the values, the output map, and the
   latent's map. */
static int
times_fitted(const Fittable *r, int weight)
{
    return (last_of(&r->q) == weight) + (last_of(&r->k) == weight) +
           (last_of(&r->v) == weight) + (r->out == weight) +
           (r->latent == weight);
}

/* Returns whether a matrix has a block for each head. If no matrix of the
   equation has blocks, there is only one head, and each matrix is its block. */
static bool
has_block_for_each_head(const Plan *p, int weight)
{
    const PlanWeight *w = &p->weight[weight];
    bool one_head = true;
    for (int i = 0; i < p->weights; i++)
        if (p->weight[i].heads)
            one_head = false;
    return one_head || equal_scalars(p->text, w->heads, tree_name("h"));
}

/* Returns whether a head's block is d_model x d_model, so that the block is M_i
   or N_i itself. */
static bool
is_whole_map(const Plan *p, int weight)
{
    const PlanWeight *w = &p->weight[weight];
    Tree *d_model = tree_name("d_model");
    return equal_scalars(p->text, width_known(w->rows), d_model) &&
           equal_scalars(p->text, width_known(w->cols), d_model);
}

/* Returns whether a matrix can be filled. A matrix that is fitted in one place
   can be filled, and so can a square matrix that is fitted in no place: it
   becomes the identity. A matrix that is the last of both queries and keys can
   be fitted to the symmetric part of M_i, if the scores have no other matrix
   and it has no third place. */
static bool
can_fill(const Plan *p, const Fittable *r, int weight)
{
    int times = times_fitted(r, weight);
    bool one_matrix_each =
        r->q.count == 1 && r->k.count == 1 && r->latent == NO_MATRIX;
    if (last_of(&r->q) == weight && last_of(&r->k) == weight)
        return times == 2 && one_matrix_each;
    return times == 1 || (times == 0 && is_shared_square(p, weight));
}

/* Returns whether the matrices that are fitted have enough blocks and columns
   for any M_i and N_i. Keys and values may be shared by heads, but queries and
   outputs may not: else the heads' M_i or N_i could not differ. Without a
   matrix for the keys, that of the queries is M_i itself; without one for the
   values, the output map is N_i. */
static bool
holds_any_form(const Plan *p, const Fittable *r)
{
    int query = last_of(&r->q);
    if (query == NO_MATRIX)
        return false;
    return has_block_for_each_head(p, query) &&
           has_block_for_each_head(p, r->out) &&
           (r->k.count || is_whole_map(p, query)) &&
           (r->v.count || is_whole_map(p, r->out));
}

/* Reads the products of an equation into *r; returns false if the equation is
   not made of such products, or if its matrices cannot be filled from any M and
   N. */
static bool
read_fittable(const Plan *p, Fittable *r)
{
    if (!read_attention(p, r))
        return false;
    take_latent(p, r);
    if (!squares_before_last(p, &r->q) || !squares_before_last(p, &r->k) ||
        !squares_before_last(p, &r->v) || !holds_any_form(p, r))
        return false;
    for (int weight = 0; weight < p->weights; weight++)
        if (!can_fill(p, r, weight))
            return false;
    return true;
}

bool
plan_has_fit(const Plan *p)
{
    Fittable r;
    return read_fittable(p, &r);
}

/* The entries of a matrix of the plan. The variant declares its matrices in the
   order p->order, in which they have the numbers that `w` needs. */
static Part
part_of(const Plan *p, Entries *w, int weight)
{
    int declared = 0;
    while (p->order[declared] != weight)
        declared++;
    return matrix_of(w, declared);
}

void
plan_fit(const Plan *p, const Form *f, const Attention *a, Entries *w)
{
    Fittable r;
    read_fittable(p, &r); /* it returns true, since plan_has_fit did */
    double scale = r.scale ? scalar_value(r.scale, a) : 1;
    double out_scale = r.out_scale ? scalar_value(r.out_scale, a) : 1;
    if (scale == 0 || out_scale == 0)
        bug("%s: its scores or its output are multiplied by 0, so it cannot be "
            "fitted: remove that factor, or choose sizes at which it is not 0",
            p->text->path);
    for (int declared = 0; declared < p->weights; declared++)
        if (times_fitted(&r, p->order[declared]) == 0) /* see can_fill */
            put_identity(w, declared);
    if (r.latent != NO_MATRIX)
        f = through(f, part_of(p, w, r.latent));

    Part q = part_of(p, w, last_of(&r.q)), out = part_of(p, w, r.out);
    if (!r.k.count)
        put_scores(f, scale, q);
    else if (last_of(&r.q) == last_of(&r.k))
        factor_symmetric(f, scale, q);
    else
        factor_scores(f, scale, q, part_of(p, w, last_of(&r.k)));
    if (!r.v.count)
        put_values(f, out_scale, out);
    else
        factor_values(f, out_scale, part_of(p, w, last_of(&r.v)), out);
}
