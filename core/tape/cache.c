/* cache.c - what a decoder keeps of earlier tokens: the key-value cache. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
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
free_rows(CachePlace *p)
{
    for (int i = 0; i < p->kinds; i++)
        free(p->kept[i].rows);
    p->kinds = p->uses = 0;
}

void
cache_free(Cache *c)
{
    for (int i = 0; c && i < c->places; i++) {
        free_rows(&c->place[i]);
        free(c->place[i].kept);
        free(c->place[i].use);
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

/* For shapes there are more rows than there will ever be. */
void
cache_enter(Cache *c, Attention *a, int place, const Node *x, const Node *y)
{
    CachePlace *p = c->at = &c->place[place];
    a->position = c->position;
    p->fresh = y->rows / y->sequences;
    p->called = 0;
    p->shapes = tape_has_shapes_only(x->tape);
    if (p->shapes) {
        free_rows(p);
        p->held = p->capacity = x == y ? c->tokens : p->fresh;
    } else if (p->held + p->fresh > p->capacity)
        bug("a cache for %d tokens has %d, and gets %d", p->capacity, p->held,
            p->fresh);
    for (int i = 0; i < p->kinds; i++)
        p->kept[i].added = false;
}

void
cache_leave(Cache *c)
{
    CachePlace *p = c->at;
    c->at = NULL;
    if (p->called != p->uses)
        bug("a decoder finds fewer keys and values than in the first step, for "
            "shapes; forward must not change between calls");
    p->held = p->shapes ? 0 : p->held + p->fresh;
}

/* The place that forward is in, of a decoder; else NULL. */
static CachePlace *
place_of(const Node *n)
{
    const Cache *c = tape_cache(n->tape);
    return c ? c->at : NULL;
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
    size_t rows = (size_t)sequences * (size_t)p->capacity;
    p->kept = grow(p->kept, p->kinds, &p->kept_room, sizeof *p->kept);
    p->kept[p->kinds] = (Kept){.node = n->root, .cols = n->cols};
    p->kept[p->kinds].rows = allocate(rows * (size_t)n->cols, sizeof(real));
    return p->kinds++;
}

/* In the step for shapes the number of the node to keep is found, and noted. */
static int
next_use(CachePlace *p, const Node *n)
{
    if (p->shapes) {
        p->use = grow(p->use, p->uses, &p->use_room, sizeof *p->use);
        p->use[p->uses++] = kind_of(p, n);
    }
    return p->called < p->uses ? p->use[p->called++] : p->kinds;
}

/* Of several sequences there may be space between the rows of two. */
typedef struct Rows {
    const real *from;
    size_t each, apart; /* entries of a sequence, and from one to the next */
} Rows;

static void
gather_forward(Node *c)
{
    const Rows *r = c->arguments;
    for (size_t s = 0; s < (size_t)c->sequences; s++)
        memcpy(c->value + s * r->each, r->from + s * r->apart,
               r->each * sizeof(real));
}

/* A node of all rows of the kept node of that number, to which n has the new
   ones. */
static Node *
kept_rows(CachePlace *p, int kind, Node *n)
{
    static const Operator op = {"all_rows", gather_forward, NULL};
    if (kind < 0)
        return n;
    Kept *k = &p->kept[kind];
    int sequences = tape_cache(n->tape)->sequences;
    int tokens = p->held + p->fresh;
    if (kind == p->kinds || n->rows != p->fresh * sequences ||
        n->cols != k->cols)
        bug("a decoder finds other keys and values than in the first step, for "
            "shapes; forward must not change between calls");
    size_t cols = (size_t)k->cols, apart = (size_t)p->capacity * cols;
    size_t fresh = (size_t)p->fresh * cols, held = (size_t)p->held * cols;
    for (int s = 0; !p->shapes && !k->added && s < sequences; s++)
        memcpy(k->rows + (size_t)s * apart + held, n->value + (size_t)s * fresh,
               fresh * sizeof(real));
    k->added = true;
    Node *all;
    if (sequences == 1)
        all =
            leaf(n->tape, tokens, n->cols, 1, p->shapes ? NULL : k->rows, NULL);
    else {
        all = new_node(&op, sequences * tokens, n->cols, &n, 1);
        keep_arguments(all, &(Rows){k->rows, held + fresh, apart},
                       sizeof(Rows));
        compute(all);
    }
    all->heads = n->heads;
    return all;
}

Node *
all_rows(Node *n)
{
    CachePlace *p = place_of(n);
    int kind = p ? next_use(p, n) : -1;
    if (p && p->shapes && kind >= 0)
        p->kept[kind].plain = true;
    return p ? kept_rows(p, kind, n) : n;
}

Node *
all_rows_of_keys(Node *k)
{
    CachePlace *p = place_of(k);
    return p ? kept_rows(p, next_use(p, k), k) : k;
}

bool
only_keys(const Node *k)
{
    const CachePlace *p = place_of(k);
    int kind = p && !p->shapes && p->called < p->uses ? p->use[p->called] : -1;
    return kind >= 0 && !p->kept[kind].plain;
}

int
earlier_rows(const Node *n)
{
    return place_of(n) ? place_of(n)->held : 0;
}

int
first_position(const Attention *a, const Node *n)
{
    const CachePlace *p = place_of(n);
    return p && n->rows == (p->held + p->fresh) * n->sequences ? 0
                                                               : a->position;
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
