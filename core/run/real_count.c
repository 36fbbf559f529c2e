/* real_count.c - counts real parameters with qkv-double. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "run/real_count.h"

/* The result if qkv-double cannot be run, as in a browser. */
enum { NO_ANSWER = -1 };

/* The number of real parameters of a run's attention, counted by qkv-double;
   NaN if it is not known, or if qkv-double finds another number of stored
   parameters than the run has; NO_ANSWER if qkv-double cannot be run or prints
   no number of stored parameters. */
static double
count_in_double(const Run *r)
{
    char *program = quoted(within(executable_directory(), "qkv-double"));
    char *variant = quoted(plugin_trusted(r->config.variant));
    char *line = format_text("2>/dev/null %s count --real --tsv -v %s %s",
                             program, variant, quoted(r->path));
    double stored, real;
    FILE *answer = popen(line, "r");
    if (!answer)
        return NO_ANSWER;
    /* The output is a line of headings, then the name of the variant and its
       numbers of stored and of real parameters. The second may be NA. */
    int found = fscanf(answer, "%*[^\n] %*[^\t] %lf %lf", &stored, &real);
    pclose(answer);
    if (found < 1)
        return NO_ANSWER;
    bool known = found == 2 && stored == run_number(r, "attention_parameters");
    return known ? real : NAN;
}

bool
is_countable(const Config *c)
{
    return !c->encoder && c->cross == CROSS_NONE && c->embed != EMBED_ONEHOT;
}

/* The number of real parameters of run r of e, from an earlier run of e with
   the same attention, if there is one; else from count_in_double. NaN if the
   run is not countable. */
static double
real_of_run(const Work *w, const Experiment *e, const Run *r)
{
    double parameters = run_number(r, "attention_parameters");
    Config c = r->config;
    if (!is_countable(&c))
        return NAN;
    for (const Run *s = e->runs; s < r; s++)
        if (run_text(s, "real") &&
            run_number(s, "attention_parameters") == parameters &&
            config_equal(&s->config, &c, OF_VARIANT | OF_SHAPE | OF_MODEL))
            return run_number(s, "real");
    if (!w->quiet && isatty(STDERR_FILENO))
        note("counting the real parameters of %s ...", c.variant);
    return count_in_double(r);
}

void
count_real(const Work *w, Experiment *e)
{
    for (Run *r = e->runs; r < e->runs + e->count; r++) {
        if (run_text(r, "real"))
            continue;
        double real = real_of_run(w, e, r);
        if (real == NO_ANSWER)
            continue;
        Draft *d = draft_begin(r->path, "real.tsv");
        FILE *file = begin_pairs(d->path, "real.tsv");
        put_pair(file, "real", real, ALL_DIGITS);
        end_file(file, d->path, "real.tsv");
        draft_end(d, REPLACE_OLD);
        table_add(&r->result, within(r->path, "real.tsv"));
    }
}
