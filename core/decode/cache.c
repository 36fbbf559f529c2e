/* cache.c - what a decoder keeps of earlier tokens: the key-value cache. */
#include <stdlib.h>
#include <string.h>

#include "decode/cache.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/tape.h"

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
    int fresh = y->rows / y->sequences;
    p->called = 0;
    c->shapes = x->tape->purpose & SHAPES_ONLY;
    if (c->shapes) {
        free_rows(p);
        p->held = p->capacity = x == y ? c->tokens : fresh;
    } else if (p->held + fresh > p->capacity)
        bug("a cache for %d tokens has %d, and gets %d", p->capacity, p->held,
            fresh);
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
    if (p->called != p->uses)
        bug("a decoder finds fewer keys and values than in the first step, for "
            "shapes; forward must not change between calls");
    p->held = c->shapes ? 0 : p->held + keeper->fresh;
    c->at = NULL;
    keeper->earlier = keeper->fresh = 0;
}

/* Which of the kept nodes n is, the last one if it is new; -1 for a node that
   has all rows already. */
static int
kind_of(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    if (n->rows != c->keeper.fresh * c->sequences)
        return -1;
    for (int i = 0; i < p->kinds; i++)
        if (p->kept[i].node == n->root)
            return i;
    size_t rows = (size_t)c->sequences * (size_t)p->capacity;
    p->kept = grow(p->kept, p->kinds, &p->kept_room, sizeof *p->kept);
    p->kept[p->kinds] = (Kept){.node = n->root, .cols = n->cols};
    p->kept[p->kinds].rows = allocate(rows * (size_t)n->cols, sizeof(real));
    return p->kinds++;
}

/* In the step for shapes the number of the node to keep is found, and noted. */
static int
next_use(Cache *c, const Node *n)
{
    CachePlace *p = c->at;
    if (c->shapes) {
        p->use = grow(p->use, p->uses, &p->use_room, sizeof *p->use);
        p->use[p->uses++] = kind_of(c, n);
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
kept_rows(Cache *c, int kind, Node *n)
{
    static const Operator op = {"all_rows", gather_forward, NULL};
    if (kind < 0)
        return n;
    CachePlace *p = c->at;
    Kept *k = &p->kept[kind];
    int sequences = c->sequences, tokens = p->held + c->keeper.fresh;
    if (kind == p->kinds || n->rows != c->keeper.fresh * sequences ||
        n->cols != k->cols)
        bug("a decoder finds other keys and values than in the first step, for "
            "shapes; forward must not change between calls");
    size_t cols = (size_t)k->cols, apart = (size_t)p->capacity * cols;
    size_t fresh = (size_t)c->keeper.fresh * cols,
           held = (size_t)p->held * cols;
    for (int s = 0; fresh && !c->shapes && !k->added && s < sequences; s++)
        memcpy(k->rows + (size_t)s * apart + held, n->value + (size_t)s * fresh,
               fresh * sizeof(real));
    k->added = true;
    Node *all;
    if (sequences == 1)
        all =
            leaf(n->tape, tokens, n->cols, 1, c->shapes ? NULL : k->rows, NULL);
    else {
        all = new_node(&op, sequences * tokens, n->cols, &n, 1);
        keep_arguments(all, &(Rows){k->rows, held + fresh, apart},
                       sizeof(Rows));
        compute(all);
    }
    all->heads = n->heads;
    return all;
}

/* After the step for shapes: is the node that comes next used by scores alone?
 */
static bool
only_keys(const Cache *c)
{
    const CachePlace *p = c->at;
    int kind = !c->shapes && p->called < p->uses ? p->use[p->called] : -1;
    return kind >= 0 && !p->kept[kind].plain;
}

/* Keys of a model with RoPE: each is rotated once and kept so, unless something
   else needs what it was before. */
static Node *
all_rows(Keeper *keeper, const Attention *of, Node *n)
{
    Cache *c = (Cache *)keeper;
    bool once = of && c->at && only_keys(c);
    if (once)
        n = positioned(of, n, of->position);
    int kind = c->at ? next_use(c, n) : -1;
    if (!of && kind >= 0 && c->shapes)
        c->at->kept[kind].plain = true;
    n = kept_rows(c, kind, n);
    return of && !once ? positioned(of, n, 0) : n;
}

Cache *
cache_new(int places, int tokens, int sequences)
{
    Cache *c = allocate(1, sizeof *c);
    c->sequences = sequences;
    c->tokens = tokens;
    c->places = places;
    c->place = allocate((size_t)places, sizeof *c->place);
    c->keeper = (Keeper){
        .enter = enter_place, .leave = leave_place, .all_rows = all_rows};
    return c;
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
