/* cache.c - the key-value cache: what a decoder keeps of earlier tokens. */
#include <stdlib.h>
#include <string.h>

#include "decode/cache.h"
#include "heart/attention.h"
#include "heart/fail.h"

/* Forgets which nodes a place keeps, and their rows. */
static void
free_rows(CachePlace *p)
{
    for (int i = 0; i < p->kept_count; i++)
        free(p->kept[i].rows);
    p->kept_count = p->uses = 0;
}

void
cache_free(Cache *c)
{
    for (int i = 0; i < c->places; i++) {
        free_rows(&c->place[i]);
        free(c->place[i].kept);
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

/* Implements Keeper.enter. In the step for shapes it sets the capacity of the
   place: all tokens of the sequence or, in cross-attention, all rows of the
   other sequence, which does not grow. */
static void
enter_place(Keeper *keeper, Attention *a, int place, const Node *x,
            const Node *y)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = &c->place[place];
    bool self_attention = x == y;
    int fresh = y->rows;
    c->at = p;
    p->used = 0;
    c->shapes = x->tape->purpose & SHAPES_ONLY;
    if (c->shapes) {
        free_rows(p);
        p->capacity = self_attention ? c->tokens : fresh;
        p->held = p->capacity; /* the last step needs most memory */
    } else if (p->held + fresh > p->capacity)
        bug("the cache is full: it has %d of at most %d tokens, and got %d "
            "more: call cache_clear, or cache_new with more tokens",
            p->held, p->capacity, fresh);
    for (int i = 0; i < p->kept_count; i++)
        p->kept[i].added = false;
    a->position = keeper->position;
    keeper->earlier = p->held;
    keeper->fresh = fresh;
}

/* Keeper.leave. */
static void
leave_place(Keeper *keeper)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = c->at;
    p->held = c->shapes ? 0 : p->held + keeper->fresh;
    c->at = NULL;
    keeper->earlier = keeper->fresh = 0;
}

/* Makes an entry for the rows of n at the place that forward is in. */
static Use
new_entry(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    int i = p->kept_count;
    p->kept = grow(p->kept, i, &p->kept_capacity, sizeof *p->kept);
    p->kept[i] = (Kept){.node = n->root, .cols = n->cols};
    p->kept[i].rows =
        allocate(matrix_entries(p->capacity, n->cols), sizeof(real));
    p->kept_count++;
    return (Use){p, i};
}

/* Finds or makes the entry that keeps the rows of n. An earlier place may have
   made it. A node that already has the rows of all tokens needs none. */
static Use
use_of(Cache *c, const Node *n)
{
    if (n->rows != c->keeper.fresh)
        return (Use){0};
    for (CachePlace *p = c->place; p <= c->at; p++)
        for (int i = 0; i < p->kept_count; i++)
            if (p->kept[i].node == n->root)
                return (Use){p, i};
    return new_entry(c, n);
}

/* Returns the use of the next call of all_rows or all_keys. The step for shapes
   finds and records it; later steps make the same calls, and replay the record.
 */
static const Use *
next_use(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    if (c->shapes) {
        p->use = grow(p->use, p->uses, &p->use_capacity, sizeof *p->use);
        p->use[p->uses++] = use_of(c, n);
    }
    if (p->used == p->uses)
        bug("forward asks for more keys and values than in the decoder's first "
            "step: let it make the same calls for every token");
    return &p->use[p->used++];
}

/* Appends the rows of n to its entry, once in a step. Returns all rows of the
   entry. */
static Node *
append_rows(Cache *c, Kept *k, Node *n)
{
    CachePlace *p = c->at;
    int fresh = c->keeper.fresh;
    if (n->cols != k->cols)
        bug("keys or values are %d wide, the number of tokens so far: a "
            "decoder keeps their rows, so their width must not depend on the "
            "number of tokens",
            n->cols);
    if (n->rows != fresh)
        bug("forward asks for other keys and values than in the decoder's "
            "first step: let it make the same calls for every token");
    if (!c->shapes && !k->added && fresh)
        memcpy(k->rows + p->held * k->cols, n->value,
               size_of(n) * sizeof(real));
    k->added = true;
    Node *all = leaf(n->tape, p->held + fresh, n->cols, 1,
                     c->shapes ? NULL : k->rows, NULL);
    all->heads = n->heads;
    return all;
}

/* The entry for the node n of this call of all_rows or all_keys; NULL if it
   needs none. */
static Kept *
next_entry(Cache *c, const Node *n)
{
    const Use *use = c->at ? next_use(c, n) : NULL;
    return use && use->at ? &use->at->kept[use->entry] : NULL;
}

/* Keeper.all_rows. Something other than scores needs these rows, so they are
   kept unrotated. */
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

/* Keeper.all_keys. A key is usually rotated once, before it is kept. If
   something else needs it unrotated, which the step for shapes finds out, it is
   kept unrotated, and all keys are rotated in each step. */
static Node *
keep_keys(Keeper *keeper, const Attention *a, Node *keys)
{
    Cache *c = (Cache *)keeper;
    Kept *k = next_entry(c, keys);
    if (!k)
        return positioned(a, keys, 0);
    if (c->shapes || k->plain)
        return positioned(a, append_rows(c, k, keys), 0);
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
    for (int i = 0; i < c->place[place].kept_count; i++)
        sum += c->place[place].kept[i].cols;
    return sum;
}
