/* square.c - the figure of equiv: each trained variant, as each other one. */
#include <stdlib.h>

#include "base/tsv.h"
#include "base/words.h"
#include "study/draw.h"
#include "study/square.h"
#include "heart/fail.h"

Square
square_new(int count)
{
    size_t n = (size_t)count;
    return (Square){allocate(n, sizeof(char *)),
                    allocate(n * n, sizeof(SquareCell)), count};
}

void
square_free(Square *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->names[i]);
    free(s->names);
    free(s->cells);
}

void
square_draw(const Square *s, const char *which, const Drawing *o)
{
    const char *dash = *which ? "-" : "";
    char *name = format_text("equivalence%s%s", dash, which);
    char *title = format_text("Trained as the row, written as the column: "
                              "difference of logits%s%s",
                              *which ? ", " : "", which);
    Figure f = figure_begin(o, name);
    fputs("from\tto\trow\tcolumn\tlogits\tkind\n", f.data);
    for (int i = 0; i < s->count * s->count; i++) {
        char n[32];
        int row = i / s->count, column = i % s->count;
        number_text(s->cells[i].logits, 2, n);
        fprintf(f.data, "%s\t%s\t%d\t%d\t%s\t%d\n", s->names[row],
                s->names[column], row + 1, column + 1, n,
                (int)s->cells[i].kind);
    }
    figure_title(&f, title, "");
    figure_words(&f, "variants", &(Values){s->names, s->count, s->count});
    figure_end(&f, "equivalence");
    free(title);
    free(name);
}
