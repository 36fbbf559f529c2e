/* gradient.c - a test that gradients are right. */
#include "gradient.h"
#include "suites.h"

void
check_gradient(Build *build, void *more, const Leaf *leaves, int count)
{
    Slopes s = slopes_of(build, more, leaves, count);
    if (s.leaf >= 0) {
        const Leaf *l = &leaves[s.leaf];
        ck_abort_msg("leaf %d (%d x %d), row %d, column %d: gradient %.12g, "
                     "difference %.12g",
                     s.leaf, l->rows, l->cols, s.row, s.col, s.found, s.wanted);
    }
}
