/* cache.c - the key-value cache: what a decoder keeps of earlier tokens. */
#include <stdlib.h>
#include <string.h>

#include "decode/cache.h"
#include "heart/attention_operands.h"
#include "heart/fail.h"

/* Frees the entries of a place, so that it keeps no nodes. */
static void
forget_nodes(CachePlace *p)
{
    while (p->kept) {
        Kept *k = p->kept;
        p->kept = k->next;
        free(k->rows);
        free(k);
    }
    p->uses = 0;
}

void
cache_free(Cache *c)
{
    for (int i = 0; i < c->places; i++) {
        forget_nodes(&c->place[i]);
        free(c->place[i].use);
    }
    free(c->place);
    free(c);
}

void
cache_clear(Cache *c)
{
    c->keeper.position = 0;
    for (int i = 0; i < c->places; i++)
        c->place[i].held = 0;
}

/* Implements Keeper.enter: attention at this place begins, on the rows of x
   and, for keys and values, of y. The step for shapes sets the place's
   capacity: all tokens of the sequence or, in cross-attention, all rows of the
   other sequence, which does not grow. */
static void
enter_place(Keeper *keeper, Attention *a, int place, const Node *x,
            const Node *y)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = &c->place[place];
    bool self_attention = x == y;
    int fresh = y->rows; /* the number of new tokens */
    c->at = p;
    p->used = 0;
    c->shapes = x->tape->purpose & SHAPES_ONLY;
    if (c->shapes) {
        forget_nodes(p);
        p->capacity = self_attention ? c->tokens : fresh;
        p->held = p->capacity; /* as in the last step, which is the largest */
    } else if (p->held + fresh > p->capacity)
        bug("the cache is full: it has %d of at most %d tokens, and got %d "
            "more: call cache_clear, or cache_new with more tokens",
            p->held, p->capacity, fresh);
    for (Kept *k = p->kept; k; k = k->next)
        k->added = false;
    a->position = keeper->position;
    keeper->earlier = p->held;
    keeper->fresh = fresh;
}

/* Implements Keeper.leave: attention at the current place ends. */
static void
leave_place(Keeper *keeper)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = c->at;
    /* The step for shapes has no values that could be kept. */
    p->held = c->shapes ? 0 : p->held + keeper->fresh;
    c->at = NULL; /* no place is current */
    keeper->earlier = keeper->fresh = 0;
}

/* Makes an entry for the rows of n at the current place. */
static Kept *
new_entry(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    Kept *k = allocate(1, sizeof *k);
    *k = (Kept){.node = n->root, .cols = n->cols, .next = p->kept};
    k->rows = allocate(matrix_entries(p->capacity, n->cols), sizeof(real));
    p->kept = k;
    return k;
}

/* In the step for shapes, finds the entry for the rows of n, or makes it. A
   place before the current one, c->at, may have made it for the same node.
   Returns NULL if n already has the rows of all tokens, because then nothing
   has to be kept. */
static Kept *
entry_for_node(Cache *c, const Node *n)
{
    bool has_all_rows = n->rows != c->keeper.fresh;
    if (has_all_rows)
        return NULL;
    for (CachePlace *p = c->place; p <= c->at; p++)
        for (Kept *k = p->kept; k; k = k->next)
            if (k->node == n->root)
                return k;
    return new_entry(c, n);
}

/* Returns the entry that the current call of all_rows or all_keys uses, or NULL
   if it uses none. The step for shapes finds the entry by its node, and records
   it. Later steps have other nodes, so they follow the record. */
static Kept *
next_entry(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    if (!p) /* Outside attention nothing is kept. */
        return NULL;
    if (c->shapes) {
        p->use = grow(p->use, p->uses, &p->use_capacity, sizeof(Kept *));
        p->use[p->uses] = entry_for_node(c, n);
        p->uses++;
    }
    if (p->used == p->uses)
        bug("forward asks for more keys and values than in the decoder's first "
            "step: let it make the same calls for every token");
    Kept *k = p->use[p->used];
    p->used++;
    return k;
}

/* Appends the rows of n to its entry k, unless this step has already done so.
   Returns a node with all rows of the entry. In the step for shapes it has no
   values. */
static Node *
append_rows(Cache *c, Kept *k, Node *n)
{
    CachePlace *p = c->at;
    int fresh = c->keeper.fresh;
    if (n->cols != k->cols)
        bug("keys or values are %d wide, and were %d wide in the decoder's "
            "first step: their width must not depend on the number of tokens",
            n->cols, k->cols);
    if (n->rows != fresh)
        bug("forward asks for different keys or values from those in the "
            "decoder's first step: let it make the same calls, with the same "
            "widths, for every token");
    bool has_values = !c->shapes && fresh > 0;
    real *end = k->rows + p->held * k->cols; /* of the earlier rows */
    if (has_values && !k->added)
        memcpy(end, n->value, size_of(n) * sizeof(real));
    k->added = true;
    real *rows = c->shapes ? NULL : k->rows, *no_gradient = NULL;
    Node *all =
        leaf(n->tape, p->held + fresh, n->cols, UNBATCHED, rows, no_gradient);
    all->heads = n->heads;
    return all;
}

/* Implements Keeper.all_rows. Rows that are used for more than the keys of
   scores are needed unrotated, so they are kept that way. */
static Node *
keep_rows(Keeper *keeper, Node *n)
{
    Cache *c = (Cache *)keeper;
    Kept *k = next_entry(c, n);
    if (!k)
        return n;
    k->plain = true;
    return append_rows(c, k, n);
}

/* Implements Keeper.all_keys. A key is usually rotated once, before it is kept.
   If the step for shapes found that something else needs it unrotated, it is
   kept unrotated, and all keys are rotated in each step. The step for shapes
   itself does not know that yet, so it takes this way, which needs more memory.
 */
static Node *
keep_keys(Keeper *keeper, const Attention *a, Node *keys)
{
    const int first = 0; /* the position of the first of all tokens */
    Cache *c = (Cache *)keeper;
    Kept *k = next_entry(c, keys);
    if (!k) /* nothing is kept, so `keys` has the rows of all tokens */
        return positioned(a, keys, first);
    if (c->shapes || k->plain)
        return positioned(a, append_rows(c, k, keys), first);
    return append_rows(c, k, positioned(a, keys, a->position));
}

Cache *
cache_new(int places, int tokens)
{
    Cache *c = allocate(1, sizeof *c);
    c->tokens = tokens;
    c->places = places;
    c->place = allocate((size_t)places, sizeof *c->place);
    c->keeper = (Keeper){.enter = enter_place,
                         .leave = leave_place,
                         .all_rows = keep_rows,
                         .all_keys = keep_keys};
    return c;
}

int
cache_entries(const Cache *c, int place)
{
    int sum = 0;
    for (const Kept *k = c->place[place].kept; k; k = k->next)
        sum += k->cols;
    return sum;
}
