/* quantity.c - what is known of each number that runs have, in one table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "study/group.h"
#include "study/quantity.h"

bool
run_lost(const Run *r)
{
    double train = run_number(r, "accuracy");
    double end = fmax(train, run_number(r, "validation_accuracy"));
    return run_number(r, "solved_at") > 0 && r->config.steps > 0 &&
           !(end >= r->config.threshold - 0.05);
}

static double
held_at(const Run *r)
{
    return run_lost(r) ? 0 : run_number(r, "solved_at");
}

static double
solved(const Run *r)
{
    return held_at(r) > 0;
}

const char *
progress_title(const char *x)
{
    return !strcmp(x, "step")    ? "step"
           : !strcmp(x, "flops") ? "FLOPs of attention in training"
                                 : NULL;
}

bool
over_training(const Run *r, const char *x, const char *y)
{
    Values ys = values_cut(y);
    bool logged = progress_title(x);
    for (int i = 0; i < ys.count; i++)
        logged &= table_column(&r->log, ys.text[i]) > 0;
    values_free(&ys);
    return logged;
}

double
run_progress(const Run *r, const char *x, double steps)
{
    const Config *c = &r->config;
    if (!strcmp(x, "step") || steps == 0)
        return steps;
    if (!strcmp(c->task, "pairs"))
        usage("--x %s: how many tokens a step of task pairs has is in its "
              "file, not in its runs; take --x step",
              x);
    int tokens = task_named(c->task)->task->sizes(c).tokens;
    return 3 * run_number(r, "flops") * steps * c->batch * tokens;
}

/* Of a name that ends in *, all that begin so; %s in its title is the rest.
   In that of an ACCURACY it is what the task measures. A LOSS has a unit where
   the task measures accuracy.

   Margins: one answer in a hundred; a tenth of the baseline's steps or seconds;
   a hundredth of a nat, by which a token is guessed 1% better. A step of a
   learning rate's grid changes more than any of these. */
/* clang-format off */
const Quantity quantities[] = {
    /* name, title, unit, measure, better, scale */
    {"loss", "training loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01"},
    {"accuracy", "training %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01"},
    {"validation_loss", "validation loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01"},
    {"validation_accuracy", "validation %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01"},
    {"test_loss", "test loss", "nats", LOSS, LESS, .scale = POWERS, .margin = "0.01", .turn = 3},
    {"test_accuracy", "test %s", NULL, ACCURACY, MORE, .scale = SHARE, .margin = "0.01", .turn = 1},
    {"solved_at", "steps to the threshold", .better = LESS, .median = true, .margin = "10%", .turn = 2, .of = held_at},
    {"solved", "share of seeds that solved it", .better = MORE, .scale = SHARE, .counted = true, .of = solved},
    {"seconds", "seconds of training", .better = LESS, .margin = "10%"},

    {"steps", "steps of training", .fixed = true},
    {"parameters", "parameters", .fixed = true},
    {"attention_parameters", "parameters of attention", .fixed = true},
    {"flops", "FLOPs of attention per token", .fixed = true},
    {"cache", "numbers cached per token", .fixed = true},
    {"chance", "%s of guessing", NULL, ACCURACY, .scale = SHARE, .fixed = true},
    {"trivial", "%s of the trivial baseline", NULL, ACCURACY, .scale = SHARE, .fixed = true, .level = "trivial baseline", .split = "validation_"},
    {"chance_loss", "loss of guessing", "nats", LOSS, .scale = POWERS, .fixed = true, .level = "guessing"},
    {"unigram_loss", "loss of counting characters", "nats", LOSS, .scale = POWERS, .fixed = true, .level = "unigram", .split = "validation_"},
    {"bigram_loss", "loss of counting pairs of characters", "nats", LOSS, .scale = POWERS, .fixed = true, .level = "bigram", .split = "validation_"},
    {"test_trivial", "%s of the trivial baseline on test data", NULL, ACCURACY, .scale = SHARE, .fixed = true, .level = "trivial baseline", .split = "test_"},
    {"test_unigram_loss", "loss of counting characters of test data", "nats", LOSS, .scale = POWERS, .fixed = true, .level = "unigram", .split = "test_"},
    {"test_bigram_loss", "loss of counting pairs of them", "nats", LOSS, .scale = POWERS, .fixed = true, .level = "bigram", .split = "test_"},

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

    /* settings, as they are called on an axis */
    {"lr", .title = "learning rate"},
    {"d-k", .title = "d_k"},
    {"init", .title = "factor of the start"},
    {"latent", .title = "width of the middle r"},
};
/* clang-format on */
const int quantity_count = sizeof quantities / sizeof *quantities;

const Quantity *
quantity_named(const char *name)
{
    static const Quantity other = {"*", .title = "%s"};
    for (const Quantity *q = quantities; q < quantities + quantity_count; q++) {
        size_t n = strcspn(q->name, "*");
        if (!strncmp(name, q->name, n + !q->name[n]))
            return q;
    }
    return &other;
}

