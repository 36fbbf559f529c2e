/* judge.c - qkv judge: compares the methods in anybody's table of results
   (study/judge_csv.h), and shows the answer as a table, in sentences and as a
   figure. An Entry has the values of one method in one result, such as loss,
   and their comparison with the baseline method. */
#include <math.h>

#include "driver/options.h"
#include "page/table.h"

/* clang-format off */
static const Column table_columns[] = {
    {"result", .words = true},
    {"method", .words = true},
    {.name = "runs"},
    {"solved", .format = "%.0f"},
    {"average", .format = "%.6g"}, {"low", .format = "%.6g", .readers = PROGRAMS}, {"high", .format = "%.6g", .readers = PROGRAMS},
    {"verdict", .words = true},
    {"difference", .format = "%.4g"}, {"difference_low", .format = "%.4g", .readers = PROGRAMS}, {"difference_high", .format = "%.4g", .readers = PROGRAMS},
    {"test", .words = true},
    {"margin", .format = "%.4g", .readers = PROGRAMS},
    {"p", .format = "%.2g", .readers = PEOPLE},
    {"p_adjusted", .format = "%.4g", .readers = PROGRAMS}, {"p_same", .format = "%.4g", .readers = PROGRAMS},
    {"detectable", .format = "%.4g", .readers = PROGRAMS},
    {"runs_needed", .title = "needed"},
    {"why_none", .words = true, .readers = PROGRAMS},
};
/* clang-format on */

/* The name of the test on which a verdict is based; NULL if none was made. */
static const char *
test_of(const Entry *e)
{
    if (isnan(e->comparison.p))
        return NULL;
    if (!e->paired)
        return "Welch's t";
    return e->comparison.contrast.by_signs ? "signs" : "paired t";
}

/* Why a method has no p-value or no interval; NULL if it has them, or if it is
   the baseline and has an interval. */
static const char *
why_none(const Entry *e)
{
    const Entry *base = e->base;
    if (e->n < 2 || base->n < 2)
        return "a single run does not show how much runs vary";
    if (e == base || e->comparison.verdict != UNTESTED)
        return NULL;
    if (e->solved < e->n || base->solved < base->n)
        return "a run did not reach the threshold, so it has no number";
    return "all runs of a method are equal, so t is not defined";
}

/* Adds a method's row, a cell for each of table_columns. */
static void
add_row(Sheet *sheet, const Entry *e)
{
    const Comparison *a = &e->comparison;
    const Contrast *c = &a->contrast; /* the difference, and its p-values */
    const char *verdict = e == e->base ? "baseline" : verdict_words[a->verdict];
    Mean difference = {c->mean, c->low, c->high};
    sheet_row(sheet, cell(e->result), cell(e->method), cell(e->n),
              cell(e->steps ? e->solved : NAN), cell(e->mean),
              cell(e->mean.low), cell(e->mean.high), cell(verdict),
              cell(difference), cell(c->low), cell(c->high), cell(test_of(e)),
              cell(a->margin), cell(a->p), cell(c->differ), cell(c->same),
              cell(a->detectable), cell(a->needed), cell(why_none(e)));
}

/* The numbers of a comparison, for a sentence: " by 0.1 [0.05, 0.15], p =
   0.01". A method is better or worse "by 0.1", not "by -0.1". */
static char *
difference_in_words(const Comparison *a)
{
    const Contrast *c = &a->contrast;
    bool has_order = a->verdict == WORSE || a->verdict == BETTER;
    Mean difference = {c->mean, c->low, c->high};
    if (has_order && c->mean < 0)
        difference = (Mean){-c->mean, -c->high, -c->low};
    return format_text("%s %.3g [%.3g, %.3g], p = %.2g",
                       has_order ? " by" : ": the difference is",
                       difference.mean, difference.low, difference.high, a->p);
}

/* A method's comparison with the baseline, as a sentence for a paper: "A is
   better than B in loss by 0.1 [0.05, 0.15], p = 0.01, n = 5 pairs." */
static char *
sentence(const Entry *e)
{
    static const char *const phrases[] = {
        [IDENTICAL] = "has the same numbers as",
        [EQUAL] = "is the same as",
        [UNDECIDED] = "may or may not differ from",
        [UNTESTED] = "cannot be compared with",
        [WORSE] = "is worse than",
        [BETTER] = "is better than"};
    const Comparison *a = &e->comparison;
    char *claim = format_text("%s %s %s in %s", e->method, phrases[a->verdict],
                              e->base->method, e->result);
    char *runs = e->paired ? format_text("%d pairs", e->n)
                           : format_text("%d and %d runs", e->n, e->base->n);
    const char *margin = "", *needed = "";
    if (a->verdict == UNTESTED)
        return format_text("%s: %s.", claim, why_none(e));
    if (a->verdict == IDENTICAL)
        return format_text("%s, n = %s.", claim, runs);
    if (a->verdict == EQUAL)
        margin = format_text(", within a margin of %.3g", a->margin);
    if (!isnan(a->needed)) /* the verdict is undecided */
        needed = format_text("; %.0f of each would probably tell", a->needed);
    return format_text("%s%s%s, n = %s%s.", claim, margin,
                       difference_in_words(a), runs, needed);
}

