/* decoding.c - how fast a model goes on token by token, beside reading once
   what a token needs: all weights, and the cache. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/words.h"
#include "math/rows.h"
#include "math/statistics.h"
#include "math/timing.h"
#include "train/generate.h"
#include "driver/decoding.h"
#include "driver/figure/draw.h"

/* A decoder of sequences that all begin with the same token. */
typedef struct Decoding {
    Model *model;
    Decoder *decoder;
    int *ids;
    int tokens;          /* of a sequence */
    double bytes, flops; /* that a step reads, and computes; their means */
} Decoding;

/* The model has positions for `tokens`; 0: for as many as its task has. */
static Model *
model_of(const char *variant, const char *shape, int tokens)
{
    Plugin p = plugin_open(variant);
    Config c = config_start();
    config_apply(&c, "norm=pre mask=causal positions=learned");
    config_apply(&c, shape);
    c.variant = interned(variant);
    config_cast(&c, &p);
    Dataset data = dataset_open(&c);
    Sizes sizes = data.sizes;
    sizes.tokens = tokens ? tokens : sizes.tokens;
    dataset_close(&data);
    return model_new(&c, sizes, p.variant);
}

static Decoding
decoding_begin(const char *variant, const char *shape, int tokens,
               int sequences)
{
    Decoding g = {.model = model_of(variant, shape, tokens)};
    g.tokens = g.model->sizes.tokens;
    g.decoder = decoder_new(g.model, g.tokens, sequences);
    g.ids = allocate((size_t)AT_ONCE * sequences * g.model->sizes.each,
                     sizeof *g.ids);
    return g;
}

static void
decoding_end(Decoding *g)
{
    free(g->ids);
    decoder_free(g->decoder);
    model_free(g->model);
}

/* Every step reads these whole; of the others it reads a row a token. */
static double
weight_bytes(const Model *m)
{
    double entries = 0;
    for (int i = 0; i < m->count; i++)
        if (i != m->embedding && i != m->positions)
            entries += (double)m->weights[i].rows * m->weights[i].cols;
    return entries * sizeof(real);
}

static void
run_sequences(void *decoding)
{
    Decoding *g = decoding;
    decoder_restart(g->decoder);
    for (int t = 0; t < g->tokens; t++)
        decoder_step(g->decoder, g->ids, 1);
}

/* What a step takes, over a whole sequence. */
static void
count_costs(Decoding *g)
{
    decoder_restart(g->decoder);
    for (int t = 0; t < g->tokens; t++) {
        decoder_step(g->decoder, g->ids, 1);
        g->bytes += decoder_bytes(g->decoder) / g->tokens;
        g->flops += decoder_flops(g->decoder) / g->tokens;
    }
    g->bytes += weight_bytes(g->model);
}

/* As many bytes as that, to be read from end to end. */
typedef struct Stream {
    real *at;
    size_t count;
    real sum;
} Stream;

static void
run_stream(void *stream)
{
    enum { AT_A_TIME = 8 };
    Stream *s = stream;
    Widest sum[AT_A_TIME] = {{0}};
    for (size_t i = 0; i + (size_t)AT_A_TIME * WIDE <= s->count;
         i += (size_t)AT_A_TIME * WIDE)
        UNROLL for (int j = 0; j < AT_A_TIME; j++) sum[j] +=
            *(const Widest *)(s->at + i + j * WIDE);
    for (int j = 1; j < AT_A_TIME; j++)
        sum[0] += sum[j];
    s->sum += sum[0][0];
}

