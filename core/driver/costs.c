/* costs.c - what a token costs, by how many there are before it: measured on
   the decoder that generates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fail.h"
#include "math/statistics.h"
#include "driver/costs.h"
#include "driver/cli/table.h"

enum { SHORTEST = 128, FULL = 8192, TIMED = 16, MODELS = 2 };

/* A model that decodes, and what its last tokens took. */
typedef struct Course {
    Model *model;
    Decoder *decoder;
    char name[NAME_SIZE];
    double seconds[TIMED];
    real *logits; /* of these tokens */
} Course;

static Course
course_begin(const Model *m, int tokens)
{
    int classes = m->sizes.classes;
    Course c = {.model = model_resized(m, tokens, 0)};
    c.decoder = decoder_new(c.model, tokens, 1);
    c.logits = allocate((size_t)TIMED * classes, sizeof *c.logits);
    plugin_name(m->config.variant, c.name);
    return c;
}

static void
course_end(Course *c)
{
    decoder_free(c->decoder);
    model_free(c->model);
    free(c->logits);
}

/* Reads on up to token `length`, and then TIMED more, one by one. */
static void
run_course(Course *c, const int *ids, int length)
{
    int classes = c->model->sizes.classes;
    decoder_go_on(c->decoder, ids, length);
    for (int i = 0; i < TIMED; i++) {
        double begin = now();
        const real *logits = decoder_go_on(c->decoder, ids, length + i + 1);
        c->seconds[i] = now() - begin;
        for (int k = 0; k < classes; k++)
            c->logits[i * classes + k] = logits[k];
    }
}

/* The largest difference of logits. */
static double
apart(const Course *a, const Course *b)
{
    double most = 0;
    for (int i = 0; i < TIMED * a->model->sizes.classes; i++)
        most = fmax(most, fabs((double)(a->logits[i] - b->logits[i])));
    return most;
}

static void
add_row(Sheet *sheet, int length, Course *c, const Course *first)
{
    double bytes = decoder_bytes(c->decoder);
    sheet_row(sheet, cell_number(length), cell_words(c->name),
              cell_number(bytes / (length + TIMED)), cell_number(bytes),
              cell_number(decoder_flops(c->decoder)),
              cell_number(1 / median(c->seconds, TIMED)),
              cell_number(c == first ? NAN : apart(c, first)));
}

/* What cannot be measured so: exits. */
static void
check_lengths(const Generation *g, int known)
{
    if (!g->data.task->next || g->data.sizes.source)
        fail("%s: --costs is for runs that go on without a second sequence: "
             "text, copy, induction",
             g->run);
    if (known < SHORTEST + TIMED)
        fail("%s: has positions for %d tokens, and --costs begins with %d: "
             "train with --positions rope, alibi, sinusoidal or none, or a "
             "greater --length",
             g->run, known, SHORTEST + TIMED);
}

void
costs_show(Generation *g, const Model *other)
{
    static const Column columns[] = {
        {.name = "prompt"},
        {"variant", .words = true},
        {"bytes_per_token", .title = "bytes a token", .format = "%.5g"},
        {"cache_bytes", .title = "cache", .format = "%.0f"},
        {"flops_per_token", .title = "FLOPs a token", .format = "%.0f"},
        {"tokens_per_second", .title = "tokens/s", .format = "%.0f"},
        {"logits_apart", .title = "logits apart", .format = "%.1e"}};
    int known = positions_known(g->model), tokens = FULL + TIMED;
    check_lengths(g, known);
    while (tokens > known)
        tokens = (tokens - TIMED) / 2 + TIMED;
    int *ids = allocate((size_t)tokens, sizeof *ids);
    for (int i = 0; i < tokens; i++)
        ids[i] = random_below(&g->random, g->data.sizes.vocabulary);
    Course course[MODELS] = {course_begin(g->model, tokens)};
    if (other)
        course[1] = course_begin(other, tokens);
    Sheet sheet = sheet_of(columns, 7);
    if (!other)
        sheet.columns[6].readers = NOBODY;
    for (int length = SHORTEST; length + TIMED <= tokens; length *= 2)
        for (int i = 0; i < 1 + (other != NULL); i++) {
            run_course(&course[i], ids, length);
            add_row(&sheet, length, &course[i], course);
        }
    sheet_note(&sheet, "costs",
               format_text("After a prompt of so many tokens drawn at random, "
                           "the next %d, one at a time: their median time.",
                           TIMED));
    sheet_print(&sheet, layout_of(g->options));
    for (int i = 0; i < 1 + (other != NULL); i++)
        course_end(&course[i]);
    free(ids);
}
