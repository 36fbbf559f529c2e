/* fit_equation.c - fills the matrices of an equation from a canonical form.

   softmax(x A_i (y B_i)' / sqrt(d_k)) y C_i D_i is fitted as
   variants/standard.c is: A_i and B_i are factors of M_i, C_i and D_i of N_i.
   If tokens are multiplied by square matrices before A_i, B_i or C_i, the
   square matrices become the identity. An equation is read from its plan, a
   list of steps in which each matrix has a number (equation/steps.h). */
#include "algebra/fit_equation.h"

/* This is given instead of the number of a matrix if there is none. */
enum { NO_MATRIX = -1 };

/* A product of tokens and matrices, such as x A B C. It is read backwards, so
   from_last[0] is the number of C in the plan, and from_last[2] that of A. */
enum { MOST_MATRICES = 8 };
typedef struct Product {
    int from_last[MOST_MATRICES];
    int count;
} Product;

/* An equation that can be fitted:
   out_scale softmax(scale x q (y k)') y v out. */
typedef struct Fittable {
    Product q, k, v;
    int out; /* the matrix that maps the heads back to d_model columns */
    Tree *scale, *out_scale; /* NULL means 1 */
    int latent; /* the matrix that makes a latent vector, from which both k and
                   v are made (split_off_latent), or NO_MATRIX */
} Fittable;

/* The numbers of the operands of a map A B, and of attention. A step with a
   single operand has only A. */
enum { A, B };
enum { QUERIES, KEYS, VALUES };

/* The step that computes an operand of s: A or B, or QUERIES, KEYS or VALUES.
 */
static const Step *
operand(const Plan *p, const Step *s, int which)
{
    return &p->step[s->in[which]];
}

/* The number of the matrix B of a map A B, or NO_MATRIX if the step is not a
   map, or if B is not a matrix of weights. */
static int
matrix_of_map(const Plan *p, const Step *s)
{
    const Step *by = operand(p, s, B);
    bool is_map = s->kind == STEP_MAP && by->kind == STEP_WEIGHT;
    return is_map ? by->weight : NO_MATRIX;
}

/* Reads a product of tokens and matrices backwards, from its last step s.
   Returns false if it is no such product, does not begin with `tokens` (STEP_X
   or STEP_Y), or has more than MOST_MATRICES matrices. Splitting into heads and
   caching change no entry, so these steps may be anywhere. */
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

/* Reads the steps of the output, scale(map(attend(q, k, v), out)), in which
   scale may be missing. Returns false if the output has other steps. */
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

/* Returns whether a matrix is shared by all heads, and square at every shape:
   its numbers of rows and columns are the same scalar of the equation. */
static bool
is_shared_square(const Plan *p, int weight)
{
    const PlanWeight *w = &p->weight[weight];
    return !w->heads &&
           equal_scalars(p->text, width_known(w->rows), width_known(w->cols));
}

/* If keys and values begin with the same matrix, and it is not square, they are
   made from a latent vector. That matrix is fitted first, so it becomes
   r->latent, and is removed from both products. */
static void
split_off_latent(const Plan *p, Fittable *r)
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

/* The number of the last matrix of a product, or NO_MATRIX. */
static int
last_of(const Product *product)
{
    return product->count > 0 ? product->from_last[0] : NO_MATRIX;
}

/* Returns whether all matrices of a product except the last are square and
   shared by all heads. Only the last is fitted; the others become I. */
static bool
squares_before_last(const Plan *p, const Product *product)
{
    for (int i = 1; i < product->count; i++) /* 0 is the last */
        if (!is_shared_square(p, product->from_last[i]))
            return false;
    return true;
}

/* Counts the places in which a matrix is fitted. A matrix is fitted if it is
   the last of the queries, of the keys or of the values, or the matrix of the
   output or of the latent. */
static int
times_fitted(const Fittable *r, int weight)
{
    return (last_of(&r->q) == weight) + (last_of(&r->k) == weight) +
           (last_of(&r->v) == weight) + (r->out == weight) +
           (r->latent == weight);
}

/* Returns whether a matrix has a block for each head: its number of blocks,
   PlanWeight.heads, is h. If no matrix of the equation has blocks, there is
   only one head, and each matrix is its block. */
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

/* Returns whether a head's block of a matrix is known to be d_model x d_model,
   and so can be M_i or N_i itself. */
static bool
is_whole_map(const Plan *p, int weight)
{
    const PlanWeight *w = &p->weight[weight];
    Tree *d_model = tree_name("d_model");
    return equal_scalars(p->text, width_known(w->rows), d_model) &&
           equal_scalars(p->text, width_known(w->cols), d_model);
}

/* Returns whether a matrix can be filled. */
static bool
can_fill(const Plan *p, const Fittable *r, int weight)
{
    int times = times_fitted(r, weight);
    if (times == 0) /* it becomes the identity */
        return is_shared_square(p, weight);
    if (times == 1)
        return true;
    /* A matrix of queries and of keys, and of nothing else, is fitted to the
       symmetric part of M_i. It must be the only one of each. */
    bool one_matrix_each =
        r->q.count == 1 && r->k.count == 1 && r->latent == NO_MATRIX;
    return times == 2 && last_of(&r->q) == weight && last_of(&r->k) == weight &&
           one_matrix_each;
}

/* Returns whether each head can get its own M_i and N_i, or the nearest ones of
   the rank that its matrices allow. */
static bool
holds_any_form(const Plan *p, const Fittable *r)
{
    int query = last_of(&r->q);
    if (query == NO_MATRIX)
        return false;
    /* Without a matrix for keys, the queries' matrix has to be M_i itself;
       without one for values, the output's has to be N_i. */
    bool holds_m = r->k.count > 0 || is_whole_map(p, query);
    bool holds_n = r->v.count > 0 || is_whole_map(p, r->out);
    /* Heads may share keys and values. But with the same queries or the same
       output map, their M_i or N_i could not differ as they like. */
    return holds_m && holds_n && has_block_for_each_head(p, query) &&
           has_block_for_each_head(p, r->out);
}

/* Reads the products of an equation into *r. Returns false if the equation is
   not made of such products, or if its matrices cannot be filled for every M
   and N. */
static bool
read_fittable(const Plan *p, Fittable *r)
{
    if (!read_attention(p, r))
        return false;
    split_off_latent(p, r);
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

/* The entries of matrix `weight` of the plan. The variant declares its matrices
   in the order p->order, and `w` counts them in that order. */
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
    read_fittable(p, &r); /* returns true, since plan_has_fit did */
    double scale = r.scale ? scalar_value(r.scale, a) : 1;
    double out_scale = r.out_scale ? scalar_value(r.out_scale, a) : 1;
    if (scale == 0 || out_scale == 0)
        bug("%s: its scores or its output are multiplied by 0, so it cannot be "
            "fitted: remove that factor, or choose sizes at which it is not 0",
            p->text->path);
    for (int declared = 0; declared < p->weights; declared++)
        if (times_fitted(&r, p->order[declared]) == 0) /* square, by can_fill */
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
