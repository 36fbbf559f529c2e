/* inspect.c - qkv inspect: what a trained run's heads are, whatever matrices
   they are written in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/forms.h"
#include "algebra/pass.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "config/build_model.h"
#include "driver/options.h"
#include "study/table.h"
#include "driver/commands.h"
#include "study/attention.h"
#include "study/draw.h"
#include "study/figure.h"
#include "heart/fail.h"
#include "run/run.h"

/* How much of M is symmetric: |M + M'|^2 / |2 M|^2, 1 for M = M', 0 for
   M = -M', about 1/2 for a random one. */
static double
symmetric_share(const double *m, int d)
{
    double both = 0, all = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = (m[i * d + j] + m[j * d + i]) / 2;
            both += sum * sum;
            all += m[i * d + j] * m[i * d + j];
        }
    return all > 0 ? both / all : 1;
}

/* A row of the table for one head, and its spectra as data of a figure. */
static void
describe_head(Sheet *sheet, FILE *data, const Canonical *c, const char *place,
              int head)
{
    int d = c->d_model, rank[2];
    const double *form[] = {c->m + head * d * d, c->n + head * d * d};
    double effective[2], largest[2];
    for (int k = 0; k < 2; k++) {
        double scale = k ? 1 : fabs(c->scale[head]);
        Svd a = svd_of(form[k], d, d);
        rank[k] = rank_of(a.s, d, ROUNDED_AWAY);
        effective[k] = effective_rank(a.s, d);
        largest[k] = a.s[0] * scale;
        for (int i = 0; data && i < d; i++) {
            double value = i < rank[k] ? a.s[i] : 0; /* the rest is rounding */
            fprintf(data, "%c\t%s.%d\t%d\t%.8g\n", "MN"[k], place, head + 1,
                    i + 1, value * scale);
        }
        free(a.u);
    }
    sheet_row(sheet, cell_words(place), cell_number(head + 1),
              cell_number(c->scale[head]), cell_number(rank[0]),
              cell_number(effective[0]), cell_number(largest[0]),
              cell_number(symmetric_share(form[0], d)), cell_number(rank[1]),
              cell_number(effective[1]), cell_number(largest[1]));
}

/* "0" for self-attention of block 0, "0.cross", "encoder0". */
static void
short_name(const Model *m, int place, char name[NAME_SIZE])
{
    const char *whole = m->place[place].name;
    bool encoder = !strncmp(whole, "encoder", 7);
    snprintf(name, NAME_SIZE, "%s", whole + (encoder ? 0 : 5));
    char *dot = strchr(name, '.');
    if (!strcmp(dot, ".attention"))
        *dot = 0;
}

/* How much of what comes out is beyond the range of what went in: the
   question of the thread about symmetry, asked of 32 test sequences. */
static void
describe_range(Layout layout, Model *m, const Dataset *data)
{
    static const Column columns[] = {
        {"block", .words = true},
        {"values_beyond", .title = "weighed, beyond the values",
         .format = "%.3g", .share = true},
        {"output_beyond", .title = "behind the output map, beyond y",
         .format = "%.3g", .share = true}};
    Batch b = batch_new(data->sizes, 32);
    Random r = dataset_stream(data, TEST);
    Batch there = batch_part(&b, 0, dataset_draw(data, TEST, &r, 0, &b));
    Pass *pass = pass_captured(m, &there, false);
    Sheet sheet = sheet_of(columns, 3);
    for (int p = 0; p < pass->capture.places; p++) {
        char place[NAME_SIZE];
        short_name(m, p, place);
        Range range = capture_range(&pass->capture, p);
        sheet_row(&sheet, cell_words(place),
                  cell_number(range.sums_beyond / range.sums),
                  cell_number(range.outputs_beyond / range.outputs));
    }
    if (layout == ALIGNED)
        printf("\nWeights are not negative and sum to 1: does what they weigh "
               "stay in its range?\n\n");
    sheet_print(&sheet, layout);
    pass_free(pass);
    batch_free(&b);
}

