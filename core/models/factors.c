/* factors.c - writes the matrices of heads as NumPy arrays. */
#include <libgen.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/npy.h"
#include "heart/fail.h"
#include "models/factors.h"
#include "models/heads.h"

/* Writes a map, a matrix for each of its heads. That of W^O is turned over
   (heads.h), so its columns are rows of the array; it has no bias. */
static void
write_map(const char *folder, const Heads *l, int map, const char *name)
{
    int d = l->model->d_model, n = l->of[map].width, heads = l->of[map].heads;
    int rows = d + 1, cols = n;
    if (map == OUTPUT) {
        rows = n;
        cols = d;
    }
    real *all = allocate(matrix_entries(heads * n, d + 1), sizeof *all);
    real *to = all;
    for (int head = 0; head < heads; head++) {
        double *w = map_columns(l, map, head * n, n);
        for (int i = 0; i < rows * cols; i++) {
            int row = i / cols, col = i % cols;
            to[i] = (real)(map == OUTPUT ? w[col * n + row] : w[i]);
        }
        to += rows * cols;
        free(w);
    }
    npy_write(folder, format_text("layer-%d-%s.npy", l->number + 1, name), 'f',
              all, 3, (int[]){heads, rows, cols});
    free(all);
}

void
factors_write(const Checkpoint *c, const Published *p, const char *to)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    checkpoint_place(to);
    Draft *draft = draft_begin(above, name);
    char *folder = new_directory(draft->path, name);
    for (int layer = 0; layer < p->layers; layer++) {
        Heads l = heads_of(c, p, layer);
        write_map(folder, &l, QUERY, "W_Q");
        write_map(folder, &l, KEY, "W_K");
        write_map(folder, &l, VALUE, "W_V");
        write_map(folder, &l, OUTPUT, "W_O");
        if (latent_of(&l, KEY)) {
            Heads rotated = rotated_heads(l);
            write_map(folder, &rotated, QUERY, "W_Q_rotated");
            write_map(folder, &rotated, KEY, "W_K_rotated");
        }
    }
    if (!draft_end(draft, false))
        fail("%s: another program wrote it meanwhile; choose another name", to);
}
