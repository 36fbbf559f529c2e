/* real.c - how many parameters of runs are really there: OUT/real.tsv. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/words.h"
#include "run/real.h"

static const char name_of_record[] = "real.tsv";
enum { RUN, PLUGIN, STORED, REAL, COLUMNS };

/* A line of the record. */
typedef struct Line {
    const char *run;
    char plugin[20];
    double stored, real;
} Line;

typedef struct Lines {
    Table table; /* owns the names of runs */
    Line *list;
    int count;
} Lines;

static int
by_run(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    int order = strcmp(x->run, y->run);
    return order ? order : strcmp(x->plugin, y->plugin);
}

static Line
line_of(const Run *r)
{
    Line l = {.run = r->name,
              .stored = run_number(r, "attention_parameters"),
              .real = r->real};
    snprintf(l.plugin, sizeof l.plugin, "%016" PRIx64, r->config.plugin_hash);
    return l;
}

/* What is recorded, by run, with memory for `more` lines. */
static Lines
read_lines(const char *directory, int more)
{
    Lines all = {0};
    Path path = below(directory, name_of_record);
    if (!access(path.text, F_OK)) {
        all.table = table_read_or(path.text, "remove it: `qkv compare` counts "
                                             "again");
        if (all.table.cols != COLUMNS)
            fail("%s: not %d columns; remove it: `qkv compare` counts again",
                 path.text, COLUMNS);
    }
    all.list = allocate((size_t)(all.table.rows + more), sizeof *all.list);
    for (int i = 0; i < all.table.rows; i++) {
        const char *real = table_cell(&all.table, i, REAL);
        Line *l = &all.list[all.count++];
        l->run = table_cell(&all.table, i, RUN);
        snprintf(l->plugin, sizeof l->plugin, "%s",
                 table_cell(&all.table, i, PLUGIN));
        l->stored = table_number(&all.table, i, STORED, path.text);
        l->real = strcmp(real, "NA")
                      ? table_number(&all.table, i, REAL, path.text)
                      : NAN;
    }
    qsort(all.list, (size_t)all.count, sizeof *all.list, by_run);
    return all;
}

static void
lines_free(Lines *all)
{
    free(all->list);
    table_free(&all->table);
}

static Line *
find(const Lines *all, const Line *like)
{
    return bsearch(like, all->list, (size_t)all->count, sizeof *like, by_run);
}

void
real_read(const char *directory, Run *runs, int count)
{
    Lines all = read_lines(directory, 0);
    for (int i = 0; i < count; i++) {
        Line like = line_of(&runs[i]), *found = find(&all, &like);
        if (found && found->stored == like.stored)
            runs[i].real = found->real;
    }
    lines_free(&all);
}

void
real_write(const char *directory, const Run *runs, int count)
{
    int lock = lock_path(below(directory, "experiment.tsv").text, O_RDONLY);
    Lines all = read_lines(directory, count);
    int known = all.count;
    for (int i = 0; i < count; i++) {
        Line l = line_of(&runs[i]);
        Lines before = {.list = all.list, .count = known};
        if (!(l.real < 0) && !find(&before, &l))
            all.list[all.count++] = l;
    }
    qsort(all.list, (size_t)all.count, sizeof *all.list, by_run);
    Draft *d = draft_begin(directory, name_of_record);
    FILE *to = begin_file(d->path.text, name_of_record);
    fprintf(to, "run\tplugin\tstored\treal\n");
    for (int i = 0; i < all.count; i++) {
        const Line *l = &all.list[i];
        char stored[32], real[32];
        fprintf(to, "%s\t%s\t%s\t%s\n", l->run, l->plugin,
                number_text(l->stored, 17, stored),
                isnan(l->real) ? "NA" : number_text(l->real, 17, real));
    }
    end_file(to, d->path.text, name_of_record);
    draft_publish_all(d);
    lines_free(&all);
    close(lock);
}
