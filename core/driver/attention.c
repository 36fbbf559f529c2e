/* attention.c - the attention maps of an example, printed and drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "draw.h"
#include "fail.h"
#include "figure.h"
#include "look.h"
#include "print.h"
#include "watched.h"

/* The tokens of either sequence of the example, as people read them. */
typedef struct Labels {
    char (*text)[LABEL_SIZE];
    int count;
} Labels;

static Labels
labels_of(const Source *s, const int *ids, int count)
{
    int each = s->sizes.each;
    Labels l = {allocate((size_t)count, LABEL_SIZE), count};
    for (int i = 0; i < count; i++) {
        char second[LABEL_SIZE];
        token_label(s, ids[i * each], l.text[i]);
        if (each < 2 || ids[i * each + 1] < 0)
            continue;
        token_label(s, ids[i * each + 1], second);
        snprintf(l.text[i] + strlen(l.text[i]), LABEL_SIZE - strlen(l.text[i]),
                 "+%.6s", second);
    }
    return l;
}

/* Tenths of a weight: . below 0.05, 9 from 0.85 on, * from 0.95. */
static char
shade(double weight)
{
    int tenths = (int)(10 * weight + 0.5);
    return tenths < 1 ? '.' : tenths > 9 ? '*' : (char)('0' + tenths);
}

static void
print_map(const Labels *rows, const Labels *cols, const double *weights)
{
    for (int i = 0; i < rows->count; i++) {
        print_left(rows->text[i], 8);
        for (int j = 0; j < cols->count && j < 70; j++)
            putchar(shade(weights[i * cols->count + j]));
        printf(cols->count > 70 ? " ..\n" : "\n");
    }
}

static void
write_map(FILE *to, const char *panel, const Labels *rows, const Labels *cols,
          const double *weights)
{
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < cols->count; j++)
            fprintf(to, "%s\t%d\t%d\t%s\t%s\t%.6g\n", panel, i, j,
                    rows->text[i], cols->text[j], weights[i * cols->count + j]);
}

/* Which sequence asks, and is asked, at a place: the second one in the encoder,
   either in cross-attention. */
static const Labels *
side(const Labels both[2], const char *place, bool asked)
{
    bool encoder = !strncmp(place, "encoder", 7);
    bool cross = strstr(place, ".cross") != NULL;
    return &both[encoder || (cross && asked)];
}

/* All maps of the example: on stdout, and as a figure. */
static void
show_maps(const Options *o, const Model *m, const Watch *w,
          const Labels both[2], Figure *f)
{
    int panels = 0;
    bool tsv = wants_tsv(o->tsv);
    for (int p = 0; p < w->places; p++)
        panels += watched_heads(w, p);
    int heads = watched_heads(w, 0), across = heads < 4 ? heads : 4;
    fprintf(f->script,
            "panels = %d\narray panel[%d]\narray high[%d]\narray wide[%d]\n"
            "across = %d\ndown = %d\n"
            "if (!exists(\"width\")) width = 74 + 290 * across\n"
            "if (!exists(\"height\")) height = 75 + 305 * down\n",
            panels, panels, panels, panels, across,
            (panels + across - 1) / across);
    panels = 0;
    for (int p = 0; p < w->places; p++) {
        char place[PLACE_SIZE];
        place_name(m, p, place);
        const Labels *rows = side(both, place, false);
        const Labels *cols = side(both, place, true);
        double *weights =
            allocate((size_t)(rows->count * cols->count), sizeof *weights);
        for (int h = 0; h < watched_heads(w, p); h++) {
            char *name = format_text("%s, head %d", place, h + 1);
            watched_weights(w, p, h, 0, weights);
            write_map(f->data, name, rows, cols, weights);
            panels++;
            fprintf(f->script,
                    "panel[%d] = '%s'\nhigh[%d] = %d\nwide[%d] = %d\n", panels,
                    name, panels, rows->count, panels, cols->count);
            if (tsv)
                write_map(stdout, name, rows, cols, weights);
            else {
                printf("%s%s\n", panels > 1 ? "\n" : "", name);
                print_map(rows, cols, weights);
            }
            free(name);
        }
        free(weights);
    }
}

bool
attention_show(const Options *o, Model *m, const Source *s, const char *run,
               const char *directory)
{
    static const char head[] = "head\trow\tcolumn\tasks\tasked\tweight\n";
    Batch b = batch_new(s->sizes, 1);
    Random r = source_stream(s, TEST);
    source_draw(s, TEST, &r, 0, &b);
    Watched *w = watch_model(m, &b);
    if (!w->watch.places || !watched_heads(&w->watch, 0))
        fail("%s: no weights of attention there: %s", run,
             w->watch.places ? "its variant calls neither attend nor softmax"
                             : "task linear has none");
    Labels both[2] = {labels_of(s, b.all.ids, s->sizes.tokens)};
    if (s->sizes.source)
        both[1] = labels_of(s, b.all.source, s->sizes.source);
    Figure f = figure_begin(directory, "attention");
    char *title = format_text("%s: attention of a test example", run);
    figure_text(&f, "title", title);
    free(title);
    fputs(head, f.data);
    if (wants_tsv(o->tsv))
        fputs(head, stdout);
    show_maps(o, m, &w->watch, both, &f);
    if (!wants_tsv(o->tsv))
        printf("\nA row a token that asks, a column a token that is asked, in "
               "order; tenths of its\nweight: . below 0.05, * from 0.95 on. "
               "Each row sums to 1.\n");
    free(both[0].text);
    free(both[1].text);
    watched_free(w);
    batch_free(&b);
    return figure_end(&f, "attention", o);
}
