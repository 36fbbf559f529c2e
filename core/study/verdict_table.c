/* verdict_table.c - the tables of an experiment's results, with verdicts.

   `fields` lists all columns. Programs get one table with every column; people
   get two halves of it for each group, without the columns of little use. */
#include <stdio.h>
#include <string.h>

#include "study/known_quantities.h"
#include "study/verdict_table.h"

/* "4/5": 4 of 5 seeds solved the task. */
static Cell
solved_cell(const Outcome *a)
{
    return cell_words(format_text("%.0f/%.0f", a->solved, a->seeds));
}

/* The steps of the median seed, ">300" if it never reached the threshold. */
static Cell
steps_cell(const Outcome *a)
{
    const char *more = a->median_unsolved ? ">" : "";
    return cell_words(format_text("%s%.10g", more, a->steps));
}

/* The mean and the rate of the baseline's runs that this verdict compares,
   "1.000 at 0.01", if the baseline's own row shows other runs. */
static Cell
baseline_cell(const Outcome *a)
{
    char *empty = NULL;
    if (!a->other_base)
        return cell_words(empty);
    return cell_words(format_text("%.4g at %g", a->base_mean, a->base.lr));
}

/* The halves of the table in which people see a column. */
typedef enum { NO_HALF, RESULTS, VERDICTS, BOTH } Half;

/* A column, and the source of its cells. If `get` is set, that function returns
   a cell. If `at` is set, a cell is the member of Outcome at that offset: a
   text if the column has words; three doubles (mean, low, high) if it is an
   interval; else one double. If neither is set, a cell is the mean over the
   runs of the result that has the column's name. */
typedef struct Field {
    Column column;
    size_t at;
    Half half;
    bool interval;
    Cell (*get)(const Outcome *a);
} Field;

#define AT(field) .at = offsetof(Outcome, field)
/* clang-format off */
static const Field fields[] = {
    {{"task", .words = true}, AT(task)},
    {{"variant", .words = true}, AT(series), BOTH},
    {{"attention_parameters", .title = "attention"}, .half = RESULTS},
    {{.name = "real"}, .half = RESULTS},
    {{.name = "parameters"}, .half = NO_HALF},
    {{.name = "rate"}, AT(own.lr), RESULTS},
    {{.name = "solved"}, .half = RESULTS, .get = solved_cell},
    {{"median_steps", .title = "steps"}, .half = RESULTS, .get = steps_cell},
    {{"test_accuracy", .title = "test accuracy", .format = "%.3f"}, AT(accuracy), RESULTS, .interval = true},
    {{"low", .format = "%.3f"}, AT(accuracy.low)},
    {{"high", .format = "%.3f"}, AT(accuracy.high)},
    {{"test_loss", .title = "test loss", .format = "%.3g"}, AT(loss.mean), RESULTS},
    {{"loss_low", .format = "%.3g"}, AT(loss.low)},
    {{"loss_high", .format = "%.3g"}, AT(loss.high)},
    {{.name = "seeds"}, AT(seeds)},
    {{"judged", .words = true}, AT(judged), VERDICTS},
    {{"verdict", .words = true}, AT(verdict), VERDICTS},
    {{"difference", .format = "%.3g"}, AT(comparison.contrast.mean), VERDICTS, .interval = true},
    {{"difference_low", .format = "%.3g"}, AT(comparison.contrast.low)},
    {{"difference_high", .format = "%.3g"}, AT(comparison.contrast.high)},
    {{"baseline_mean", .format = "%.4g"}, AT(base_mean)},
    {{.name = "baseline_rate"}, AT(base.lr)},
    {{"its_baseline", .title = "baseline", .words = true, .readers = PEOPLE}, .half = VERDICTS, .get = baseline_cell},
    {{"margin", .format = "%.3g"}, AT(comparison.margin)},
    {{"p", .format = "%.2g", .readers = PEOPLE}, AT(comparison.p), VERDICTS},
    {{"p_adjusted", .format = "%.3g"}, AT(comparison.contrast.differ)},
    {{"p_same", .format = "%.3g"}, AT(comparison.contrast.same)},
    {{"detectable", .format = "%.3g"}, AT(comparison.detectable)},
    {{"seeds_needed", .title = "seeds"}, AT(comparison.needed), VERDICTS},
    {{"rate_end", .title = "rate is", .words = true}, AT(rate_end), VERDICTS},
};
/* clang-format on */
#undef AT
enum { FIELDS = sizeof fields / sizeof *fields };

