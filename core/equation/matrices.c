/* matrices.c - the matrices of an equation: their names, shapes and order. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "equation/matrices.h"

/* A pointer to the index in a name; NULL if the name has none. The index is an
   i or g after the first "_", as in W_i^Q. Digits may precede it, as in
   alpha_1i. Only "^" or the end of the name may follow it. */
static const char *
index_letter(const char *name)
{
    const char *underscore = strchr(name, '_');
    if (!underscore)
        return NULL;
    const char *letter = underscore + 1;
    letter += strspn(letter, "0123456789");
    if (*letter != 'i' && *letter != 'g')
        return NULL;
    bool is_index = letter[1] == 0 || letter[1] == '^';
    return is_index ? letter : NULL;
}

char
index_of(const char *name)
{
    const char *letter = index_letter(name);
    return letter ? *letter : 0;
}

/* The name without its index, and without a "_" directly before the index: W^Q
   for W_i^Q, and alpha_1 for alpha_1i. */
static const char *
without_index(const char *name)
{
    const char *letter = index_letter(name);
    if (!letter)
        return name;
    const char *end = letter[-1] == '_' ? letter - 1 : letter;
    return interned(format_text("%.*s%s", (int)(end - name), name, letter + 1));
}

Tree *
heads_of_index(char index)
{
    if (index == 'i')
        return tree_name("h");
    return index == 'g' ? tree_name("g") : NULL;
}

PlanWeight *
used_weight(const Plan *p, const char *name)
{
    for (int i = 0; i < p->weights; i++)
        if (p->weight[i].written == name)
            return &p->weight[i];
    return NULL;
}

int
find_or_add_weight(Builder *b, const char *name)
{
    Plan *p = b->plan;
    const PlanWeight *known = used_weight(p, name);
    if (known)
        return (int)(known - p->weight);
    const Declaration *d = declaration_of(b->text, name);
    PlanWeight w = {.written = name,
                    .heads = heads_of_index(index_of(name)),
                    .rows = width_new(d ? d->rows : NULL),
                    .cols = width_new(d ? d->cols : NULL),
                    .declared = d};
    p->weight = grow(p->weight, p->weights, &p->weight_capacity, sizeof w);
    p->weight[p->weights] = w;
    p->weights++;
    return p->weights - 1;
}

/* Ranks a matrix by where it is used: the fewer matrices between it and the
   tokens, the lower its rank. Matrices that mix heads have the last rank, and
   so have those whose number of rows is written as a number, not as a size such
   as d_model: biases, gains and sinks, which have 1 row. */
static int
rank_by_use(const PlanWeight *w)
{
    const int last = INT_MAX;
    bool rows_are_number = width_known(w->rows)->kind == TREE_NUMBER;
    return w->mixes || rows_are_number ? last : w->depth;
}

/* Does the equation declare every matrix? */
static bool
all_declared(const Plan *p)
{
    for (int i = 0; i < p->weights; i++)
        if (!p->weight[i].declared)
            return false;
    return true;
}

/* If the equation declares every matrix, the order is that of the declarations.
   Otherwise matrices are sorted by rank_by_use, and matrices of equal rank by
   their first use, which is their order in Plan.weight. The position of a
   matrix is the number of matrices that come before it. */
void
order_weights(Plan *p)
{
    int *rank = allocate((size_t)p->weights, sizeof *rank);
    bool by_declaration = all_declared(p);
    for (int i = 0; i < p->weights; i++) {
        const PlanWeight *w = &p->weight[i];
        rank[i] = by_declaration ? (int)(w->declared - p->text->declaration)
                                 : rank_by_use(w);
    }
    p->order = allocate((size_t)p->weights, sizeof *p->order);
    for (int i = 0; i < p->weights; i++) {
        int before = 0;
        for (int k = 0; k < p->weights; k++) {
            bool used_first = k < i; /* matrix k, before matrix i */
            before += rank[k] == rank[i] ? used_first : rank[k] < rank[i];
        }
        p->order[before] = i;
    }
    free(rank);
}

/* Does another matrix of the plan have the same name as matrix i, apart from
   the indices? Names are interned, so equal names have one address. */
static bool
shares_name_without_index(const Plan *p, int i)
{
    const char *name = without_index(p->weight[i].written);
    for (int k = 0; k < p->weights; k++)
        if (k != i && without_index(p->weight[k].written) == name)
            return true;
    return false;
}

/* W_i^Q is stored as W^Q, as in the shipped variants, unless the equation also
   names a W^Q or W_g^Q. */
void
name_weights(Plan *p)
{
    for (int i = 0; i < p->weights; i++) {
        const char *written = p->weight[i].written;
        p->weight[i].stored =
            shares_name_without_index(p, i) ? written : without_index(written);
    }
}

/* The rows or columns of w as it is stored: `width` of them for each of
   `blocks` blocks, or for one block if `blocks` is NULL. Exits unless the
   product is a whole number of at least 1. */
static int
stored_size(const Plan *p, const PlanWeight *w, const Tree *blocks,
            Width *width, const Attention *a)
{
    double count = blocks ? scalar_value(blocks, a) : 1;
    double size = count * scalar_value(width_known(width), a);
    if (!(size >= 1 && size <= INT_MAX && size == floor(size)))
        fail("%s: %s would have %g x %s = %g rows or columns: choose sizes "
             "that make this a whole number of at least 1",
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
