/* known_quantities.c - the table of all numbers that runs have: the name, the
   axis and the usual margin of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/known_quantities.h"

/* A name that ends in * stands for all names with that beginning, and %s in its
   title stands for the rest of the name. In the title of an ACCURACY, %s stands
   for the measure of the task. A LOSS is in nats only if the task measures
   accuracy; otherwise it is a squared error, which has no unit.

   The margins are one answer in a hundred; a tenth of the baseline's steps or
   seconds; and a hundredth of a nat, which makes a token 1% more likely.
   The next learning rate of a usual grid changes a result by more than these
   margins. */
/* clang-format off */
static const Quantity quantities[] = {
    /* name, title, unit, measure, better, scale */
    {"loss", "training loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01", .levels = {{"chance_loss", "guessing"}}},
    {"accuracy", "training %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01", .levels = {{"trivial", "trivial baseline"}}},
    {"validation_loss", "validation loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01", .levels = {{"bigram_loss", "bigram"}, {"chance_loss", "guessing"}}},
    {"validation_accuracy", "validation %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01", .levels = {{"trivial", "trivial baseline"}}},
    {"test_loss", "test loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01", .levels = {{"test_bigram_loss", "bigram"}, {"chance_loss", "guessing"}}},
    {"test_accuracy", "test %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01", .levels = {{"test_trivial", "trivial baseline"}, {"trivial", "trivial baseline"}}},
    {"solved_at", "median steps to the threshold", NULL, OTHER, LESS, .word = "steps", .steps = true, .margin = "10%", .levels = {{"steps", "unsolved"}}},
    {"seconds", "seconds of training", .better = LESS, .margin = "10%"},

    {"steps", .title = "steps of training"},
    {"attention_parameters", .title = "parameters of attention"},
    {"flops", .title = "FLOPs of attention per token"},
    {"cache", .title = "numbers cached per token"},

    {"entropy", "entropy of a row of weights", .unit = "nats"},
    {"largest_weight", "largest weight of a row", .scale = SHARE},
    {"saturated", "share of rows with a weight > 0.99", .scale = SHARE},
    {"score_deviation", "standard deviation of the scores", .scale = POWERS},
    {"score_gradient_median", "gradient of the median row of scores", .scale = POWERS},
    {"score_gradient_mean", "gradient of a row of scores, mean", .scale = POWERS},
    {"gradient.*", "gradient of %s", .scale = POWERS},
    {"rank_m", .title = "effective rank of M"},
    {"rank_n", .title = "effective rank of N"},
    {"distance_m", "relative distance of M from its start", .scale = POWERS},
    {"distance_n", "relative distance of N from its start", .scale = POWERS},
    {"conserved_qk", .title = "drift of what is conserved, Q and K"},
    {"conserved_vo", .title = "drift of what is conserved, V and O"},
    {"gauge_qk", "share of a step of W^Q, W^K in the gauge", .scale = SHARE},
    {"gauge_vo", "share of a step of W^V, W^O in the gauge", .scale = SHARE},
    {"turn_qk", "turn against the lift, Q and K", .unit = "radians"},
    {"turn_vo", "turn against the lift, V and O", .unit = "radians"},
    {"stretch_qk", .title = "stretch against the lift, Q and K"},
    {"stretch_vo", .title = "stretch against the lift, V and O"},

    /* settings whose title on an axis is not their name */
    {"lr", .title = "learning rate"},
    {"d-k", .title = "d_k"},
    {"init", .title = "factor of the start"},
    {"latent", .title = "width of the middle r"},
};
/* clang-format on */
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

const Quantity *
quantity_named(const char *name)
{
    static const Quantity other = {"*", .title = "%s"}; /* any other name */
    for (const Quantity *q = quantities; q < quantities + QUANTITIES; q++) {
        size_t fixed = strcspn(q->name, "*"); /* letters before a * */
        /* After the *, a name may have any rest; without a *, it has none. */
        bool same_beginning = !strncmp(name, q->name, fixed);
        if (same_beginning && (q->name[fixed] == '*' || !name[fixed]))
            return q;
    }
    return &other;
}

char *
quantity_words(const char *name)
{
    const char *word = quantity_named(name)->word;
    char *words = copy_text(word ? word : name);
    replace_in(words, "_", ' ');
    return words;
}

/* The %s in the title of an accuracy becomes `measure`; in other titles it
   becomes the rest of the name, such as "W^Q" of "gradient.W^Q". A task that
   counts right answers has the measure "accuracy" and a loss in nats; any other
   task has a squared error, which has no unit. */
