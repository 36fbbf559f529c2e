/* cache.c - the key-value cache: what a decoder keeps of earlier tokens. */
#include <stdlib.h>
#include <string.h>

#include "decode/cache.h"
#include "heart/attention_operands.h"
#include "heart/fail.h"

/* Frees the entries of a place, and forgets which calls use them. */
static void
free_entries(CachePlace *p)
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
        free_entries(&c->place[i]);
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

/* Implements Keeper.enter: attention at this place begins, with queries from
   the rows of x, and keys and values from the rows of y. The step for shapes
   sets the place's capacity: in self-attention the number of tokens in the
   longest sequence, and in cross-attention the number of tokens in the other
   sequence, which does not grow. */
static void
enter_place(Keeper *keeper, Attention *a, int place, const Node *x,
            const Node *y)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = &c->place[place];
    bool self_attention = x == y;
    int fresh = y->rows; /* the number of new tokens */
    c->current = p;
    p->next_use = 0;
    c->shapes = x->tape->purpose & SHAPES_ONLY;
    if (c->shapes) {
        free_entries(p);
        p->capacity = self_attention ? c->tokens : fresh;
        p->held = p->capacity; /* no real step has more */
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
    CachePlace *p = c->current;
    /* The step for shapes has no values that could be kept. */
    p->held = c->shapes ? 0 : p->held + keeper->fresh;
    c->current = NULL;
    keeper->earlier = keeper->fresh = 0;
}

/* Makes an entry for the rows of n at the current place. */
static Kept *
new_entry(Cache *c, const Node *n)
{
    CachePlace *p = c->current;
    Kept *k = allocate(1, sizeof *k);
    *k = (Kept){.node = n->root, .cols = n->cols, .next = p->kept};
    k->rows = allocate(matrix_entries(p->capacity, n->cols), sizeof(real));
    p->kept = k;
    return k;
}

/* Returns the entry for the rows of n, in the step for shapes. Makes the entry,
   unless an earlier call at this place or at an earlier place has made it.
   Returns NULL if n already has the rows of all tokens, because then nothing
   has to be kept. */
static Kept *
entry_for_node(Cache *c, const Node *n)
{
    bool has_all_rows = n->rows != c->keeper.fresh;
    if (has_all_rows)
        return NULL;
    for (CachePlace *p = c->place; p <= c->current; p++)
        for (Kept *k = p->kept; k; k = k->next)
            if (k->node == n->root)
                return k;
    return new_entry(c, n);
}

/* Returns the entry that the current call of all_rows or all_keys uses, or NULL
   if it uses none. The step for shapes finds the entry by the node n, and
   records it. Later steps have other nodes, so they follow the record. */
static Kept *
next_entry(Cache *c, const Node *n)
{
    CachePlace *p = c->current;
    if (!p) /* outside attention nothing is kept */
        return NULL;
    if (c->shapes) {
        p->use = grow(p->use, p->uses, &p->use_capacity, sizeof(Kept *));
        p->use[p->uses] = entry_for_node(c, n);
        p->uses++;
    }
    if (p->next_use == p->uses)
        bug("forward asks for more cached rows than in the decoder's first "
            "step: let forward make the same calls for every token");
    Kept *k = p->use[p->next_use];
    p->next_use++;
    return k;
}

/* Appends the rows of n to its entry k, unless this step has already done so.
   Returns a node with all rows of the entry. In the step for shapes this node
   has no values. */
static Node *
append_rows(Cache *c, Kept *k, Node *n)
{
    CachePlace *p = c->current;
    int fresh = c->keeper.fresh;
    if (n->cols != k->cols)
        bug("cached rows are %d wide, but were %d wide in the decoder's first "
            "step: their width must not depend on the number of tokens",
            n->cols, k->cols);
    if (n->rows != fresh)
        bug("forward asks for other cached rows than in the decoder's first "
            "step: let forward make the same calls for every token");
    bool has_values = !c->shapes && fresh > 0;
    real *new_rows = k->rows + p->held * k->cols; /* after the earlier rows */
    if (has_values && !k->added)
        memcpy(new_rows, n->value, size_of(n) * sizeof(real));
    k->added = true;
    real *rows = c->shapes ? NULL : k->rows, *no_gradient = NULL;
    Node *all =
        leaf(n->tape, p->held + fresh, n->cols, UNBATCHED, rows, no_gradient);
    all->heads = n->heads;
    return all;
}

/* Implements Keeper.all_rows. The caller needs the rows without the rotation by
   their positions, so the cache keeps them without it. */
static Node *
keep_rows(Keeper *keeper, Node *n)
{
    Cache *c = (Cache *)keeper;
    Kept *k = next_entry(c, n);
    if (!k)
        return n;
    k->unrotated = true;
    return append_rows(c, k, n);
}

/* Implements Keeper.all_keys. Usually a key is rotated once, before it is kept.
   But if a call of all_rows needs the same rows without rotation, they are kept
   without it, and each step rotates all keys, which needs more memory. */
static Node *
keep_keys(Keeper *keeper, const Attention *a, Node *keys)
{
    Cache *c = (Cache *)keeper;
    Kept *k = next_entry(c, keys);
    if (!k) /* nothing is kept, so `keys` has the rows of all tokens */
        return positioned(a, keys, FROM_START);
    /* The step for shapes measures the larger memory, because it cannot know
       whether a later call needs the rows without rotation. */
    if (c->shapes || k->unrotated)
        return positioned(a, append_rows(c, k, keys), FROM_START);
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