/* The note below the table: what the tests assume, and what the columns mean.
 */
static char *
assumptions(const Judgement *j)
{
    const Question *q = j->question;
    char *text;
    FILE *to = begin_text(&text);
    fprintf(to,
            "Assumed: runs are independent, and their numbers (of pairs, the "
            "differences) roughly normal");
    if (q->seed)
        fprintf(to, "; rows with the same %s are pairs", q->seed);
    if (q->unpaired)
        fprintf(to, "; if seeds differ or are not given, variances may differ "
                    "(Welch's test)");
    if (q->margin)
        fprintf(to, "; the margin, %s, was fixed before the results were known",
                q->margin);
    fprintf(to,
            "; all %d rows were used. Average: the mean; in brackets: its 95%% "
            "interval, not adjusted, or the range of two runs.",
            j->rows);
    if (j->comparisons)
        fprintf(to,
                " p is two-sided (for \"same\", from two one-sided tests) and "
                "adjusted for all %d comparisons (Holm's method in Shaffer's "
                "variant). Needed: how many runs of each would tell with a "
                "probability of 80%%, if the true difference is the one found.",
                j->comparisons);
    if (q->solved_at)
        fprintf(to,
                " The average of %s is the median, in which NA is later than "
                "all numbers; for fewer than %d runs, brackets hold the range.",
                q->solved_at, MEDIAN_SEEDS);
    end_text(to, &text);
    return text;
}

/* Prints the chosen columns of the table. If `chosen` is NULL, prints all
   columns, and before them, for people, a sentence about each comparison. */
static void
print_judgement(const Judgement *j, const char *chosen, Layout layout)
{
    Sheet sheet = sheet_of(table_columns, "judged", chosen);
    sheet.note = assumptions(j);
    for (int i = 0; i < j->count; i++) {
        const Entry *e = j->list[i];
        bool is_baseline = e == e->base;
        add_row(&sheet, e);
        if (!chosen && !is_baseline)
            words_write(sentence(e), layout);
    }
    if (!chosen && layout == ALIGNED)
        putchar('\n');
    sheet_print(&sheet, layout);
}

/* A method's name as one word for a figure's data, in which blanks separate
   columns and # begins a comment. */
static char *
one_word(const char *name)
{
    char *word = escaped(name, GNUPLOT);
    replace_in(word, " #\"\\", '_');
    return word;
}

/* Writes the figure's data, a line for each difference from the baseline. A
   panel is a result, a series is a method. */
static void
write_differences(FILE *data, const Judgement *j)
{
    enum { DIGITS = 6 };
    fprintf(data, "panel\tseries\tmethod\tmean\tlow\thigh\n");
    for (int i = 0; i < j->count; i++) {
        const Entry *e = j->list[i];
        const Contrast *c = &e->comparison.contrast;
        int panel = i / j->methods + 1; /* the number of its result */
        char *word = one_word(e->method);
        if (e != e->base)
            fprintf(data, "%d\t%s\t%s\t%s\t%s\t%s\n", panel, word, word,
                    number_text(c->mean, DIGITS), number_text(c->low, DIGITS),
                    number_text(c->high, DIGITS));
    }
}

/* Draws the differences from the baseline, with a panel for each result and a
   series for each method. plots/panels.gp explains the arrays of the script. */
static void
draw_judgement(const Drawing *o, const Judgement *j)
{
    Values results = {0};
    Values others = {0};   /* the methods except the baseline */
    Values no_texts = {0}; /* an empty text for each result */
    if (!j->comparisons) {
        note("nothing was drawn: no method could be compared with the "
             "baseline; the column why_none of --tsv says why");
        return;
    }
    /* From one result to the next: each has an entry for every method. */
    for (int i = 0; i < j->count; i += j->methods) {
        values_add(&results, copy_text(j->list[i]->result));
        values_add(&no_texts, copy_text(""));
    }
    for (int i = 0; i < j->methods; i++) /* the entries of the first result */
        if (j->list[i] != j->list[i]->base)
            values_add(&others, one_word(j->list[i]->method));
    Figure f = figure_begin(o, "judged",
                            format_text("difference from %s, 95%% interval",
                                        j->question->baseline));
    write_differences(f.data, j);
    fprintf(f.script, "names = '%s' # in the data\nalong = 'setting'\n",
            joined(&others, " "));
    figure_word(&f, "by", j->question->method);
    figure_word(&f, "xlabel", j->question->method);
    figure_words(&f, "ylabels", &results);
    figure_words(&f, "titles", &no_texts);
    figure_words(&f, "keys", &others);
    figure_words(&f, "scales", &no_texts);
    figure_words(&f, "levels", &no_texts);
    figure_end(&f, "panels.gp");
}

int
command_judge(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Judgement j = judge(o.words[0], &o.question);
    print_judgement(&j, o.columns, layout_of(&o));
    if (o.out_given)
        draw_judgement(&o.draw, &j);
    return 0;
}
