/* attention.c - the attention maps of an example, printed and drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/pass.h"
#include "base/words.h"
#include "study/table.h"
#include "study/tokens.h"
#include "study/attention.h"
#include "study/draw.h"
#include "heart/fail.h"

/* The tokens of a sequence, as people read them. */
static Values
labels_of(const Dataset *data, const int *ids, int count)
{
    int each = data->sizes.each;
    Values l = {0};
    for (int i = 0; i < count; i++)
        values_add(&l, token_text(data, ids + i * each));
    return l;
}

/* Tenths of a weight: . below 0.05, 9 from 0.85 on, * from 0.95. */
static char
shade(double weight)
{
    int tenths = (int)(10 * weight + 0.5);
    return tenths < 1 ? '.' : tenths > 9 ? '*' : (char)('0' + tenths);
}

/* In 80 columns. */
static void
print_map(const Values *rows, const Values *cols, const double *weights)
{
    enum { TOKEN = 8, MOST = 80 - TOKEN - 3 };
    for (int i = 0; i < rows->count; i++) {
        print_left(rows->text[i], TOKEN);
        for (int j = 0; j < cols->count && j < MOST; j++)
            putchar(shade(weights[i * cols->count + j]));
        printf(cols->count > MOST ? " ..\n" : "\n");
    }
}

static void
add_map(Sheet *sheet, const char *panel, const Values *rows, const Values *cols,
        const double *weights)
{
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < cols->count; j++)
            sheet_row(sheet, cell_words(panel), cell_number(i), cell_number(j),
                      cell_words(rows->text[i]), cell_words(cols->text[j]),
                      cell_number(weights[i * cols->count + j]));
}

/* All maps of the example: as pictures on a terminal, and for a figure as rows
   of its data and of its script. In the encoder queries and keys are of the
   second sequence, in cross-attention keys are. */
static void
show_maps(bool pictures, const Model *m, const Capture *r, const Values both[2],
          Sheet *sheet, FILE *script)
{
    if (pictures)
        printf("Rows are queries, columns are keys, in order; tenths of a "
               "weight: . below 0.05,\n"
               "* from 0.95 on. Each row sums to 1.\n\n");
    for (int p = 0; p < r->places; p++) {
        const ModelPlace *place = &m->place[p];
        const Values *rows = &both[place->attention.place == ENCODER];
        const Values *cols = &both[place->attention.place != SELF];
        double *weights =
            allocate(matrix_entries(rows->count, cols->count), sizeof *weights);
        for (int h = 0; h < capture_heads(r, p); h++) {
            char *name = format_text("%s, head %d", place->name, h + 1);
            capture_weights(r, p, h, 0, weights);
            if (sheet)
                add_map(sheet, name, rows, cols, weights);
            if (script)
                fprintf(script, "%d %d %s\n", rows == &both[1],
                        cols == &both[1], name);
            if (pictures) {
                printf("%s%s\n", p + h > 0 ? "\n" : "", name);
                print_map(rows, cols, weights);
            }
            free(name);
        }
        free(weights);
    }
}

/* The same as a figure. */
static void
draw_maps(bool pictures, const Model *m, const Capture *r, const Values both[2],
          Sheet *sheet, Figure *f)
{
    figure_words(f, "first", &both[0]);
    figure_words(f, "second", &both[1]);
    fprintf(f->script, "$maps << END\n");
    show_maps(pictures, m, r, both, sheet, f->script);
    int heads = capture_heads(r, 0);
    fprintf(f->script,
            "END\nacross = %d\ndown = (|$maps| + across - 1) / across\n"
            "each = across == 1 ? 400 : 290\n"
            "if (!exists(\"width\")) width = 74 + each * across\n"
            "if (!exists(\"height\")) height = 75 + (each + 15) * down\n",
            heads < 2 ? heads : 2);
}

static void
both_labels(const Dataset *data, const Batch *b, Values both[2])
{
    both[0] = labels_of(data, b->ids, b->rows);
    both[1] = labels_of(data, b->source, b->source_rows);
}

void
attention_print(const Model *m, const Dataset *data, const Batch *b,
                const Capture *r)
{
    Values both[2];
    if (!r->places || !capture_heads(r, 0))
        return;
    both_labels(data, b, both);
    show_maps(true, m, r, both, NULL, NULL);
    values_free(&both[0]);
    values_free(&both[1]);
}

void
attention_show(const Drawing *o, Layout layout, Model *m, const Dataset *data,
               const char *run)
{
    static const Column columns[] = {
        {"head", .words = true}, {.name = "row"},
        {.name = "column"},      {"query", .words = true},
        {"key", .words = true},  {"weight", .format = "%.6g"}};
    Sheet sheet = sheet_of(columns, 6);
    Batch b = batch_new(data->sizes, 1);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, 0, &b);
    Pass *p = pass_captured(m, &b, false);
    if (!capture_heads(&p->capture, 0))
        fail("%s: no weights of attention there: its variant calls neither "
             "attend nor softmax",
             run);
    Values both[2];
    both_labels(data, &b, both);
    Figure f = figure_begin(o, "attention");
    char *title = format_text("%s: attention of a test example", run);
    figure_title(&f, title, "", "");
    free(title);
    draw_maps(layout == ALIGNED, m, &p->capture, both, &sheet, &f);
    sheet_write(f.data, &sheet, TSV);
    if (layout != ALIGNED)
        sheet_write(stdout, &sheet, layout);
    sheet_free(&sheet);
    values_free(&both[0]);
    values_free(&both[1]);
    pass_free(p);
    batch_free(&b);
    figure_end(&f, "attention");
}
