/* trace.c - qkv trace: one text followed through attention, number by number.

   text -> tokens -> ids -> embedding -> q, k, v -> scores -> weights -> heads
   -> output: the nodes of one forward run, and between them the scores and
   weights, computed from q and k once more. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/pass.h"
#include "base/words.h"
#include "config/build_model.h"
#include "driver/options.h"
#include "study/tokens.h"
#include "driver/commands.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/layers.h"
#include "heart/operators.h"
#include "run/run.h"

/* What is followed. */
typedef struct Trace {
    Model *model;
    Dataset data; /* of the run, where there is one */
    bool from_run;
    Words words;
    Batch batch;
    Pass *pass;
} Trace;

/* What the rows of a matrix are, and its columns. */
typedef enum { WEIGHTS, TOKENS, TOKENS_BY_TOKENS } Axes;

/* "NAME (rows x cols)" and its rows, those that fit. */
static void
show(const Trace *t, const char *name, Matrix m, Axes axes)
{
    enum { WIDE = 8, HIGH = 16 };
    printf("\n%s (%d x %d)\n", name, m.rows, m.cols);
    if (axes == TOKENS_BY_TOKENS) {
        printf("%12s", "");
        for (int j = 0; j < m.cols && j < WIDE; j++)
            print_right(t->words.word[j], 8);
        printf("\n");
    }
    for (int i = 0; i < m.rows && i < HIGH; i++) {
        print_left(axes == WEIGHTS ? "" : t->words.word[i], 12);
        for (int j = 0; j < m.cols && j < WIDE; j++) {
            double x = (double)m.at[i * m.down + j];
            if (axes == TOKENS_BY_TOKENS && isinf(x))
                printf("%8s", "masked");
            else
                printf("%8.3f", x);
        }
        printf(m.cols > WIDE ? " ..\n" : "\n");
    }
    if (m.rows > HIGH)
        printf("..\n");
}

PRINTF(4, 5)
static void
show_node(const Trace *t, const Node *n, int head, const char *name, ...)
{
    char text[160];
    va_list args;
    va_start(args, name);
    vsnprintf(text, sizeof text, name, args);
    va_end(args);
    show(t, text, head_of(n, n->value, 0, head), TOKENS);
}

/* The matrices that a node is a product of `from` with, the first map first;
   how many there are, none where it is not. */
enum { MAPS = 8 };
static int
maps_of(const Model *m, const Node *n, const Node *from,
        const Weight *maps[MAPS])
{
    int count = 0;
    for (n = n->root; n->op == &matmul_op.op && count < MAPS;
         n = n->in[0]->root) {
        const Weight *found = NULL;
        for (int i = 0; i < m->count; i++)
            if (m->nodes[i] == n->in[1])
                found = &m->weights[i];
        if (!found)
            break;
        memmove(maps + 1, maps, (size_t)count * sizeof *maps);
        maps[0] = found;
        count++;
    }
    return n == from->root ? count : 0;
}

/* The name that the equation gives a weight. */
static const char *
symbol(const Weight *w)
{
    return strrchr(w->name, '.') + 1;
}

/* a b, in memory to be freed. */
static Matrix
multiplied(Matrix a, Matrix b)
{
    real *at = allocate((size_t)a.rows * (size_t)b.cols, sizeof *at);
    Matrix c = matrix(at, a.rows, b.cols, b.cols);
    multiply(c, a, b);
    return c;
}

/* "q_1 = x W^Q" and its rows, a token each; and where several maps are applied
   one after the other, each of them and their product before it. */
static void
show_mapped(const Trace *t, const Node *n, const Node *x, int head, int number,
            char letter, const char *what)
{
    const Weight *maps[MAPS];
    int count = maps_of(t->model, n, x, maps), width = n->cols / n->heads;
    char *names = copy_text("");
    Matrix product = {0};
    if (count > 1)
        printf("\n%c is %d linear maps in a row, which are one:\n", letter,
               count);
    for (int k = 0; k < count; k++) {
        const Weight *w = maps[k];
        Matrix m = matrix(w->value, w->rows, w->cols, w->cols);
        if (k == count - 1)
            m = matrix(m.at + head * width, m.rows, width, m.cols);
        if (count > 1)
            show(t, symbol(w), m, WEIGHTS);
        replace(&names, format_text("%s %s", names, symbol(w)));
        Matrix next = k > 0 ? multiplied(product, m) : m;
        if (k > 1)
            free(product.at);
        product = next;
    }
    if (count > 1) {
        show(t, "their product", product, WEIGHTS);
        free(product.at);
    }
    show_node(t, n, head, "%c_%d%s%s, %s", letter, number, count ? " = x" : "",
              names, what);
    free(names);
}

