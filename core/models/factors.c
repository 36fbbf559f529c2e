/* factors.c - writes the matrices of heads as NumPy arrays. */
#include <libgen.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/npy.h"
#include "heart/fail.h"
#include "models/factors.h"
#include "models/heads.h"

/* Copies the columns of one head of a map into its matrix, (d_model + 1 x
   width) with the bias as the last row. The map of W^O is transposed (heads.h)
   and has no bias: its matrix is (width x d_model). */
static void
copy_head(real *matrix, const Heads *l, int map, int head)
{
    int d = l->model->d_model, width = l->maps[map].width;
    int rows = map == OUTPUT ? d : d + 1;
    double *columns = map_columns(l, map, head * width, width);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < width; col++) {
            int place = map == OUTPUT ? col * d + row : row * width + col;
            matrix[place] = (real)columns[row * width + col];
        }
    free(columns);
}

/* Writes a map as one array of floats, with a matrix for each head. */
static void
write_map(const char *folder, const Heads *l, int map, const char *name)
{
    int d = l->model->d_model, width = l->maps[map].width;
    int heads = l->maps[map].heads;
    NpyShape shape = {heads, d + 1, width};
    if (map == OUTPUT)
        shape = (NpyShape){heads, width, d};
    int size = shape.second * shape.third; /* the entries of a head's matrix */
    real *all = allocate(matrix_entries(heads, size), sizeof *all);
    for (int head = 0; head < heads; head++)
        copy_head(all + head * size, l, map, head);
    npy_write(folder, format_text("layer-%d-%s.npy", l->number + 1, name),
              NPY_REALS, all, shape);
    free(all);
}

void
factors_write(const Checkpoint *c, const Published *model, const char *to)
{
    const char *above = dirname(copy_text(to)), *name = basename(copy_text(to));
    refuse_existing(to);
    Draft *draft = draft_begin(above, name);
    char *folder = new_directory(draft->path, name);
    for (int layer = 0; layer < model->layers; layer++) {
        Heads l = heads_of(c, model, layer);
        write_map(folder, &l, QUERY, "W_Q");
        write_map(folder, &l, KEY, "W_K");
        write_map(folder, &l, VALUE, "W_V");
        write_map(folder, &l, OUTPUT, "W_O");
        if (reads_latent(&l, KEY)) {
            Heads rotated = rotated_heads(l);
            write_map(folder, &rotated, QUERY, "W_Q_rotated");
            write_map(folder, &rotated, KEY, "W_K_rotated");
        }
    }
    if (!draft_end(draft, KEEP_OLD))
        fail("%s: another program just created it; choose another name", to);
}