/* The cell of a column in the row of an outcome. Only an interval has `low` and
   `high`, which follow its mean. */
static Cell
cell_of(const Field *f, const Outcome *a)
{
    const void *member = (const char *)a + f->at;
    const double *number = member, *low = number + 1, *high = number + 2;
    bool is_member = f->at != 0; /* `group`, at 0, is no column */
    if (f->get)
        return f->get(a);
    if (f->column.words)
        return cell_words(*(const char *const *)member);
    if (f->interval)
        return cell_interval((Mean){*number, *low, *high});
    if (is_member)
        return cell_number(*number);
    Mean m = quantity_mean(a->own.runs, a->own.seeds, f->column.name);
    return cell_number(m.mean);
}

#define ALL_GROUPS NULL

/* The outcomes of a group, or of ALL_GROUPS, as a table. People see only the
   columns of one half, or all of them if `half` is BOTH; and the rates only if
   there were several to choose from. `chosen` as in results_print. */
static Sheet
make_sheet(const Outcomes *all, const Group *g, Half half, const char *chosen)
{
    Column *columns = allocate(FIELDS, sizeof *columns);
    Cell cells[FIELDS];
    for (int k = 0; k < FIELDS; k++) {
        Column *c = &columns[k];
        *c = fields[k].column;
        Half own = fields[k].half;
        bool in_half = half == BOTH || own == BOTH || own == half;
        bool is_only_rate = !strcmp(c->name, "rate") && !all->rates;
        if (!in_half || is_only_rate)
            c->readers = PROGRAMS;
        if (!strcmp(c->name, "variant"))
            c->name = all->by;
    }
    Sheet sheet = {columns, .cols = FIELDS, .chosen = chosen};
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (g && a->group != g)
            continue;
        for (int k = 0; k < FIELDS; k++)
            cells[k] = cell_of(&fields[k], a);
        sheet_add_row(&sheet, cells);
    }
    return sheet;
}

/* Returns whether a verdict is counted: not if it is that of a single seed, or
   of the baseline, which has no comparison. */
static bool
is_counted(const Outcome *a)
{
    return a->comparison.contrast.n > 1;
}

/* "2 better in steps (mqa on recall, gqa on sort)": counts the comparisons with
   the same verdict as `like` in the same quantity, and names them if it is
   worse or better. */
static char *
verdict_count(const Outcomes *all, const Outcome *like)
{
    Values names = {0};
    for (const Outcome *a = all->list; a < all->list + all->count; a++)
        if (a->comparison.verdict == like->comparison.verdict &&
            a->judged == like->judged && is_counted(a))
            values_add(&names, format_text("%s on %s", a->series, a->task));
    char *count = format_text("%d %s in %s", names.count, like->verdict,
                              quantity_words(like->judged));
    Verdict verdict = like->comparison.verdict;
    bool is_named = verdict == WORSE || verdict == BETTER;
    return is_named ? format_text("%s (%s)", count, joined(&names, ", "))
                    : count;
}

void
check_results_columns(const char *by, const char *chosen)
{
    Outcomes none = {.by = by};
    Sheet sheet = make_sheet(&none, ALL_GROUPS, BOTH, chosen);
    check_columns(&sheet);
}

/* Prints a sentence about the whole table: how many comparisons have each
   verdict, in which quantity, which are worse or better, and whether only one
   learning rate was tried. Returns false if there is no comparison. */
