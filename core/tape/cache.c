/* cache.c - what a decoder keeps of earlier tokens: the key-value cache. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tape/cache.h"
#include "tape/tape.h"

Cache *
cache_new(int places, int tokens, int sequences)
{
    Cache *c = allocate(1, sizeof *c);
    c->sequences = sequences;
    c->tokens = tokens;
    c->places = places;
    c->place = allocate((size_t)places, sizeof *c->place);
    return c;
}

static void
forget_kinds(CachePlace *p)
{
    for (int i = 0; i < p->kinds; i++)
        free(p->kept[i].rows);
    free(p->position);
    p->position = NULL;
    p->kinds = p->uses = p->masks = 0;
}

void
cache_free(Cache *c)
{
    for (int i = 0; c && i < c->places; i++) {
        CachePlace *p = &c->place[i];
        forget_kinds(p);
        free(p->kept);
        free(p->use);
        free(p->mask);
    }
    if (c)
        free(c->place);
    free(c);
}

void
cache_clear(Cache *c)
{
    c->position = 0;
    for (int i = 0; i < c->places; i++)
        c->place[i].held = 0;
}

/* More rows than there will ever be. */
static void
begin_measuring(CachePlace *p, const Cache *c, int fresh)
{
    forget_kinds(p);
    p->capacity = p->self ? c->tokens : fresh;
    p->held = p->capacity;
    p->position = allocate((size_t)(p->held + fresh), sizeof *p->position);
    for (int i = 0; i < p->held + fresh; i++)
        p->position[i] = i % p->capacity;
}

void
cache_enter(Cache *c, Attention *a, int place, const Node *x, const Node *y)
{
    CachePlace *p = c->at = &c->place[place];
    p->self = x == y;
    p->measures = tape_has_shapes_only(x->tape);
    p->before = tape_last(x->tape);
    p->fresh = y->rows / y->sequences;
    p->called = 0;
    a->position = c->position;
    if (p->measures)
        begin_measuring(p, c, p->fresh);
    if (!p->measures && p->held + p->fresh > p->capacity)
        bug("a cache for %d tokens has %d, and gets %d", p->capacity, p->held,
            p->fresh);
    for (int i = 0; !p->measures && i < p->fresh; i++)
        p->position[p->held + i] = (p->self ? c->position : 0) + i;
    for (int i = 0; i < p->kinds; i++)
        p->kept[i].added = false;
}

int
cache_room(const CachePlace *p)
{
    return (p->capacity + KEY_BLOCK - 1) / KEY_BLOCK * KEY_BLOCK;
}

/* Which of the kept nodes n is, the last one if it is new; -1 for a node that
   has all rows already. */
static int
kind_of(CachePlace *p, const Node *n)
{
    int sequences = tape_cache(n->tape)->sequences;
    if (n->rows != p->fresh * sequences)
        return -1;
    for (int i = 0; i < p->kinds; i++)
        if (p->kept[i].node == n->root)
            return i;
    p->kept = grow(p->kept, p->kinds, &p->kept_room, sizeof *p->kept);
    p->kept[p->kinds] = (Kept){.node = n->root, .cols = n->cols};
    p->kept[p->kinds].rows = allocate(
        (size_t)sequences * cache_room(p) * (size_t)n->cols, sizeof(real));
    return p->kinds++;
}

/* The place that forward is in, of a decoder. */
static CachePlace *
place_of(const Node *n)
{
    const Cache *c = tape_cache(n->tape);
    return c ? c->at : NULL;
}

/* In the measuring run the number of the node to keep is found, and noted. */
static int
next_use(CachePlace *p, const Node *n)
{
    if (p->measures) {
        p->use = grow(p->use, p->uses, &p->use_room, sizeof *p->use);
        p->use[p->uses++] = kind_of(p, n);
    }
    return p->called < p->uses ? p->use[p->called++] : p->kinds;
}

