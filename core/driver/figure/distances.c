/* distances.c - rotary positions: what M is at each distance.

   The first attention reads rows of the embedding, so there M can be seen
   between the tokens themselves: entry a, b of E M(distance) E' is what the
   score of query a and key b is at that distance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/cli/table.h"
#include "driver/figure/distances.h"
#include "driver/figure/draw.h"

enum { MOST_DISTANCES = 16 };

static int
distances_asked(const Options *o, int distance[MOST_DISTANCES])
{
    const char *asked = o->inspect.distances;
    Values v = values_cut(*asked ? asked : "0,1,2,4,8");
    int count = v.count;
    if (count > MOST_DISTANCES)
        usage("--distances: %d at most", MOST_DISTANCES);
    for (int i = 0; i < count; i++) {
        double x;
        const char *why = number_read(v.text[i], true, -1e5, 1e5, &x);
        if (why)
            usage("--distances: %s", why);
        distance[i] = (int)x;
    }
    values_free(&v);
    return count;
}

/* What the first attention reads of each token, (tokens x d_model). */
static double *
token_rows(const Model *m)
{
    int d = m->attention.d_model, count = m->sizes.vocabulary;
    double *rows = allocate(matrix_entries(count, d), sizeof *rows);
    const Weight *e =
        m->config.embed == EMBED_ONEHOT ? NULL : model_weight(m, "embedding");
    const Weight *gain = &m->weights[m->place[0].norm];
    for (int i = 0; i < count; i++) {
        double mean = 0, squares = 0, *x = rows + i * d;
        for (int j = 0; j < d; j++) {
            x[j] = e        ? (double)e->value[i * d + j]
                   : i == j ? onehot_size(m)
                            : 0;
            mean += x[j] / d;
            squares += x[j] * x[j] / d;
        }
        for (int j = 0; m->config.norm != NORM_NONE && j < d; j++)
            x[j] = (double)gain[1].value[j] +
                   (double)gain[0].value[j] * (x[j] - mean) /
                       sqrt(squares - mean * mean + 1e-5);
    }
    return rows;
}

/* The scores of head h at that distance: a row of the table, and of the data
   one for each pair of tokens. */
static void
show_distance(Sheet *sheet, FILE *data, const Canonical *c, int h,
              const Rotated *tokens, int distance)
{
    int count = tokens->d_model, size = (int)matrix_entries(count, count);
    double *scores = allocate((size_t)size, sizeof *scores);
    double mean = 0, squares = 0, most = 0;
    rotated_product(tokens, distance, scores);
    for (int i = 0; i < size; i++) {
        double s = c->scale[h] * scores[i];
        mean += s / size;
        squares += s * s / size;
        most = fmax(most, fabs(s));
        fprintf(data, "%d\t%d\t%d\t%d\t%.6g\n", h + 1, distance, i / count,
                i % count, s);
    }
    sheet_row(sheet, cell_number(h + 1), cell_number(distance),
              cell_number(mean), cell_number(sqrt(squares - mean * mean)),
              cell_number(most));
    free(scores);
}

/* All heads at all distances. */
static void
show_heads(Sheet *sheet, FILE *data, const Model *m, const Canonical *c,
           const int *distance, int distances)
{
    int d = c->d_model, w = c->width, count = m->sizes.vocabulary;
    double *x = token_rows(m);
    double *q = allocate((size_t)2 * count * w, sizeof *q), *k = q + count * w;
    for (int h = 0; h < c->heads; h++) {
        Rotated tokens = {count, count, w, q, k};
        product_of(q, x, c->q + h * d * w, count, d, w, false);
        product_of(k, x, c->k + h * d * w, count, d, w, false);
        for (int i = 0; i < distances; i++)
            show_distance(sheet, data, c, h, &tokens, distance[i]);
    }
    free(x);
    free(q);
}

void
distances_show(const Options *o, const Model *m, const char *run)
{
    static const Column columns[] = {
        {.name = "head"},
        {.name = "distance"},
        {"mean_score", .title = "mean score", .format = "%.3f"},
        {"deviation", .title = "deviation", .format = "%.3f"},
        {"largest", .title = "largest", .format = "%.3f"}};
    int distance[MOST_DISTANCES], distances = distances_asked(o, distance);
    Canonical c = model_form(m, 0);
    if (!c.m)
        fail("%s: no canonical form: %s", run, c.why);
    if (!c.width)
        fail("%s: M is one matrix at all distances; it is another one at each "
             "in runs with positions rope",
             run);
    Sheet sheet = sheet_of(columns, 5);
    Figure f = figure_begin(&o->draw, "distances");
    fprintf(f.data, "head\tdistance\tquery\tkey\tscore\n");
    char *title = format_text("%s: scores at each distance", run);
    figure_title(&f, title,
                 " A map for each head and each distance of query and key, in "
                 "tokens: a row is a query, a column a key, colours are scores "
                 "s x M_i y'.",
                 "");
    free(title);
    show_heads(&sheet, f.data, m, &c, distance, distances);
    fprintf(f.script, "heads = %d\ntokens = %d\ndistances = '", c.heads,
            m->sizes.vocabulary);
    for (int i = 0; i < distances; i++)
        fprintf(f.script, "%s%d", i ? " " : "", distance[i]);
    fprintf(f.script,
            "'\nif (!exists(\"width\")) width = 110 + 150 * words(distances)\n"
            "if (!exists(\"height\")) height = 80 + 150 * heads\n");
    sheet_note(
        &sheet, "distances",
        copy_text("Scores s x M_i y' of each pair of tokens, where the query "
                  "is so many tokens after the key: their mean, their "
                  "standard deviation, the largest by size. M is another "
                  "matrix at each distance, since q and k are rotated."));
    sheet_print(&sheet, layout_of(o));
    canonical_free(&c);
    figure_end(&f, "distances");
}
