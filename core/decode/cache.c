/* cache.c - what a decoder keeps of earlier tokens: the key-value cache. */
#include <stdlib.h>
#include <string.h>

#include "decode/cache.h"
#include "heart/attention.h"
#include "heart/fail.h"

static void
free_rows(CachePlace *p)
{
    for (int i = 0; i < p->kinds; i++)
        free(p->kept[i].rows);
    p->kinds = p->uses = 0;
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

/* For shapes there are more rows than there will ever be. */
static void
enter_place(Keeper *keeper, Attention *a, int place, const Node *x,
            const Node *y)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = c->at = &c->place[place];
    int fresh = y->rows;
    p->called = 0;
    c->shapes = x->tape->purpose & SHAPES_ONLY;
    if (c->shapes) {
        free_rows(p);
        p->held = p->capacity = x == y ? c->tokens : fresh;
    } else if (p->held + fresh > p->capacity)
        bug("a cache for %d tokens has %d, so %d more do not fit", p->capacity,
            p->held, fresh);
    for (int i = 0; i < p->kinds; i++)
        p->kept[i].added = false;
    a->position = keeper->position;
    keeper->earlier = p->held;
    keeper->fresh = fresh;
}

static void
leave_place(Keeper *keeper)
{
    Cache *c = (Cache *)keeper;
    CachePlace *p = c->at;
    p->held = c->shapes ? 0 : p->held + keeper->fresh;
    c->at = NULL;
    keeper->earlier = keeper->fresh = 0;
}

/* Where the rows of n are kept: at the first place that has use for them. A
   node that has all rows already is kept nowhere. */
static Use
use_of(Cache *c, const Node *n)
{
    CachePlace *p = c->place;
    if (n->rows != c->keeper.fresh)
        return (Use){0};
    for (; p <= c->at; p++)
        for (int i = 0; i < p->kinds; i++)
            if (p->kept[i].node == n->root)
                return (Use){p, i};
    p = c->at;
    p->kept = grow(p->kept, p->kinds, &p->kept_capacity, sizeof *p->kept);
    p->kept[p->kinds] = (Kept){.node = n->root, .cols = n->cols};
    p->kept[p->kinds].rows =
        allocate(matrix_entries(p->capacity, n->cols), sizeof(real));
    return (Use){p, p->kinds++};
}

/* Returns the entry of the cache that the next call of all_rows uses. The step
   for shapes finds and records it; later steps replay that record. */
static const Use *
next_use(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    if (c->shapes) {
        p->use = grow(p->use, p->uses, &p->use_capacity, sizeof *p->use);
        p->use[p->uses++] = use_of(c, n);
    }
    if (p->called == p->uses)
        bug("forward has more keys and values than in the decoder's first "
            "step: "
            "it must do the same in each call");
    return &p->use[p->called++];
}

/* All rows of what is kept, to which n has the new ones. */
static Node *
kept_rows(Cache *c, Kept *k, Node *n)
{
    CachePlace *p = c->at;
    int fresh = c->keeper.fresh;
    if (n->cols != k->cols)
        bug("keys or values are as wide as there are tokens so far, %d: a "
            "decoder keeps their rows, so their width must not depend on the "
            "number of tokens",
            n->cols);
    if (n->rows != fresh)
        bug("forward asks for other keys and values than in the decoder's "
            "first step: it must make the same calls for every token");
    if (!c->shapes && !k->added && fresh)
        memcpy(k->rows + p->held * k->cols, n->value,
               size_of(n) * sizeof(real));
    k->added = true;
    Node *all = leaf(n->tape, p->held + fresh, n->cols, 1,
                     c->shapes ? NULL : k->rows, NULL);
    all->heads = n->heads;
    return all;
}

/* Keys of a model with RoPE: each is rotated once and kept so, unless something
   else needs what it was before, as the step for shapes finds out. */
static Node *
keep_rows(Keeper *keeper, const Attention *of, Node *n)
{
    Cache *c = (Cache *)keeper;
    const Use *use = c->at ? next_use(c, n) : NULL;
    Kept *k = use && use->at ? &use->at->kept[use->kind] : NULL;
    if (!k)
        return of ? positioned(of, n, 0) : n;
    bool once = of && !c->shapes && !k->plain;
    k->plain |= !of;
    n = kept_rows(c, k, once ? positioned(of, n, of->position) : n);
    return of && !once ? positioned(of, n, 0) : n;
}

Cache *
cache_new(int places, int tokens)
{
    Cache *c = allocate(1, sizeof *c);
    c->tokens = tokens;
    c->places = places;
    c->place = allocate((size_t)places, sizeof *c->place);
    c->keeper = (Keeper){
        .enter = enter_place, .leave = leave_place, .all_rows = keep_rows};
    return c;
}

int
cache_entries(const Cache *c, int place)
{
    int sum = 0;
    for (int i = 0; i < c->place[place].kinds; i++)
        sum += c->place[place].kept[i].cols;
    return sum;
}