const char *
quantity_at(int turn)
{
    for (const Quantity *q = quantities; q < quantities + quantity_count; q++)
        if (q->turn == turn)
            return q->name;
    return NULL;
}

char *
axis_title(const char *name, const KnownTask *t)
{
    const Quantity *q = quantity_named(name);
    const char *measure = t ? task_measure(t) : "accuracy";
    bool unit = q->unit && (q->measure != LOSS || !strcmp(measure, "accuracy"));
    const char *word =
        q->measure == ACCURACY ? measure : name + strcspn(q->name, "*");
    char *title = format_text(q->title, word);
    if (unit)
        replace(&title, format_text("%s (%s)", title, q->unit));
    return title;
}

char *
group_title(const Group *g, const char *without)
{
    bool task = strcmp(without, "task") && !g->tasks;
    char *title = copy_text(task ? g->runs[0]->config.task : "");
    for (int k = 0; k < g->axes; k++) {
        if (!strcmp(g->axis[k], without))
            continue;
        char *axis = axis_title(g->axis[k], NULL);
        replace(&title, format_text("%s%s%s %.40s", title, *title ? ", " : "",
                                    axis, g->key[k]));
        free(axis);
    }
    return title;
}

double
run_quantity(const Run *r, const char *name)
{
    const Quantity *q = quantity_named(name);
    return q->of ? q->of(r) : run_number(r, name);
}

double
run_judged(const Run *r, const char *key)
{
    double x = run_has(r, key) ? run_quantity(r, key) : NAN;
    return quantity_named(key)->median && x == 0 ? NAN : x;
}

double
margin_of(const char *margins, const char *key, const Run *const *runs,
          int count)
{
    const char *text = quantity_named(key)->margin;
    Values given = values_cut(margins ? margins : "");
    size_t n = strlen(key);
    char *end;
    for (int i = 0; i < given.count; i++)
        if (!strncmp(given.text[i], key, n) && given.text[i][n] == '=')
            text = given.text[i] + n + 1;
    double margin = text ? strtod(text, &end) : NAN, sum = 0;
    for (int i = 0; i < count; i++)
        sum += fabs(run_judged(runs[i], key));
    if (text && *end == '%')
        margin *= sum / count / 100;
    values_free(&given);
    return margin;
}

bool
is_level(const Quantity *q, const char *y, const Run *r)
{
    return q->level && q->measure == quantity_named(y)->measure &&
           run_has(r, q->name) &&
           (!q->split || !*r->config.file ||
            !strncmp(y, q->split, strlen(q->split)));
}

char *
quantity_names(const Run *r, bool over_steps)
{
    const Table *t = over_steps ? &r->log : &r->result;
    char *list = copy_text("");
    for (int k = 1; k < (over_steps ? t->cols : t->rows); k++)
        replace(&list,
                format_text("%s%s%s", list, k > 1 ? ", " : "",
                            over_steps ? t->cells[k] : table_cell(t, k, 0)));
    return list;
}

void
check_quantity(const Run *runs, int count, const char *name, bool over_steps)
{
    bool there = !over_steps && quantity_named(name)->of;
    for (int i = 0; i < count && !there; i++)
        if (over_steps ? table_column(&runs[i].log, name) < 1
                       : !run_has(&runs[i], name) || !strcmp(name, "status"))
            usage("\"%s\": %s did not log it (--log adds what it "
                  "measures); there are: %s%s",
                  name, runs[i].name, over_steps ? "" : "solved, ",
                  quantity_names(&runs[i], over_steps));
}

/* Of steps to the threshold, where a run that never got there counts as later
   than all that did. */
static Mean
median_of_steps(double *x, const Run *const *runs, int count)
{
    double steps = 0;
    for (int i = 0; i < count; i++) {
        x[i] = x[i] > 0 ? x[i] : INFINITY;
        steps = fmax(steps, run_number(runs[i], "steps"));
    }
    Mean m = median_interval(x, count);
    return (Mean){fmin(m.mean, steps), fmin(m.low, steps), fmin(m.high, steps)};
}

Mean
values_mean(const char *name, const double *x, int n)
{
    Mean m = mean_interval(x, n);
    int scale = quantity_named(name)->scale;
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = fmin(least, x[i]);
    if (isnan(m.mean))
        return m;
    if (scale != ANY && least >= 0)
        m.low = fmax(m.low, 0);
    if (scale == SHARE)
        m.high = fmin(m.high, 1);
    return m;
}

Mean
quantity_mean(const Run *const *runs, int count, const char *name)
{
    double *x = allocate((size_t)count, sizeof *x);
    const Quantity *q = quantity_named(name);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] = run_quantity(runs[i], name);
    Mean m = q->median    ? median_of_steps(x, runs, count)
             : q->counted ? share_interval((int)sum, count)
                          : values_mean(name, x, count);
    free(x);
    return m;
}

double
run_place(const Run *r, const char *x)
{
    const char *text = run_value(r, x);
    if (!text)
        return is_axis(x) ? NAN : run_quantity(r, x);
    const char *sign = strchr(text, '=');
    return strcmp(text, "none") ? strtod(sign ? sign + 1 : text, NULL) : 1;
}