static void
add_speed(Sheet *sheet, const char *variant, const Shape *shape, int sequences,
          double peak)
{
    Decoding g = decoding_begin(variant, shape->settings, 0, sequences);
    count_costs(&g);
    Stream s = {.count = (size_t)(g.bytes / sizeof(real))};
    s.at = allocate_aligned(s.count, sizeof *s.at);
    Turns t = measure_in_turns(run_sequences, &g, run_stream, &s);
    double step = t.seconds[0] / g.tokens;
    sheet_row(
        sheet, cell_words(shape->name), cell_number(g.tokens),
        cell_number(sequences), cell_number(sequences / step),
        cell_number(g.bytes / step * 1e-9), cell_number(g.tokens / t.share),
        cell_number(g.flops / step * 1e-9), cell_number(g.flops / step / peak));
    free(s.at);
    decoding_end(&g);
}

void
decoding_speed(const Options *o, const char *variant, const Shape *shapes,
               int count)
{
    static const int sequences[] = {1, 8, 64};
    static const Column columns[] = {
        {"shape", .words = true},
        {.name = "tokens"},
        {.name = "sequences"},
        {"tokens/s", .format = "%.4g"},
        {"GB/s", .format = "%.1f"},
        {"of_read", .title = "of a read", .format = "%.3g", .share = true},
        {"GFLOP/s", .format = "%.1f"},
        {"of_peak", .title = "of peak", .format = "%.3g", .share = true}};
    Sheet sheet = sheet_of(columns, 8);
    Timing peak = measure_peak();
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            add_speed(&sheet, variant, &shapes[i], sequences[k], peak.peak);
    sheet_note(&sheet, "decoding",
               copy_text("Sequences of so many tokens, so many at a time, a "
                         "token of each in a step. GB/s: of weights and cache "
                         "that the step needs; of a read: beside a loop that "
                         "reads as many bytes from end to end and adds them "
                         "up, measured in turns with it."));
    sheet_print(&sheet, layout_of(o));
}

/* Lengths that are measured: 128, 256, ... 8192; and tokens around each. */
enum { SHORTEST = 128, LENGTHS = 7, ROUNDS = 3, EACH = 16 };
enum { TIMED = ROUNDS * EACH };

static int
length_of(int i)
{
    return SHORTEST << i;
}

/* What is found of a variant at a length: bytes, and tokens a second. */
typedef struct Found {
    double cache, speed;
} Found;

/* The median speed of TIMED tokens, of all variants in turns: a noisy machine
   spoils all alike. */
static void
measure_length(Decoding *g, int count, int length, Found *found)
{
    double *seconds = allocate((size_t)count * TIMED, sizeof *seconds);
    for (int v = 0; v < count; v++)
        for (int n; (n = length - TIMED / 2 - g[v].decoder->cache->position);)
            decoder_step(g[v].decoder, g[v].ids, n < AT_ONCE ? n : AT_ONCE);
    for (int r = 0; r < ROUNDS; r++)
        for (int v = 0; v < count; v++)
            for (int i = 0; i < EACH; i++) {
                double begin = now();
                decoder_step(g[v].decoder, g[v].ids, 1);
                seconds[v * TIMED + r * EACH + i] = now() - begin;
                if (g[v].decoder->cache->position == length)
                    found[v].cache = decoder_bytes(g[v].decoder);
            }
    for (int v = 0; v < count; v++)
        found[v].speed = 1 / median(seconds + v * TIMED, TIMED);
    free(seconds);
}

/* One panel's curves: the same number of every variant and length. */
static void
put_curves(const Figure *f, int panel, const Values *variants,
           const Found *found)
{
    double least = INFINITY, most = 0;
    for (int v = 0; v < variants->count; v++)
        for (int i = 0; i < LENGTHS; i++) {
            const Found *at = &found[i * variants->count + v];
            double y = panel == 1 ? at->cache / 1e6 : at->speed;
            fprintf(f->data, "%d\t%s\t%d\t%.6g\t%.6g\t%.6g\n", panel,
                    variants->text[v], length_of(i), y, y, y);
            least = fmin(least, y);
            most = fmax(most, y);
        }
    fprintf(f->script, "1 0 %g %g\n", least, most);
}