/* q_i and k_i, and what a rotation by the position makes of them. */
static void
show_product(const Trace *t, const Call *c, const Node *x, int head, int number)
{
    int k_head = head / (c->q->heads / c->k->heads);
    show_mapped(t, c->q, x, head, number, 'q', "the queries");
    show_mapped(t, c->k, x, k_head, number, 'k', "the keys");
    if (!c->v || c->out->in[0] == c->q)
        return;
    show_node(t, c->out->in[0], head,
              "q_%d rotated: pairs of columns turned by the token's position",
              number);
    show_node(t, c->out->in[1], k_head, "k_%d rotated likewise", number);
}

/* A head; of one whose softmax was taken step by step, up to its weights. */
static void
show_head(const Trace *t, const Call *c, const Node *x, int head, int number)
{
    int n = call_queries(c), keys = call_keys(c);
    size_t size = matrix_entries(n, keys);
    double *scores = allocate(2 * size, sizeof *scores);
    real *shown = allocate(2 * size, sizeof *shown);
    const Node *steps = c->v ? NULL : c->out->in[0];
    bool rotated = t->model->config.positions == POSITIONS_ROPE;
    char name[96] = "scores";
    printf("\n--- head %d\n", number);
    if (c->q) {
        show_product(t, c, x, head, number);
        snprintf(name, sizeof name, "scores = %.4g q_%d k_%d'%s", c->scale,
                 number, number, rotated ? ", both rotated" : "");
    }
    if (c->v)
        show_mapped(t, c->v, x, head / (c->q->heads / c->v->heads), number, 'v',
                    "the values");
    if (steps && unbiased(c->out->in[0]) != steps)
        snprintf(name + strlen(name), 20, " + bias");
    call_weights(c, 0, head, scores, scores + size);
    for (size_t i = 0; i < 2 * size; i++)
        shown[i] = (real)scores[i];
    show(t, name, matrix(shown, n, keys, keys), TOKENS_BY_TOKENS);
    show(t,
         steps && isfinite(sink_of(c->out, head))
             ? "weights = softmax(scores), beside a sink that takes the rest"
             : "weights = softmax(scores), each row sums to 1",
         matrix(shown + size, n, keys, keys), TOKENS_BY_TOKENS);
    free(scores);
    free(shown);
    if (c->v)
        show_node(t, c->out, head, "head_%d = weights v_%d", number, number);
}

/* What the first block reads: before its LayerNorm, where there is one. */
static const Node *
embedded(const Trace *t)
{
    const Node *x = t->pass->capture.place[0].x;
    return t->model->config.norm ? x->in[0] : x;
}

static void
show_place(const Trace *t, const Options *o, int place)
{
    const Capture *r = &t->pass->capture;
    const Place *p = &r->place[place];
    int heads = capture_heads(r, place);
    printf("\n=== %s: %s\n", t->model->place[place].name,
           t->model->place[place].variant->equation);
    if (t->model->config.norm)
        show_node(t, p->x, 0, "LayerNorm(x)");
    int shown = o->trace.head > 0 ? o->trace.head : 1, own;
    if (shown <= heads) {
        const Call *c = capture_head(r, place, shown - 1, &own);
        show_head(t, c, p->x, own, shown);
    }
    if (heads > 1 && o->trace.head == 0)
        printf(heads == 2 ? "\n(head 2 likewise: --head 2)\n"
                          : "\n(heads 2 to %d likewise: --head N)\n",
               heads);
    const Weight *maps[MAPS];
    if (p->calls == 1 &&
        maps_of(t->model, p->out, r->call[p->first].out, maps) == 1)
        show_node(t, p->out, 0, "output = [head_1 ... head_%d] %s", heads,
                  symbol(maps[0]));
    else
        show_node(t, p->out, 0, "output, of all heads");
}

/* What the model makes of it in the end: the likeliest answer to each token. */
static void
show_answers(const Trace *t)
{
    const Node *l = t->pass->logits;
    printf("\n=== answers: softmax(logits), the likeliest of %d\n", l->cols);
    for (int i = 0; i < l->rows; i++) {
        const real *row = l->value + i * l->cols;
        int best = 0;
        double sum = 0;
        for (int j = 1; j < l->cols; j++)
            if (row[j] > row[best])
                best = j;
        for (int j = 0; j < l->cols; j++)
            sum += exp((double)(row[j] - row[best]));
        char label[LABEL_SIZE];
        answer_label(&t->data, best, label);
        print_left(t->words.word[i], 12);
        printf("  -> %s (%.2f)\n", label, 1 / sum);
    }
}

