/* results_table.c - the tables of an experiment's results, with verdicts. */
#include <stdio.h>
#include <string.h>

#include "study/known_quantities.h"
#include "study/results_table.h"
#include "tasks/tasks.h"

static Cell
solved_cell(const Outcome *a)
{
    return cell_words(format_text("%.0f/%.0f", a->solved, a->seeds));
}

static Cell
steps_cell(const Outcome *a)
{
    return cell_words(format_text("%s%.10g", a->beyond ? ">" : "", a->steps));
}

static Cell
p_cell(const Outcome *a)
{
    return cell_number(deciding_p(&a->against));
}

/* The baseline's mean and rate in a verdict, "1.000 at 0.01", if the baseline's
   own row shows other runs. */
static Cell
baseline_cell(const Outcome *a)
{
    return cell_words(a->other_base
                          ? format_text("%.4g at %g", a->base_mean, a->base_lr)
                          : NULL);
}

/* The tables that show a column. People see two tables, RESULTS and VERDICTS;
   programs see one, ALL, with every column. */
typedef enum { ALL, RESULTS, VERDICTS, BOTH } Half;

/* A column, and the source of its cells. If `get` is set, that function returns
   them. If `at` is set, they are the member of Outcome at that offset: a text
   if the column has words, three numbers if it is an interval, else one number.
   If neither is set, a cell is the mean over the runs of the result of that
   name. */
typedef struct Field {
    Column column;
    size_t at;
    Half half; /* the table for people that shows it; ALL: neither */
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
    {{.name = "parameters"}, .half = ALL},
    {{.name = "rate"}, AT(lr), RESULTS},
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
    {{"verdict", .words = true}, AT(word), VERDICTS},
    {{"difference", .format = "%.3g"}, AT(against.contrast.mean), VERDICTS, .interval = true},
    {{"difference_low", .format = "%.3g"}, AT(against.contrast.low)},
    {{"difference_high", .format = "%.3g"}, AT(against.contrast.high)},
    {{"baseline_mean", .format = "%.4g"}, AT(base_mean)},
    {{.name = "baseline_rate"}, AT(base_lr)},
    {{"its_baseline", .title = "baseline", .words = true, .readers = PEOPLE}, .half = VERDICTS, .get = baseline_cell},
    {{"margin", .format = "%.3g"}, AT(against.margin)},
    {{"p", .format = "%.2g", .readers = PEOPLE}, .half = VERDICTS, .get = p_cell},
    {{"p_adjusted", .format = "%.3g"}, AT(against.contrast.differ)},
    {{"p_same", .format = "%.3g"}, AT(against.contrast.same)},
    {{"detectable", .format = "%.3g"}, AT(against.detectable)},
    {{"seeds_needed", .title = "seeds"}, AT(against.needed), VERDICTS},
    {{"rate_end", .title = "rate is", .words = true}, AT(rate_end), VERDICTS},
};
/* clang-format on */
#undef AT
enum { FIELDS = sizeof fields / sizeof *fields };

/* The cell of a column in the row of an outcome. */
static Cell
cell_of(const Field *f, const Outcome *a)
{
    const void *at = (const char *)a + f->at;
    const double *x = at;
    if (f->get)
        return f->get(a);
    if (f->column.words)
        return cell_words(*(const char *const *)at);
    if (f->interval)
        return cell_interval((Mean){x[0], x[1], x[2]});
    if (f->at)
        return cell_number(*x);
    Mean m = quantity_mean(a->runs, (int)a->seeds, f->column.name);
    return cell_number(m.mean);
}

/* The table of one group, or of all groups if g is NULL. People see the rates
   only if there were several to choose from. */