static bool
print_headline(const Outcomes *all, Layout layout)
{
    Values parts = {0};
    void *counted = NULL;
    for (Verdict verdict = IDENTICAL; verdict <= BETTER; verdict++)
        for (const Outcome *a = all->list; a < all->list + all->count; a++) {
            char *part = format_text("%s %s", a->verdict, a->judged);
            bool counts = a->comparison.verdict == verdict && is_counted(a);
            if (counts && add_word(&counted, part)) /* a new part */
                values_add(&parts, verdict_count(all, a));
        }
    if (parts.count)
        words_write(format_text("Compared with %s%s: %s.", all->baseline,
                                all->rates ? "" : " at this one learning rate",
                                joined(&parts, ", ")),
                    layout);
    return parts.count > 0;
}

/* Explains the columns to people, after the last table. */
static void
print_notes(const Outcomes *all, Layout layout)
{
    char *rate = "";
    if (all->rates)
        rate = format_text(
            "rate: the learning rate that was best for the other seeds, on "
            "validation data, in what is judged: %s (lowest, highest: a wider "
            "grid may change the verdict); ",
            chosen_rates(all));
    words_write(
        format_text("attention: its parameters in all blocks; real: those that "
                    "are really there; %ssteps: those of the median seed to "
                    "the threshold (>: it was not reached, or lost again); "
                    "accuracy: R^2 if answers are numbers; in brackets: 95%% "
                    "intervals over seeds, or the range of two seeds.",
                    rate),
        layout);
    if (!all->comparisons)
        return;
    const char *judged = "";
    if (!all->judge)
        judged = " Verdicts are about test accuracy; if that is saturated, "
                 "about the steps; if some seed has none, about test loss.";
    words_write(
        format_text("difference: paired by seed; p: of a t test, adjusted "
                    "for %d comparison%s (Holm's method in Shaffer's "
                    "variant); same: within the margin (%s); seeds: how "
                    "many would decide.%s",
                    all->comparisons, all->comparisons == 1 ? "" : "s",
                    all->margins ? all->margins : "0.01, of steps 10%", judged),
        layout);
}

/* Prints a half of a group's table. Its title is printed above it, and in LaTeX
   as its caption. */
static void
print_half(const Outcomes *all, const Group *g, Half half, char *title,
           const char *chosen, Layout layout)
{
    Sheet sheet = make_sheet(all, g, half, chosen);
    sheet.label = g->name;
    if (half == VERDICTS)
        sheet.label = format_text("%s-verdicts", g->name);
    sheet.note = title;
    if (layout != LATEX)
        words_write(title, layout);
    sheet_write(stdout, &sheet, layout);
}

/* Prints the tables of one group. The title of the first says what guessing and
   a trivial baseline reach. `verdicts`: print the second table, too. */
static void
print_group(const Outcomes *all, const Group *g, bool verdicts,
            const char *chosen, Layout layout)
{
    const Run *r = g->runs[0];
    const KnownTask *t = task_named(r->config.task);
    double trivial = run_number(r, "trivial");
    if (run_text(r, "test_trivial")) /* the test part of a text has its own */
        trivial = run_number(r, "test_trivial");
    char *title =
        format_text("%s: guessing has %s %.2f (loss %.2f), %s %.2f", g->name,
                    task_measure(t), run_number(r, "chance"),
                    run_number(r, "chance_loss"), t->trivial, trivial);
    print_half(all, g, RESULTS, title, chosen, layout);
    if (!verdicts || g->series_count == 1)
        return;
    title = format_text("%s: compared with %s", g->name, all->baseline);
    print_half(all, g, VERDICTS, title, chosen, layout);
}

void
results_print(const Outcomes *all, const char *chosen, Layout layout)
{
    if (for_programs(layout)) {
        Sheet sheet = make_sheet(all, ALL_GROUPS, BOTH, chosen);
        sheet_print(&sheet, layout);
        return;
    }
    bool compared = print_headline(all, layout);
    /* Columns that the user chose are printed only once, in the first table. */
    bool verdicts = compared && !chosen;
    for (int g = 0; g < all->group_count; g++)
        print_group(all, &all->groups[g], verdicts, chosen, layout);
    print_notes(all, layout);
}