/* The new rows of sequence s to the kept ones. */
static void
add_rows(const CachePlace *p, const Kept *k, int s, const Node *n)
{
    size_t cols = (size_t)k->cols, fresh = (size_t)p->fresh;
    const real *from = n->value + (size_t)s * fresh * cols;
    real *to = k->rows + (size_t)s * cache_room(p) * cols;
    if (k->as_rows) {
        memcpy(to + (size_t)p->held * cols, from, fresh * cols * sizeof *to);
        return;
    }
    for (int i = p->held; i < p->held + p->fresh; i++) {
        real *block = to + (size_t)(i - i % KEY_BLOCK) * cols + i % KEY_BLOCK;
        for (size_t j = 0; j < cols; j++)
            block[j * KEY_BLOCK] = *from++;
    }
}

/* All rows of the kept node of that number, to which n has the new ones. */
static Node *
kept_rows(CachePlace *p, int kind, Node *n, bool blocks)
{
    if (kind < 0)
        return n;
    Kept *k = &p->kept[kind];
    int sequences = tape_cache(n->tape)->sequences;
    int tokens = p->held + p->fresh;
    if (kind == p->kinds || n->rows != p->fresh * sequences ||
        n->cols != k->cols)
        bug("a decoder finds other keys and values than in the first, "
            "measuring run; forward must not change between calls");
    k->as_rows |= p->measures && !blocks;
    for (int s = 0; !p->measures && !k->added && n->rows && s < sequences; s++)
        add_rows(p, k, s, n);
    k->added = true;
    Node *all = leaf(n->tape, sequences * tokens, n->cols, sequences,
                     k->as_rows ? k->rows : NULL, NULL);
    all->kept = k->as_rows ? NULL : k->rows;
    all->heads = n->heads;
    all->gap = sequences > 1 ? cache_room(p) - tokens : 0;
    return all;
}

Node *
all_rows(Node *n)
{
    CachePlace *p = place_of(n);
    int kind = p ? next_use(p, n) : -1;
    if (p && p->measures && kind >= 0)
        p->kept[kind].plain = true;
    return p ? kept_rows(p, kind, n, false) : n;
}

static void
closed_forward(Node *c)
{
    const Node *n = c->in[0];
    size_t entries = size_of(n) / (size_t)n->sequences;
    size_t apart = entries + (size_t)n->gap * (size_t)n->cols;
    for (size_t s = 0; s < (size_t)n->sequences; s++)
        memcpy(c->value + s * entries, n->value + s * apart,
               entries * sizeof(real));
}

Node *
closed(Node *n)
{
    static const Operator op = {"closed", closed_forward, NULL};
    if (!n->gap)
        return n;
    Node *c = new_node(&op, n->rows, n->cols, &n, 1);
    c->heads = n->heads;
    return compute(c);
}

Node *
all_rows_of_keys(Node *k, bool blocks)
{
    CachePlace *p = place_of(k);
    return p ? kept_rows(p, next_use(p, k), k, blocks) : k;
}

bool
only_keys(const Node *k)
{
    const CachePlace *p = place_of(k);
    int kind =
        p && !p->measures && p->called < p->uses ? p->use[p->called] : -1;
    return kind >= 0 && !p->kept[kind].plain;
}

int
earlier_rows(const Node *n)
{
    return place_of(n) ? place_of(n)->held : 0;
}

const int *
key_positions(const Node *n)
{
    return place_of(n) ? place_of(n)->position : NULL;
}

const int *
row_positions(const Node *n)
{
    const CachePlace *p = place_of(n);
    return p && n->rows == (p->held + p->fresh) * n->sequences ? p->position
                                                               : NULL;
}

int
cache_rows(const Cache *c, int place)
{
    return c->place[place].held;
}

int
cache_entries(const Cache *c, int place)
{
    int sum = 0;
    for (int i = 0; i < c->place[place].kinds; i++)
        sum += c->place[place].kept[i].cols;
    return sum;
}
