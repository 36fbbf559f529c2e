/* inspect.c - qkv inspect: shows the canonical forms M and N of a trained run's
   heads (algebra/canonical.h) or, with --attention, their attention weights on
   a test example.

   A place is one attention of the model, such as block0.attention. */
#include "algebra/svd.h"
#include "driver/options.h"
#include "page/table.h"
#include "watch/attention_maps.h"

/* Adds the row of a head. `form` is the form of the place named `place`; M and
   N of a head have form->size entries each, and are stored head by head. */
static void
add_form(Sheet *sheet, const char *place, const Canonical *form, int head)
{
    const double *entries_of_M = form->m + head * form->size;
    const double *entries_of_N = form->n + head * form->size;
    Spectrum M = spectrum_of(entries_of_M, form->d_model);
    Spectrum N = spectrum_of(entries_of_N, form->d_model);
    sheet_row(sheet, cell(place), cell(head + 1), cell(M.rank),
              cell(M.effective_rank), cell(M.largest),
              cell(symmetric_share(entries_of_M, form->d_model)), cell(N.rank),
              cell(N.effective_rank), cell(N.largest));
}

/* Prints a row for each head of each place: ranks and singular values of its M
   and N. Fails if a place has no canonical form. */
static void
print_forms(const Options *o, const Model *m)
{
    /* clang-format off */
    static const Column columns[] = {
        {"block", .words = true}, {.name = "head"},
        {"rank_M", .title = "rank M"}, {"effective_rank_M", .title = "eff.", .format = "%.1f"}, {"largest_sM", .title = "s1", .format = "%.3g"}, {"symmetric_share_M", .title = "sym.", .format = "%.2f"},
        {"rank_N", .title = "rank N"}, {"effective_rank_N", .title = "eff.", .format = "%.1f"}, {"largest_N", .title = "s1", .format = "%.3g"},
    };
    /* clang-format on */
    Sheet sheet = sheet_of(columns, "forms", o->columns);
    sheet.note =
        "Head i is softmax(s x M_i y') y N_i; rotated q and k are at "
        "distance 0. eff.: effective rank; s1: largest singular value, "
        "of s M_i and N_i; sym.: share of M_i that equals its "
        "transpose, 0.5 if random.";
    for (int place = 0; place < m->places; place++) {
        const char *name = m->place[place].name;
        Canonical form = model_form(m, place);
        if (!form.m)
            fail("%s: %s has no canonical form: %s", name, m->config.variant,
                 form.why);
        for (int head = 0; head < form.heads; head++)
            add_form(&sheet, name, &form, head);
        canonical_free(&form);
    }
    sheet_print(&sheet, layout_of(o));
}

/* Adds a row for each attention weight of a head: for each pair of a query and
   a key. */
static void
add_map(Sheet *sheet, const Maps *maps, const Map *map)
{
    const Values *rows = &maps->tokens[map->queries_of];
    const Values *cols = &maps->tokens[map->keys_of];
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < cols->count; j++)
            sheet_row(sheet, cell(map->name), cell(i), cell(j),
                      cell(rows->text[i]), cell(cols->text[j]),
                      cell(map_weight(map, i, j)));
}

/* Draws the figure "attention" from a table of all attention weights. In its
   script the array `firsts` has the labels of the model's tokens, and `seconds`
   the labels of its encoder's tokens, if it has an encoder. The array `heads`
   says for each head whose tokens its queries and its keys are, 0 or 1, and
   what it is called: "0 0 block0.attention, head 1". */
static void
draw_maps(const Drawing *o, const Sheet *weights, const Maps *maps,
          const char *run)
{
    Values heads = {0};
    for (const Map *map = maps->map; map < maps->map + maps->count; map++)
        values_add(&heads, format_text("%d %d %s", map->queries_of,
                                       map->keys_of, map->name));
    Figure f = figure_begin(
        o, "attention", format_text("%s: attention of a test example", run));
    Sheet all_columns = *weights;
    all_columns.chosen = NULL; /* the figure needs all columns */
    sheet_write(f.data, &all_columns, TSV);
    figure_words(&f, "heads", &heads);
    figure_words(&f, "firsts", &maps->tokens[MODEL_TOKENS]);
    figure_words(&f, "seconds", &maps->tokens[ENCODER_TOKENS]);
    figure_end(&f, "attention.gp");
}

/* Prints the attention weights of every head on the first test sequence, as
   pictures on a terminal and otherwise as a table, and draws a figure of them.
 */
static void
show_attention(const Options *o, Model *m, const Dataset *data, const char *run)
{
    static const Column columns[] = {
        {"head", .words = true}, {.name = "row"},
        {.name = "column"},      {"query", .words = true},
        {"key", .words = true},  {"weight", .format = "%.6g"}};
    const int one_sequence = 1, first_batch = 0;
    Layout layout = layout_of(o);
    Sheet weights = sheet_of(columns, NULL, o->columns);
    Batch b = batch_new(data->sizes, one_sequence);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, first_batch, &b);
    Pass *pass = pass_captured(m, &b);
    Maps maps = maps_of(m, data, &b, &pass->capture);
    if (!maps.count)
        fail("%s: it has no attention weights, since its variant calls neither "
             "attend nor softmax; leave out --attention",
             run);
    for (const Map *map = maps.map; map < maps.map + maps.count; map++)
        add_map(&weights, &maps, map);
    if (layout == ALIGNED)
        maps_print(&maps);
    else
        sheet_write(stdout, &weights, layout);
    draw_maps(&o->draw, &weights, &maps, run);
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