char *
axis_title_measured(const char *name, const char *measure)
{
    const Quantity *q = quantity_named(name);
    const char *rest_of_name = name + strcspn(q->name, "*");
    bool is_accuracy = q->measure == ACCURACY;
    char *title = format_text(q->title, is_accuracy ? measure : rest_of_name);
    bool counts_answers = strcmp(measure, "accuracy") == 0;
    bool is_squared_error = q->measure == LOSS && !counts_answers;
    if (!q->unit || is_squared_error)
        return title;
    return format_text("%s (%s)", title, q->unit);
}

char *
axis_title(const char *name)
{
    return axis_title_measured(name, "accuracy");
}

Values
margin_names(const char *margins)
{
    Values names = margins ? values_split(margins) : (Values){0};
    for (int i = 0; i < names.count; i++) {
        char *sign = strrchr(names.text[i], '=');
        const char *number = sign ? sign + 1 : "";
        char *unit;                       /* the rest of the text */
        double x = strtod(number, &unit); /* 0 if there is no number */
        bool unit_known = !*unit || !strcmp(unit, "%");
        bool is_positive = x > 0 && isfinite(x);
        if (!unit_known || !is_positive)
            usage("--margin \"%s\": give RESULT=DIFFERENCE, in the unit of the "
                  "result or in per cent of the baseline's result, as in "
                  "test_accuracy=0.01,solved_at=10%%",
                  names.text[i]);
        *sign = 0; /* only the name is left */
    }
    return names;
}

const char *
margin_given(const char *margins, const char *name)
{
    Values given = margins ? values_split(margins) : (Values){0};
    size_t length = strlen(name);
    const char *margin = NULL;
    for (int i = 0; i < given.count; i++) {
        const char *text = given.text[i];
        if (!strncmp(text, name, length) && text[length] == '=')
            margin = text + length + 1;
    }
    return margin;
}

double
margin_in_unit(const char *margin, const double *base, int count)
{
    if (!margin)
        return NAN;
    char *unit;
    double number = strtod(margin, &unit), sum = 0;
    for (int i = 0; i < count; i++)
        sum += fabs(base[i]);
    return *unit == '%' ? number * (sum / count / 100) : number;
}

/* Returns whether the run has this name as a number among its results and
   settings. */
static bool
has_result(const Run *r, const char *name)
{
    return has_numbers(name) && run_value_text(r, name);
}

/* What to do if a run has not recorded a quantity. --log records only those
   whose names are known. */
static const char *
advice(const char *name, const char *otherwise)
{
    bool is_known = strcmp(quantity_named(name)->name, "*") != 0;
    bool can_be_logged = is_known && !setting_named(name);
    return can_be_logged ? "train the run with the word of --log that adds it "
                           "(lessons/reference.md)"
                         : otherwise;
}

void
check_logged(const Experiment *e, const char *name)
{
    for (const Run *r = e->runs; r < e->runs + e->count; r++) {
        if (table_column(&r->log, name) > STEP_COLUMN)
            continue;
        if (has_result(r, name))
            usage("--y %s: a run has one such number, and not one for each "
                  "step; give an x axis, too, such as --x variant",
                  name);
        usage("%s/log.tsv has no column \"%s\";%s %s", r->path, name,
              logged_suggestion(e, name),
              advice(name, "its first line names them"));
    }
}

void
check_results(const Experiment *e, const char *name)
{
    for (const Run *r = e->runs; r < e->runs + e->count; r++)
        if (!has_result(r, name))
            usage("%s/result.tsv has no number \"%s\";%s %s", r->path, name,
                  name_suggestion(e, name),
                  advice(name, "`qkv table` prints all names"));
}

Mean
values_mean(const char *name, const double *x, int n)
{
    Mean m = mean_interval(x, n);
    int scale = quantity_named(name)->scale;
    bool may_be_negative = scale == ANY;
    for (int i = 0; i < n; i++)
        may_be_negative |= x[i] < 0;
    if (!may_be_negative && m.low < 0)
        m.low = 0;
    if (scale == SHARE && m.high > 1)
        m.high = 1;
    return m;
}

Mean
quantity_mean(const Run *const *runs, int count, const char *name)
{
    double *x = allocate((size_t)count, sizeof *x);
    const Quantity *q = quantity_named(name);
    double most_steps = 0;
    for (int i = 0; i < count; i++) {
        x[i] = run_value_number(runs[i], name);
        if (q->steps && isnan(x[i]))
            x[i] = INFINITY; /* the run never reached the threshold */
        most_steps = fmax(most_steps, runs[i]->config.steps);
    }
    Mean m = q->steps ? median_interval(x, count) : values_mean(name, x, count);
    free(x);
    if (!q->steps)
        return m;
    return (Mean){fmin(m.mean, most_steps), fmin(m.low, most_steps),
                  fmin(m.high, most_steps)};
}