static void
draw_context(const Drawing *o, const Values *variants, const char *shape,
             const Found *found)
{
    static char *titles[] = {"cache, MB", "tokens a second"};
    Figure f = figure_begin(o, "decoding");
    char *title =
        format_text("Cache and speed by the tokens before (%s)", shape);
    fprintf(f.data, "panel\tseries\ttokens\tmean\tlow\thigh\n");
    figure_title(&f, title,
                 " What a decoder keeps of so many tokens, and how many it "
                 "adds to them in a second, on one core. Both axes are "
                 "logarithmic.",
                 "");
    free(title);
    figure_label(&f, "by", "");
    figure_label(&f, "xlabel", "tokens before");
    figure_words(&f, "series", variants);
    figure_labels(&f, "titles", &(Values){(char *[]){"", ""}, 2, 2});
    figure_labels(&f, "ylabels", &(Values){titles, 2, 2});
    fprintf(f.script, "xs = '");
    for (int i = 0; i < LENGTHS; i++)
        fprintf(f.script, "%d ", length_of(i));
    fprintf(f.script, "'\nticks = 1\nlog_x = 1\nlongest_run = 1\n"
                      "title_asked = 0\n$panels << END\n");
    put_curves(&f, 1, variants, found);
    put_curves(&f, 2, variants, found);
    fprintf(f.script, "END\n");
    figure_end(&f, "panels");
}

/* What is measured where no variant is named; the window is no longer than it
   must be to be seen. */
static const char *const usual[][2] = {{"standard", ""},
                                       {"gqa", ""},
                                       {"mqa", ""},
                                       {"mla", ""},
                                       {"mla-absorbed", ""},
                                       {"shared-kv", ""},
                                       {"window", " window=256"}};
enum { USUAL = sizeof usual / sizeof *usual };

/* Those, or the ones that are named. */
static Values
begin_all(const Values *named, const char *shape, Decoding *g)
{
    Values names = {0};
    setting_declare("window"); /* before any plugin does */
    for (int i = 0; i < (named->count ? named->count : USUAL); i++) {
        const char *name = named->count ? named->text[i] : usual[i][0];
        char *all = format_text("%s%s", shape, named->count ? "" : usual[i][1]);
        char shown[NAME_SIZE];
        plugin_name(name, shown);
        values_add(&names, copy_text(shown));
        g[i] = decoding_begin(name, all, length_of(LENGTHS - 1) + TIMED / 2, 1);
        free(all);
    }
    return names;
}

void
decoding_context(const Options *o, const Values *named, const Shape *shape)
{
    static const Column columns[] = {
        {.name = "tokens"},
        {"variant", .words = true},
        {"cache_bytes", .title = "cache", .format = "%.0f"},
        {"tokens/s", .format = "%.4g"},
        {"of_first", .title = "of the first", .format = "%.3g"}};
    Decoding *g = allocate((size_t)(named->count + USUAL), sizeof *g);
    Values variants = begin_all(named, shape->settings, g);
    int count = variants.count;
    Sheet sheet = sheet_of(columns, 5);
    Found *found = allocate((size_t)LENGTHS * count, sizeof *found);
    for (int i = 0; i < LENGTHS; i++) {
        Found *at = found + i * count;
        measure_length(g, count, length_of(i), at);
        for (int v = 0; v < count; v++)
            sheet_row(&sheet, cell_number(length_of(i)),
                      cell_words(variants.text[v]), cell_number(at[v].cache),
                      cell_number(at[v].speed),
                      cell_number(at[v].speed / at[0].speed));
    }
    for (int v = 0; v < count; v++)
        decoding_end(&g[v]);
    free(g);
    sheet_note(&sheet, "context",
               format_text("One sequence in a model of shape %s: bytes that "
                           "are kept of so many tokens, and the median speed "
                           "of the %d around the last of them.",
                           shape->name, TIMED));
    sheet_print(&sheet, layout_of(o));
    if (o->out)
        draw_context(&o->draw, &variants, shape->name, found);
    values_free(&variants);
    free(found);
}
