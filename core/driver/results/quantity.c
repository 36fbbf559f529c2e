/* quantity.c - numbers of runs, as figures draw them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/results/group.h"
#include "driver/results/quantity.h"

const char *
axis_title(const char *quantity)
{
    static const char *const known[][2] = {
        {"loss", "training loss (nats)"},
        {"accuracy", "training accuracy"},
        {"validation_loss", "validation loss (nats)"},
        {"validation_accuracy", "validation accuracy"},
        {"test_loss", "test loss (nats)"},
        {"test_accuracy", "test accuracy"},
        {"attention_parameters", "parameters of attention"},
        {"solved_at", "steps to the threshold"},
        {"solved", "share of seeds that solved it"},
        {"seconds", "seconds of training"},
        {"cache", "numbers cached per token"},
        {"flops", "FLOPs of attention per token"},
        {"entropy", "entropy of a row of weights (nats)"},
        {"largest_weight", "largest weight of a row"},
        {"saturated", "share of rows with a weight > 0.99"},
        {"score_deviation", "standard deviation of the scores"},
        {"score_gradient_median", "gradient of the median row of scores"},
        {"score_gradient_mean", "gradient of a row of scores, mean"},
        {"rank_m", "effective rank of M"},
        {"rank_n", "effective rank of N"},
        {"distance_m", "relative distance of M from its start"},
        {"distance_n", "relative distance of N from its start"},
        {"lr", "learning rate"},
        {"d-k", "d_k"},
        {"init", "factor of the start"},
        {"latent", "width of the middle r"},
        {"mode1", "mode 1, the largest"},
        {"mode2", "mode 2"},
        {"mode3", "mode 3"},
        {"mode4", "mode 4"},
        {"mode5", "mode 5"},
        {"mode6", "mode 6"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(quantity, known[i][0]))
            return known[i][1];
    static char words[VALUE_SIZE];
    if (strncmp(quantity, "gradient.", 9))
        return quantity;
    snprintf(words, sizeof words, "gradient of %s", quantity + 9);
    return words;
}

/* How long it trained, from timing.tsv. */
static double
seconds_of(const Run *r)
{
    Path path = below(r->path, "timing.tsv");
    Table t = table_read(path.text);
    if (t.rows < 1 || t.cols != 2 || strcmp(table_cell(&t, 0, 0), "seconds"))
        fail("%s: not a table of times; remove the run to have it again",
             path.text);
    double seconds = table_number(&t, 0, 1, path.text);
    table_free(&t);
    return seconds;
}

double
run_quantity(const Run *r, const char *quantity)
{
    if (!strcmp(quantity, "solved"))
        return run_number(r, "solved_at") > 0;
    if (!strcmp(quantity, "seconds"))
        return seconds_of(r);
    return run_number(r, quantity);
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
check_quantity(const Run *runs, int count, const char *quantity,
               bool over_steps)
{
    bool there = !over_steps && index_in("solved seconds", quantity) >= 0;
    for (int i = 0; i < count && !there; i++)
        if (over_steps
                ? table_column(&runs[i].log, quantity) < 1
                : !run_has(&runs[i], quantity) || !strcmp(quantity, "status"))
            usage("\"%s\": %s did not log it; there are: %s%s", quantity,
                  runs[i].name, over_steps ? "" : "solved, seconds, ",
                  quantity_names(&runs[i], over_steps));
}

bool
is_median(const char *quantity)
{
    return !strcmp(quantity, "solved_at");
}

Mean
quantity_mean(const Run *const *runs, int count, const char *quantity)
{
    double *x = allocate((size_t)count + 1, sizeof *x);
    double least = INFINITY, most = 0, ceiling = 0;
    for (int i = 0; i < count; i++) {
        x[i] = run_quantity(runs[i], quantity);
        double limit = runs[i]->config.steps;
        if (is_median(quantity) && x[i] == 0)
            x[i] = INFINITY;
        ceiling = limit > ceiling ? limit : ceiling;
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    Mean m = is_median(quantity) && count
                 ? (Mean){fmin(median(x, count), ceiling), fmin(least, ceiling),
                          fmin(most, ceiling)}
                 : bootstrap(x, count);
    free(x);
    return m;
}

bool
run_has_place(const Run *r, const char *x)
{
    const Setting *s = setting_named(x);
    return !s || !setting_unused(s, &r->config);
}

double
run_place(const Run *r, const char *x)
{
    char text[VALUE_SIZE], name[64];
    const Setting *s = setting_named(x);
    if (!s)
        return run_quantity(r, x);
    if (!run_has_place(r, x))
        return NAN;
    setting_print(s, &r->config, text);
    snprintf(name, sizeof name, "+%s=", x);
    const char *matched =
        setting_matched(s, &r->config) ? strstr(r->config.match, name) : NULL;
    if (matched) /* where the one is whose budget it meets */
        return strtod(matched + strlen(name), NULL);
    const char *sign = strchr(text, '=');
    return s->kind == WORD && !*text ? 1 : strtod(sign ? sign + 1 : text, NULL);
}
