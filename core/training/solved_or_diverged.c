/* solved_or_diverged.c - when a run counts as solved, and when as diverged. */
#include <math.h>

#include "training/solved_or_diverged.h"

void
solved_watch(Solved *s, const Result *so_far)
{
    double sum = 0;
    s->last[so_far->steps % WINDOW] = so_far->accuracy;
    for (int i = 0; i < WINDOW; i++)
        sum += s->last[i];
    if (!s->at && so_far->steps >= WINDOW && sum / WINDOW >= s->threshold)
        s->at = so_far->steps;
}

/* The weights are checked too, because no batch has used them since the last
   step. */
bool
has_diverged(const Model *m, const Result *r)
{
    const LogRow *last = &r->rows[r->count - 1];
    bool finite = (!r->steps || isfinite(last->loss)) &&
                  isfinite(last->validation_loss) && isfinite(r->test_loss);
    for (size_t i = 0; i < m->parameters; i++)
        finite &= isfinite(m->values[i]) != 0;
    return !finite;
}
