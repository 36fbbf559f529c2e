/* inspect.c - qkv inspect: shows the canonical forms of a trained run's heads,
   or their attention weights on an example. */
#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "driver/options.h"
#include "page/table.h"
#include "watch/attention_maps.h"

/* Prints a row for each head of each place of attention: ranks and singular
   values of its canonical form, M and N (algebra/canonical.h). Fails if a place
   has no canonical form. */
static void
print_forms(const Options *o, const Model *m)
{
    static const Column columns[] = {
        {"block", .words = true},
        {.name = "head"},
        {"rank_M", .title = "rank M"},
        {"effective_rank_M", .title = "eff.", .format = "%.1f"},
        {"largest_sM", .title = "s1", .format = "%.3g"},
        {"symmetric_share_M", .title = "sym.", .format = "%.2f"},
        {"rank_N", .title = "rank N"},
        {"effective_rank_N", .title = "eff.", .format = "%.1f"},
        {"largest_N", .title = "s1", .format = "%.3g"}};
    Sheet sheet = sheet_of(columns, "forms", o->columns);
    sheet.note =
        "Head i is softmax(s x M_i y') y N_i; rotated q and k are at "
        "distance 0. eff.: effective rank; s1: largest singular value, "
        "of s M_i and N_i; sym.: share of M_i that equals its "
        "transpose, 0.5 if random.";
    int d = m->attention.d_model;
    for (int p = 0; p < m->places; p++) {
        const char *place = m->place[p].name;
        Canonical form = model_form(m, p);
        if (!form.m)
            fail("%s: %s has no canonical form: %s", place, m->config.variant,
                 form.why);
        for (int h = 0; h < form.heads; h++) {
            /* a head's M and N have form.size entries each */
            const double *M_h = form.m + h * form.size;
            const double *N_h = form.n + h * form.size;
            Spectrum M = spectrum_of(M_h, d), N = spectrum_of(N_h, d);
            sheet_row(&sheet, cell_words(place), cell_number(h + 1),
                      cell_number(M.rank), cell_number(M.effective_rank),
                      cell_number(M.largest),
                      cell_number(symmetric_share(M_h, d)), cell_number(N.rank),
                      cell_number(N.effective_rank), cell_number(N.largest));
        }
        canonical_free(&form);
    }
    sheet_print(&sheet, layout_of(o));
}

/* Adds a row for each attention weight of a head. */
static void
add_map(Sheet *sheet, const Maps *maps, const Map *map)
{
    const Values *rows = &maps->tokens[map->queries_of];
    const Values *cols = &maps->tokens[map->keys_of];
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < cols->count; j++)
            sheet_row(sheet, cell_words(map->name), cell_number(i),
                      cell_number(j), cell_words(rows->text[i]),
                      cell_words(cols->text[j]),
                      cell_number(map_weight(map, i, j)));
}

/* Prints the attention weights of every head on the first test sequence: on a
   terminal as pictures, else as a table. Also draws the figure "attention",
   whose script reads the labels of the tokens from the arrays firsts and
   seconds (the model's first and second sequence). */
static void
show_attention(const Options *o, Model *m, const Dataset *data, const char *run)
{
    static const Column columns[] = {
        {"head", .words = true}, {.name = "row"},
        {.name = "column"},      {"query", .words = true},
        {"key", .words = true},  {"weight", .format = "%.6g"}};
    Layout layout = layout_of(o);
    Sheet sheet = sheet_of(columns, NULL, o->columns);
    Values heads = {0};
    Batch b = batch_new(data->sizes, 1);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, 0, &b);
    Pass *pass = pass_captured(m, &b);
    Maps maps = maps_of(m, data, &b, &pass->capture);
    if (!maps.count)
        fail("%s: it has no attention weights, since its variant calls neither "
             "attend nor softmax; leave out --attention",
             run);
    for (const Map *map = maps.map; map < maps.map + maps.count; map++) {
        add_map(&sheet, &maps, map);
        /* attention.gp: 0 means the array firsts, 1 the array seconds */
        values_add(&heads, format_text("%d %d %s", map->queries_of,
                                       map->keys_of, map->name));
    }
    if (layout == ALIGNED)
        maps_print(&maps);
    else
        sheet_write(stdout, &sheet, layout);
    Figure f =
        figure_begin(&o->draw, "attention",
                     format_text("%s: attention of a test example", run));
    sheet.chosen = NULL; /* the figure needs all columns */
    sheet_write(f.data, &sheet, TSV);
    figure_words(&f, "heads", &heads);
    figure_words(&f, "firsts", &maps.tokens[0]);
    figure_words(&f, "seconds", &maps.tokens[1]);
    figure_end(&f, "attention.gp");
}

int
command_inspect(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Run r = run_read(o.words[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    if (o.attention)
        show_attention(&o, m, &data, r.name);
    else
        print_forms(&o, m);
    return 0;
}