static Sheet
sheet_of_half(const Outcomes *all, const Group *g, Half half)
{
    Column *columns = allocate(FIELDS, sizeof *columns);
    Cell cells[FIELDS];
    for (int k = 0; k < FIELDS; k++) {
        Column *c = &columns[k];
        *c = fields[k].column;
        if (half && fields[k].half != half && fields[k].half != BOTH)
            c->readers = PROGRAMS;
        if (!strcmp(c->name, "rate") && !all->rates)
            c->readers = PROGRAMS;
        if (!strcmp(c->name, "variant"))
            c->name = all->by;
    }
    Sheet sheet = {columns, .cols = FIELDS};
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

/* "2 better in steps (mqa on recall, gqa on sort)": counts the comparisons with
   the same verdict as this one, in the same quantity. If that is worse or
   better, it names them. */
static char *
verdict_count(const Outcomes *all, const Outcome *like)
{
    Values names = {0};
    for (const Outcome *a = all->list; a < all->list + all->count; a++)
        if (a->against.verdict == like->against.verdict &&
            a->judged == like->judged && a->against.contrast.n > 1)
            values_add(&names, format_text("%s on %s", a->series, a->task));
    char *count = format_text("%d %s in %s", names.count, like->word,
                              quantity_words(like->judged));
    return like->against.verdict < WORSE
               ? count
               : format_text("%s (%s)", count, joined(&names, ", "));
}

void
check_results_columns(const char *by, const char *chosen)
{
    Outcomes none = {.by = by};
    Sheet sheet = sheet_of_half(&none, NULL, ALL);
    sheet.chosen = chosen;
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
        for (const Outcome *a = all->list; a < all->list + all->count; a++)
            if (a->against.verdict == verdict && a->against.contrast.n > 1 &&
                add_word(&counted, format_text("%s %s", a->word, a->judged)))
                values_add(&parts, verdict_count(all, a));
    if (parts.count)
        words_write(format_text("Compared with %s%s: %s.", all->baseline,
                                all->rates ? "" : " at this one learning rate",
                                joined(&parts, ", ")),
                    layout);
    return parts.count > 0;
}

/* Explains the columns. */
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
    const char *judged =
        all->judge ? ""
                   : " Verdicts are about test accuracy; if that is saturated, "
                     "about the steps; if some seed has none, about test loss.";
    if (all->comparisons)
        words_write(
            format_text("difference: paired by seed; p: of a t test, adjusted "
                        "for %d comparison%s (Holm's method in Shaffer's "
                        "variant); same: within the margin (%s); seeds: how "
                        "many would decide.%s",
                        all->comparisons, all->comparisons == 1 ? "" : "s",
                        all->margins ? all->margins : "0.01, of steps 10%",
                        judged),
            layout);
}

/* Prints one table for people. Its title is above it, and in LaTeX its caption.
 */
static void
print_half(const Outcomes *all, const Group *g, Half half, char *title,
           const char *chosen, Layout layout)
{
    Sheet sheet = sheet_of_half(all, g, half);
    sheet.label =
        half == VERDICTS ? format_text("%s-verdicts", g->name) : g->name;
    sheet.note = title;
    sheet.chosen = chosen;
    if (layout != LATEX)
        words_write(title, layout);
    sheet_write(stdout, &sheet, layout);
}

/* Prints the tables of one group, and the levels that guessing and a trivial
   baseline reach. */
static void
print_group(const Outcomes *all, const Group *g, bool verdicts,
            const char *chosen, Layout layout)
{
    const Run *r = g->runs[0];
    const KnownTask *t = task_named(r->config.task);
    bool test = run_text(r, "test_trivial"); /* the parts of a text file have
                                                baselines of their own */
    char *levels = format_text(
        "%s: guessing has %s %.2f (loss %.2f), %s %.2f", g->name,
        task_measure(t), run_number(r, "chance"), run_number(r, "chance_loss"),
        t->trivial, run_number(r, test ? "test_trivial" : "trivial"));
    print_half(all, g, RESULTS, levels, chosen, layout);
    if (verdicts && g->series_count > 1)
        print_half(all, g, VERDICTS,
                   format_text("%s: compared with %s", g->name, all->baseline),
                   chosen, layout);
}

void
results_print(const Outcomes *all, const char *chosen, Layout layout)
{
    if (for_programs(layout)) {
        Sheet sheet = sheet_of_half(all, NULL, ALL);
        sheet.chosen = chosen;
        sheet_print(&sheet, layout);
        return;
    }
    bool verdicts = print_headline(all, layout) && !chosen;
    for (int g = 0; g < all->group_count; g++)
        print_group(all, &all->groups[g], verdicts, chosen, layout);
    print_notes(all, layout);
}
