/* forget.c - the keys that a decoder need not keep: those that a mask hides
   from every query to come, as a window does. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "math/rows.h"
#include "tape/cache.h"
#include "tape/tape.h"

/* Notes the masks of scores s before what uses them; false if there is none. */
static bool
note_masks(CachePlace *p, const Node *s)
{
    int before = p->masks;
    for (; has_bias(s); s = s->in[0]->root) {
        p->mask = grow(p->mask, p->masks, &p->mask_room, sizeof *p->mask);
        p->mask[p->masks] = (Mask){.bias = bias_of(s), .heads = s->heads};
        p->masks += bias_of(s) != NULL;
    }
    if (p->masks > before)
        p->mask[p->masks - 1].last = true;
    return p->masks > before;
}

/* Finds all masks of the place; none, if anything is used without one. */
static void
find_masks(CachePlace *p, const Attention *a)
{
    bool masked = p->self && a->causal;
    for (const Node *n = tape_last(a->tape); n != p->before; n = n->previous) {
        masked = masked && !is_attend(n) && !n->root->kept_by_decoder;
        for (int i = 0; masked && !has_bias(n) && i < n->inputs; i++)
            if (are_scores(n->in[i]->root))
                masked = note_masks(p, n->in[i]->root);
    }
    p->masks = masked ? p->masks : 0;
}

/* Does a mask hide a key from queries first .. end - 1, in every head? */
static bool
hides(const Mask *m, const Attention *a, int key, int first, int end)
{
    for (int q = first; q < end; q++)
        for (int h = 0; h < m->heads; h++)
            if (m->bias(a, h, q, key) > -INFINITY)
                return false;
    return true;
}

/* Is a key hidden from them by a mask of every use of scores? */
static bool
hidden(const CachePlace *p, const Attention *a, int key, int first, int end)
{
    bool any = false;
    for (int i = 0; i < p->masks; i++) {
        any = any || hides(&p->mask[i], a, key, first, end);
        if (p->mask[i].last && !any)
            return false;
        any = any && !p->mask[i].last;
    }
    return true;
}

static void
move_rows(const Cache *c, CachePlace *p, int from, int to, int count)
{
    int room = cache_room(p);
    memmove(p->position + to, p->position + from,
            (size_t)count * sizeof *p->position);
    for (int i = 0; i < p->kinds; i++)
        for (int s = 0; s < c->sequences; s++) {
            size_t row = (size_t)p->kept[i].cols;
            real *rows = p->kept[i].rows + (size_t)s * room * row;
            memmove(rows + (size_t)to * row, rows + (size_t)from * row,
                    (size_t)count * row * sizeof(real));
        }
}

/* Drops the groups of LANES keys that no query from `first` on sees. */
static void
forget_keys(const Cache *c, CachePlace *p, const Attention *a)
{
    int first = c->position + p->fresh, end = c->tokens;
    int kept = 0;
    for (int i = 0, n; i < p->held; i += n) {
        bool seen = p->held - i < LANES;
        n = seen ? p->held - i : LANES;
        for (int j = i + n - 1; j >= i && !seen; j--)
            seen = !hidden(p, a, p->position[j], first, end);
        if (seen && kept < i)
            move_rows(c, p, i, kept, n);
        kept += seen ? n : 0;
    }
    p->held = kept;
}

void
cache_leave(Cache *c, const Attention *a)
{
    CachePlace *p = c->at;
    c->at = NULL;
    if (p->called != p->uses)
        bug("a decoder finds fewer keys and values than in the first, "
            "measuring run; forward must not change between calls");
    p->held = p->measures ? 0 : p->held + p->fresh;
    if (p->measures)
        find_masks(p, a);
    else if (p->masks && c->position + p->fresh < c->tokens)
        forget_keys(c, p, a);
}
