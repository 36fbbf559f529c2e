/* attention.c - the attention maps of a test example as a figure. */
#include <stdio.h>
#include <stdlib.h>

#include "algebra/pass.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "page/table.h"
#include "study/attention.h"
#include "watch/maps.h"

static void
add_map(Sheet *sheet, const Map *map, const Values *rows, const Values *cols)
{
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < cols->count; j++)
            sheet_row(sheet, cell_words(map->name), cell_number(i),
                      cell_number(j), cell_words(rows->text[i]),
                      cell_words(cols->text[j]),
                      cell_number(map->weights[i * cols->count + j]));
}

/* Data and script of the figure: a panel for each head. */
static void
draw_maps(Figure *f, const Maps *maps, Sheet *sheet)
{
    figure_words(f, "firsts", &maps->tokens[0]);
    if (maps->tokens[1].count)
        figure_words(f, "seconds", &maps->tokens[1]);
    fprintf(f->script, "$maps << END\n");
    for (const Map *map = maps->map; map < maps->map + maps->count; map++) {
        add_map(sheet, map, &maps->tokens[map->queries_of],
                &maps->tokens[map->keys_of]);
        fprintf(f->script, "%d %d %s\n", map->queries_of, map->keys_of,
                map->name);
    }
    fprintf(f->script,
            "END\nacross = %d\ndown = (|$maps| + across - 1) / across\n"
            "each = across == 1 ? 400 : 290\n"
            "if (!exists(\"width\")) width = 74 + each * across\n"
            "if (!exists(\"height\")) height = 75 + (each + 15) * down\n",
            maps->count < 2 ? 1 : 2);
    sheet_write(f->data, sheet, TSV);
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
    Pass *pass = pass_captured(m, &b, false);
    Maps maps = maps_of(m, data, &b, &pass->capture);
    if (!maps.count)
        fail("%s: no weights of attention there: its variant calls neither "
             "attend nor softmax",
             run);
    Figure f = figure_begin(o, "attention");
    char *title = format_text("%s: attention of a test example", run);
    figure_title(&f, title, "");
    free(title);
    draw_maps(&f, &maps, &sheet);
    if (layout == ALIGNED)
        maps_print(&maps);
    else
        sheet_write(stdout, &sheet, layout);
    figure_end(&f, "attention");
    sheet_free(&sheet);
    maps_free(&maps);
    pass_free(pass);
    batch_free(&b);
}