/* A model of fewer tokens than `trained` with its weights. */
static Model *
shortened(const Model *trained, int tokens)
{
    const Sizes sizes = trained->sizes;
    if (sizes.source)
        fail("trace follows attention in one sequence, and task %s has two",
             trained->config.task);
    if (tokens > sizes.tokens && positions_added(&trained->config))
        fail("%d tokens, and the run knows positions of %d: give it fewer",
             tokens, sizes.tokens);
    if (tokens != sizes.tokens && trained->config.embed == EMBED_ONEHOT)
        fail("%d tokens, and the run's one-hot tokens are cut for %d: give it "
             "as many",
             tokens, sizes.tokens);
    return model_resized(trained, tokens, 0);
}

/* The words of the text as a run's tokens, or numbered as they come. */
static void
open_model(Trace *t, const Options *o)
{
    if (o->rest_count == 2) {
        for (int i = 0; i < setting_count; i++)
            if (o->request.given[i].count)
                usage("--%s: the run has it already; without RUN an untrained "
                      "model is made",
                      settings[i].name);
        Run r = run_read(o->rest[1]);
        Model *trained = run_model_alone(&r, &t->data);
        t->from_run = true;
        words_number(&t->words, &t->data, r.path);
        t->model = shortened(trained, t->words.count);
        model_free(trained);
        run_free(&r);
        return;
    }
    Config c = config_start();
    config_apply(&c, "d-model=8 heads=2");
    request_apply(&o->request, &c);
    Plugin p = plugin_open(c.variant);
    request_used(&o->request, (const char *[]){variant_uses(p.variant)}, 1);
    config_cast(&c, &p);
    Sizes z = {.tokens = t->words.count, .each = 1};
    z.vocabulary = z.classes = words_number(&t->words, NULL, NULL);
    t->model = model_new(&c, z, p.variant);
}

static void
run_forward(Trace *t)
{
    t->batch = batch_new(t->model->sizes, 1);
    memcpy(t->batch.ids, t->words.id,
           (size_t)t->words.count * t->model->sizes.each * sizeof(int));
    t->pass = pass_captured(t->model, &t->batch, false);
}

static void
show_tokens(const Trace *t, const char *text)
{
    int each = t->model->sizes.each;
    int n = t->words.count, i, at;
    printf("text    %.*s%s\ntokens ", whole_characters(text, 70), text,
           strlen(text) > 70 ? ".." : "");
    for (i = at = 0; i < n && at < 64; i++)
        at += printf(" %.*s", whole_characters(t->words.word[i], 24),
                     t->words.word[i]);
    printf(i == n ? "\nids    " : " ..\nids    ");
    for (i = at = 0; i < n && at < 60; i++)
        for (int k = 0; k < each; k++)
            if (t->words.id[i * each + k] >= 0)
                at += printf("%s%d", k ? "+" : " ", t->words.id[i * each + k]);
    printf("%s of %d\n", i == n ? "" : " ..", t->model->sizes.vocabulary);
    if (!t->from_run)
        printf("\nThe numbers are those that training starts from (seed %d).\n",
               t->model->config.seed);
}

int
command_trace(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Trace *t = allocate(1, sizeof *t);
    t->words = words_cut(o.rest[0], o.trace.characters);
    matrix_entries(t->words.count, t->words.count); /* scores of a head */
    open_model(t, &o);
    run_forward(t);
    int heads = capture_heads(&t->pass->capture, 0);
    if (o.trace.head > heads)
        usage("--head %d: there are %d", o.trace.head, heads);
    show_tokens(t, o.rest[0]);
    show_node(t, embedded(t), 0,
              t->model->config.embed == EMBED_ONEHOT
                  ? "x, one-hot: what the token is, and where"
              : positions_added(&t->model->config)
                  ? "x, the rows of embedding and positions, added"
                  : "x, the row of the embedding that the id names");
    for (int i = 0; i < t->pass->capture.places; i++)
        show_place(t, &o, i);
    if (t->from_run)
        show_answers(t);
    batch_free(&t->batch);
    pass_free(t->pass);
    model_free(t->model);
    words_free(&t->words);
    if (t->from_run)
        dataset_close(&t->data);
    free(t);
    request_free(&o.request);
    return 0;
}
