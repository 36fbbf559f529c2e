/* verdict_table.c - the tables of an experiment's results, with verdicts.

   `fields` lists all columns. Programs get one table with every column. People
   get two tables for each group: the results, and the verdicts. Columns of
   little use are left out of both. */
#include <stdio.h>
#include <string.h>

#include "study/known_quantities.h"
#include "study/verdict_table.h"

/* How many seeds solved the task: "4/5" means 4 of 5. */
static Cell
solved_cell(const Outcome *a)
{
    return cell_words(format_text("%.0f/%.0f", a->solved, a->seeds));
}

/* The steps of the median seed; ">300" if it never reached the threshold. */
static Cell
steps_cell(const Outcome *a)
{
    const char *more = a->median_unsolved ? ">" : "";
    return cell_words(format_text("%s%.10g", more, a->steps));
}

/* The mean and the rate of the baseline's runs that the verdict is about,
   "1.000 at 0.01"; an empty cell if the baseline's own row shows the same runs.
 */
static Cell
baseline_cell(const Outcome *a)
{
    if (!a->other_base)
        return cell_words(NULL);
    return cell_words(format_text("%.4g at %g", a->base_mean, a->base.lr));
}

/* Which of the two tables people see a column in. */
typedef enum { NO_HALF, RESULTS, VERDICTS, BOTH } Half;

/* A column, and the source of its cells: the function `get` or, if that is
   NULL, the member of Outcome at the offset `at` or, if that is 0, the mean
   over the runs of the result that has the column's name. */
typedef struct Field {
    Column column;
    size_t at; /* the member is a text if the column has words, else a double */
    Half half;
    bool interval; /* low and high follow the member, as in a Mean */
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

/* The cell of a column in the row of an outcome. */
static Cell
cell_of(const Field *f, const Outcome *a)
{
    const void *member = (const char *)a + f->at;
    const double *number = member;
    bool is_member = f->at != 0; /* the member at 0, `group`, is no column */
    if (f->get)
        return f->get(a);
    if (f->column.words)
        return cell_words(*(const char *const *)member);
    if (f->interval) /* the mean, low and high are one after the other */
        return cell_interval((Mean){number[0], number[1], number[2]});
    if (is_member)
        return cell_number(*number);
    Mean m = quantity_mean(a->own.runs, a->own.seeds, f->column.name);
    return cell_number(m.mean);
}

#define ALL_GROUPS NULL

/* The outcomes of a group, or of ALL_GROUPS, as a table. People see only the
   columns of one half, or all columns if `half` is BOTH. They see the column of
   rates only if there were several to choose from. `chosen` is as in
   results_print. */
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
        bool is_only_rate = !strcmp(c->name, "rate") && !all->several_rates;
        if (!in_half || is_only_rate) /* hidden from people */
            c->readers = PROGRAMS;
        if (!strcmp(c->name, "task") && !strcmp(all->by, "task"))
            c->name = "group"; /* the tasks are in the column of `by` */
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

/* Returns whether the verdict of a is counted. It is not if there are fewer
   than two pairs of seeds, or if a is the baseline, which is compared with
   nothing. */
static bool
is_counted(const Outcome *a)
{
    return a->comparison.contrast.n > 1;
}

/* Counts the outcomes that have the same verdict as `like` in the same
   quantity, and names them if the verdict is worse or better: "2 better in
   steps (mqa on recall, gqa on sort)". The only group has no name if tasks are
   compared. */
static char *
verdict_count(const Outcomes *all, const Outcome *like)
{
    Values names = {0};
    for (const Outcome *a = all->list; a < all->list + all->count; a++)
        if (a->comparison.verdict == like->comparison.verdict &&
            a->judged == like->judged && is_counted(a))
            values_add(&names, a->group->axis_count
                                   ? format_text("%s on %s", a->series, a->task)
                                   : copy_text(a->series));
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

/* Prints a sentence about the whole table: how many outcomes have each verdict,
   in which quantity, which are worse or better, and whether only one learning
   rate was tried. Returns false if no verdict is counted; then nothing is
   printed. The sentence has a part for each verdict and each quantity in which
   it occurs, in the order of the verdicts. */
static bool
print_headline(const Outcomes *all, Layout layout)
{
    Values parts = {0};
    void *counted = NULL; /* the pairs of a verdict and a quantity so far */
    for (Verdict verdict = IDENTICAL; verdict <= BETTER; verdict++)
        for (const Outcome *a = all->list; a < all->list + all->count; a++) {
            char *pair = format_text("%s %s", a->verdict, a->judged);
            bool counts = a->comparison.verdict == verdict && is_counted(a);
            if (counts && add_word(&counted, pair)) /* the pair is new */
                values_add(&parts, verdict_count(all, a));
        }
    const char *rate = all->several_rates ? "" : " at this one learning rate";
    if (parts.count)
        words_write(format_text("Compared with %s%s: %s.", all->baseline, rate,
                                joined(&parts, ", ")),
                    layout);
    return parts.count > 0;
}

/* Explains the columns to people. */
static void
print_notes(const Outcomes *all, Layout layout)
{
    char *rate = "";
    if (all->several_rates)
        rate = format_text(
            "rate: the learning rate that was best for all seeds together; "
            "each seed has the one that was best for the other seeds, on "
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

/* Prints a half of a group's table, with its title above it, or in LaTeX with
   the title as its caption. */
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

/* A group's name, and what guessing and a trivial baseline reach if that is the
   same for all its runs: "reverse: guessing has accuracy 0.10 (loss 2.30), the
   commonest digit 0.24". */
static char *
group_title(const Group *g)
{
    const Run *first = g->runs[0];
    const KnownTask *t = task_named(first->config.task);
    Values parts = {0};
    /* Test data may have their own baseline. */
    bool own = run_text(first, "test_trivial");
    double chance = shared_level(g, "chance"),
           loss = shared_level(g, "chance_loss"),
           trivial = shared_level(g, own ? "test_trivial" : "trivial");
    for (int i = 1; i < g->count; i++)
        if (strcmp(g->runs[i]->config.task, first->config.task) != 0)
            return g->name; /* each task has its own words */
    if (!isnan(chance) && !isnan(loss))
        values_add(&parts, format_text("guessing has %s %.2f (loss %.2f)",
                                       task_measure(t), chance, loss));
    if (!isnan(trivial))
        values_add(&parts, format_text("%s %.2f", t->trivial, trivial));
    return parts.count ? format_text("%s: %s", g->name, joined(&parts, ", "))
                       : g->name;
}

/* Prints the table of a group's results. If `verdicts` is true, also prints the
   table of its verdicts, unless it has only one series. */
static void
print_group(const Outcomes *all, const Group *g, bool verdicts,
            const char *chosen, Layout layout)
{
    print_half(all, g, RESULTS, group_title(g), chosen, layout);
    if (!verdicts || g->series_count == 1)
        return;
    char *title = format_text("%s: compared with %s", g->name, all->baseline);
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