/* The canonical forms of all places, to be freed; exits where one has none. */
static Canonical *
forms_of(const Options *o, Model *m, const Dataset *data)
{
    Canonical *forms = allocate((size_t)m->places, sizeof *forms);
    for (int p = 0; p < m->places; p++) {
        forms[p] = model_form(m, p);
        if (forms[p].m)
            continue;
        const char *place = m->place[p].name;
        char name[NAME_SIZE];
        plugin_name(place_word(m, p), name);
        if (layout_of(o) == ALIGNED)
            describe_range(ALIGNED, m, data);
        fail("%s: %s has no canonical form: %s", place, name, forms[p].why);
    }
    return forms;
}

/* What its columns mean; to be freed. */
static char *
explained(const Model *m, const Canonical *forms)
{
    bool biased = false, rotated = false;
    for (int p = 0; p < m->places; p++) {
        biased |= forms[p].bias != NULL;
        rotated |= forms[p].rotated;
    }
    return format_text(
        "Head i is softmax(s x M_i y'%s) y N_i, M_i and N_i (%d x %d). eff.: "
        "effective rank, exp(entropy of the singular values); s1: the largest, "
        "of s M_i and of N_i; sym.: the share of M_i that equals its "
        "transpose, 1 for all, 0.5 if random.%s%s",
        biased ? " + b_i" : "", m->attention.d_model, m->attention.d_model,
        biased ? " b_i is a bias by position, or a sink." : "",
        rotated ? " Here q and k are rotated, so M_i is another matrix at each "
                  "distance of query and key; that of distance 0 is shown."
                : "");
}

/* The table of all heads, and their spectra as data of a figure. */
static void
describe_forms(const Options *o, const Model *m, const Canonical *forms,
               Figure *f)
{
    static const Column columns[] = {
        {"block", .words = true},
        {.name = "head"},
        {"scale", .title = "s", .format = "%.4f", .spare = 1},
        {"rank_M", .title = "rank M"},
        {"effective_rank_M", .title = "eff.", .format = "%.1f"},
        {"largest_sM", .title = "s1", .format = "%.3g"},
        {"symmetric_share_M", .title = "sym.", .format = "%.2f"},
        {"rank_N", .title = "rank N"},
        {"effective_rank_N", .title = "eff.", .format = "%.1f"},
        {"largest_N", .title = "s1", .format = "%.3g"}};
    Sheet sheet = sheet_of(columns, 10);
    if (f->script)
        fprintf(f->script, "most = %d\nheads = '", m->attention.d_model);
    for (int p = 0; p < m->places; p++) {
        char place[NAME_SIZE];
        short_name(m, p, place);
        for (int h = 0; h < forms[p].heads; h++) {
            describe_head(&sheet, f->data, &forms[p], place, h);
            if (f->script)
                fprintf(f->script, "%s%s.%d", p || h ? " " : "", place, h + 1);
        }
    }
    if (f->script)
        fprintf(f->script, "'\n");
    sheet_note(&sheet, "forms", explained(m, forms));
    sheet_print(&sheet, layout_of(o));
}

/* The canonical form: its table, and with --spectrum its figure. */
static void
show_form(const Options *o, Model *m, const Dataset *data, const char *run)
{
    Figure f = {0};
    Canonical *forms = forms_of(o, m, data); /* before any file is begun */
    if (o->inspect.spectrum) {
        f = figure_begin(&o->draw, "spectrum");
        fprintf(f.data, "matrix\thead\tindex\tvalue\n");
        char *title = format_text("%s: singular values", run);
        figure_title(&f, title, "", "");
        free(title);
    }
    describe_forms(o, m, forms, &f);
    if (layout_of(o) == ALIGNED)
        describe_range(ALIGNED, m, data);
    if (o->inspect.spectrum)
        figure_end(&f, "spectrum");
    for (int p = 0; p < m->places; p++)
        canonical_free(&forms[p]);
    free(forms);
}

int
command_inspect(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    if (o.inspect.attention + o.inspect.range + o.inspect.spectrum > 1)
        usage("--attention, --range and --spectrum each show something of "
              "their own: give one");
    Run r = run_read(o.rest[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    if (o.inspect.range)
        describe_range(layout_of(&o), m, &data);
    else if (o.inspect.attention)
        attention_show(&o.draw, layout_of(&o), m, &data, r.name);
    else
        show_form(&o, m, &data, r.name);
    model_free(m);
    dataset_close(&data);
    run_free(&r);
    request_free(&o.request);
    return 0;
}
