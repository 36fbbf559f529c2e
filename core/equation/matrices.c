/* matrices.c - the matrices of an equation: their names, shapes and order. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "equation/matrices.h"

/* The index behind the first "_" of a name, as in W_i^Q or alpha_1i: 'i' for
   each head, 'g' for each group of heads, or 0. */
char
index_of(const char *name)
{
    const char *sub = strchr(name, '_');
    if (!sub)
        return 0;
    size_t digits = strspn(sub + 1, "0123456789");
    char index = sub[1 + digits], after = index ? sub[2 + digits] : 0;
    bool ends = after == 0 || after == '^';
    return ends && (index == 'i' || index == 'g') ? index : 0;
}

/* The name without its index: W_i^Q is W^Q, alpha_1i is alpha_1. */
static const char *
without_index(const char *name)
{
    if (!index_of(name))
        return name;
    const char *index = strchr(name, '_') + 1;
    index += strspn(index, "0123456789"); /* a number stays: alpha_1 */
    int before = (int)(index - name);
    if (index[-1] == '_') /* no number: the _ belongs to the index */
        before--;
    return interned(format_text("%.*s%s", before, name, index + 1));
}

Tree *
heads_of_index(char index)
{
    return index == 'i' ? tree_name("h") : index == 'g' ? tree_name("g") : NULL;
}

const Declaration *
declaration_of(const EquationText *e, const char *name)
{
    for (int i = 0; i < e->declarations; i++)
        if (e->declaration[i].name == name)
            return &e->declaration[i];
    return NULL;
}

/* The number of the matrix of that name. A new one is added if the plan has
   none. */
int
weight_of(Builder *b, const char *name, const char *at)
{
    Plan *p = b->plan;
    for (int i = 0; i < p->weights; i++)
        if (p->weight[i].written == name)
            return i;
    const Declaration *d = declaration_of(b->text, name);
    PlanWeight w = {.written = name,
                    .heads = heads_of_index(index_of(name)),
                    .rows = width_new(NULL),
                    .cols = width_new(NULL),
                    .declared = d,
                    .at = at};
    if (d) {
        w.rows->value = d->rows;
        w.cols->value = d->cols;
    }
    p->weight = grow(p->weight, p->weights, &p->weight_capacity, sizeof w);
    p->weight[p->weights] = w;
    p->weights++;
    return p->weights - 1;
}

/* The rank of a matrix in the plugin's declarations, if the equation does not
   declare all of them: maps come first, those nearest to the tokens before
   others. Rows, such as biases, and mixtures of heads come last. */
static int
rank_of(const PlanWeight *w)
{
    bool row = width_known(w->rows)->kind == TREE_NUMBER;
    return w->mixes || row ? INT_MAX : w->depth;
}

/* Is matrix k of the plan declared before matrix i? If every matrix has a line
   that declares it, the order is that of the lines; otherwise it is that of the
   ranks and, for equal ranks, that in which the equation names them. */
static bool
declared_before(const Plan *p, int k, int i, bool by_lines)
{
    const PlanWeight *first = &p->weight[k], *second = &p->weight[i];
    if (by_lines)
        return first->declared < second->declared;
    int one = rank_of(first), other = rank_of(second);
    return one == other ? k < i : one < other;
}

void
order_weights(Plan *p)
{
    bool by_lines = true;
    for (int i = 0; i < p->weights; i++)
        by_lines &= p->weight[i].declared != NULL;
    p->order = allocate((size_t)p->weights + 1, sizeof *p->order);
    for (int i = 0; i < p->weights; i++) {
        int before = 0;
        for (int k = 0; k < p->weights; k++)
            if (k != i && declared_before(p, k, i, by_lines))
                before++;
        p->order[before] = i;
    }
}

/* A matrix is stored without its index, W^Q for W_i^Q, unless the equation also
   names a W^Q. */
void
name_weights(Plan *p)
{
    for (int i = 0; i < p->weights; i++) {
        PlanWeight *w = &p->weight[i];
        w->stored = without_index(w->written);
        for (int k = 0; k < p->weights; k++)
            if (k != i && without_index(p->weight[k].written) == w->stored)
                w->stored = w->written;
    }
}

/* The rows or columns of `blocks` blocks of that width, or of one block if that
   is NULL. Exits unless they are a whole number. */
static int
stored_size(const Plan *p, const PlanWeight *w, const Tree *blocks,
            const Width *width, const Attention *a)
{
    double count = blocks ? scalar_value(blocks, a) : 1;
    double size = count * scalar_value(width_known(width), a);
    if (!(size >= 1 && size <= INT_MAX && size == floor(size)))
        fail("%s: %s would have %g x %s = %g rows or columns: choose sizes "
             "that make it a whole number",
             p->text->path, w->written, count, scalar_text(width_known(width)),
             size);
    return (int)size;
}

int
stored_rows(const Plan *p, const PlanWeight *w, const Attention *a)
{
    return stored_size(p, w, w->stacked ? w->heads : NULL, w->rows, a);
}

int
stored_cols(const Plan *p, const PlanWeight *w, const Attention *a)
{
    return stored_size(p, w, w->stacked ? NULL : w->heads, w->cols, a);
}
