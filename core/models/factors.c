/* factors.c - writes the matrices of heads as NumPy arrays. */
#include <libgen.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/npy.h"
#include "heart/fail.h"
#include "models/factors.h"
#include "models/heads.h"

/* Writes a map as one array, with a matrix and its bias for each head. W^O has
   no bias, and its map is transposed (heads.h): a column of the map is a row of
   the array. */
static void
write_map(const char *folder, const Heads *l, int map, const char *name)
{
    int d = l->model->d_model, width = l->maps[map].width;
    int heads = l->maps[map].heads;
    real *all = allocate(matrix_entries(heads * width, d + 1), sizeof *all);
    real *to = all;
    for (int head = 0; head < heads; head++)
        if (map == OUTPUT)
            for (int i = 0; i < width * d; i++)
                *to++ = (real)entry_of(l, map, i % d, head * width + i / d);
        else {
            double *w = map_columns(l, map, head * width, width);
            for (int i = 0; i < (d + 1) * width; i++)
                *to++ = (real)w[i];
            free(w);
        }
    const NpyShape shape = {heads, d + 1, width};
    const NpyShape transposed = {heads, width, d};
    npy_write(folder, format_text("layer-%d-%s.npy", l->number + 1, name),
              NPY_REALS, all, map == OUTPUT ? transposed : shape);
    free(all);
}

void
factors_write(const Checkpoint *c, const Published *model, const char *to)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    checkpoint_place(to);
    Draft *draft = draft_begin(above, name);
    char *folder = new_directory(draft->path, name);
    for (int layer = 0; layer < model->layers; layer++) {
        Heads l = heads_of(c, model, layer);
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
    if (!draft_end(draft, KEEP_OLD))
        fail("%s: another program just created it; choose another name", to);
}
