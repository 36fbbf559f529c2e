/* solved_or_diverged.c - when a run counts as solved, and when as diverged. */
#include <math.h>

#include "training/solved_or_diverged.h"

void
solved_update(Solved *s, const Result *so_far)
{
    double sum = 0;
    s->last[so_far->steps % WINDOW] = so_far->accuracy;
    for (int i = 0; i < WINDOW; i++)
        sum += s->last[i];
    bool solved_before = s->step > 0, window_full = so_far->steps >= WINDOW;
    if (!solved_before && window_full && sum / WINDOW >= s->threshold)
        s->step = so_far->steps;
}

/* Checks the weights, too, because an infinite weight shows in a loss only if a
   batch uses it. */
bool
has_diverged(const Model *m, const Result *r)
{
    const LogRow *last = &r->rows[r->count - 1];
    /* A run without steps has NaN as its training loss, but did not diverge. */
    bool finite = (r->steps == 0 || isfinite(last->loss)) &&
                  isfinite(last->validation_loss) && isfinite(r->test_loss);
    for (size_t i = 0; i < m->parameters; i++)
        finite &= isfinite(m->values[i]) != 0;
    return !finite;
}
