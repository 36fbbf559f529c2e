/* trace.c - qkv trace: follows one text through attention, number by number.

   text -> tokens -> ids -> embedding -> q, k, v -> scores -> weights -> heads
   -> output: the nodes of one forward pass (algebra/capture.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "decode/generate.h"
#include "decode/tokens.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "heart/heads.h"
#include "operators/biases.h"
#include "tasks/corpus.h"
#include "watch/attention_maps.h"

/* The text that is followed. */
typedef struct Trace {
    const Model *model;
    const Dataset *data;
    const int *ids;
    Pass *pass;
    bool *shown; /* for each of the model's weights, whether it was shown */
    const Call *call; /* the call whose head is shown */
} Trace;

/* How a matrix is labelled. WEIGHTS: not at all. TOKENS: each row is a token.
   TOKENS_BY_TOKENS and SCORES: each row and each column is a token; SCORES may
   be masked. */
typedef enum { WEIGHTS, TOKENS, TOKENS_BY_TOKENS, SCORES } Axes;

static const char *
word_of(const Trace *t, int token)
{
    return token_label(t->data, t->ids + token * t->data->sizes.each);
}

/* Prints "NAME (rows x cols)" and the rows, with as many columns as fit on a
   line. Of WEIGHTS it prints no more rows than that. */
PRINTF(4, 5)
static void
show(const Trace *t, Axes axes, Matrix m, const char *name, ...)
{
    enum { WIDE = 8 };
    va_list args;
    va_start(args, name);
    printf("\n");
    vprintf(name, args);
    va_end(args);
    printf(" (%d x %d)\n", m.rows, m.cols);
    if (axes >= TOKENS_BY_TOKENS) {
        print_label("", 12);
        for (int j = 0; j < m.cols && j < WIDE; j++)
            print_label(word_of(t, j), 8);
        printf("\n");
    }
    for (int i = 0; i < m.rows && (axes != WEIGHTS || i < WIDE); i++) {
        print_label(axes == WEIGHTS ? "" : word_of(t, i), -12);
        for (int j = 0; j < m.cols && j < WIDE; j++) {
            double x = (double)m.at[i * m.down + j];
            bool masked = axes == SCORES && !call_sees(t->call, m, i, j);
            printf(masked ? "  masked" : "%8.3f", x);
        }
        printf(m.cols > WIDE ? " ..\n" : "\n");
    }
}

/* Head `head` of a node whose rows are tokens. */
static Matrix
head_rows(const Node *n, int head)
{
    return head_of(n, n->value, 0, head);
}

/* The number of the model's weight whose node this is, or -1. */
static int
weight_number(const Model *m, const Node *n)
{
    for (int i = 0; i < m->count; i++)
        if (m->nodes[i] == n)
            return i;
    return -1;
}

/* If n is `from` times weights of the model, at most MAPS of them, one after
   another: writes their numbers in order, and returns how many they are. If it
   is not, returns 0. */
enum { MAPS = 8 };
static int
maps_between(const Trace *t, const Node *from, const Node *n, int maps[MAPS])
{
    int count = 0;
    const Node *at = n->root; /* n is `at` times the weights found so far */
    while (at->op == &matmul_op && count < MAPS) {
        int i = weight_number(t->model, at->in[1]);
        if (i < 0)
            break;
        memmove(maps + 1, maps, (size_t)count * sizeof *maps);
        maps[0] = i;
        count++;
        at = at->in[0]->root;
    }
    return at == from->root ? count : 0;
}

/* The columns of a matrix that belong to head `head`. */
static Matrix
head_columns(const Node *w, int heads, int head)
{
    int width = w->cols / heads;
    return matrix(w->value + head * width, w->rows, width, w->cols);
}

/* Prints a node of a head: "q_1 = x W^Q, the queries" and its rows. Before them
   it prints the matrices with which the node is computed from `from`, called
   `of`, and, if they are several, their product. `letter` and `number` are the
   node's name; number 0 is left out. */
static void
show_mapped(const Trace *t, const Node *n, int head, const char *letter,
            int number, const Node *from, const char *of, const char *what)
{
    char name[16];
    snprintf(name, sizeof name, number ? "%s%d" : "%s", letter, number);
    int maps[MAPS], count = maps_between(t, from, n, maps);
    char *equation =
        format_text("%s%s%s", name, count ? " = " : "", count ? of : "");
    Node *product = NULL;
    if (count > 1)
        printf("\n%s is %d linear maps in a row, which are one:\n", name,
               count);
    for (int k = 0; k < count; k++) {
        Node *map = t->model->nodes[maps[k]];
        t->shown[maps[k]] = true;
        const char *symbol = strrchr(t->model->weights[maps[k]].name, '.') + 1;
        bool part = k == count - 1 && n->heads > 1;
        show(t, WEIGHTS,
             head_columns(map, part ? n->heads : 1, part ? head : 0), "%s%s%s",
             symbol, part ? ", the columns of " : "", part ? name : "");
        equation = format_text("%s %s", equation, symbol);
        product = product ? matmul(product, map) : map;
    }
    if (count > 1)
        show(t, WEIGHTS, head_columns(product, n->heads, head),
             "their product");
    show(t, TOKENS, head_rows(n, head), "%s, %s", equation, what);
}

/* Prints head `head` of t->call, which is number `number` of the place, counted
   from 1. */
static void
show_head(const Trace *t, const Place *p, int head, int number)
{
    const Call *c = t->call;
    Matrix scores = call_scores(c, 0, head);
    const Node *before = c->weights->in[0];
    bool rotated = c->q && c->product->in[0] != c->q;
    bool biased = before->op == &fixed_bias_op;
    printf("\n--- head %d\n", number);
    if (c->q) {
        int k_head = head / (c->q->heads / c->k->heads);
        show_mapped(t, c->q, head, "q_", number, p->x, "x", "the queries");
        show_mapped(t, c->k, k_head, "k_", number, p->x, "x", "the keys");
    }
    const Node *v = c->sum ? c->sum->in[1] : NULL;
    if (v)
        show_mapped(t, v, head / (c->sum->heads / v->heads), "v_", number, p->x,
                    "x", "the values");
    if (c->q)
        show(t, SCORES, scores, "scores = %.4g q_%d k_%d'%s%s", c->scale,
             number, number, rotated ? ", both rotated" : "",
             biased ? " + bias" : "");
    else
        show(t, SCORES, scores, "scores%s", biased ? " + bias" : "");
    show(t, TOKENS_BY_TOKENS, call_weights(c, 0, head),
         "weights = softmax(scores)");
    if (v)
        show(t, TOKENS, head_rows(c->sum, head), "head_%d = weights v_%d",
             number, number);
}

/* Prints a place of attention: its heads, the output of the layer, and the
   matrices that were not in any product before. */
static void
show_place(Trace *t, int place)
{
    const ModelPlace *m = &t->model->place[place];
    const Capture *r = &t->pass->capture;
    const Place *p = &r->place[place];
    int own;
    printf("\n=== %s: %s\n", m->name, m->variant->equation);
    if (t->model->config.norm)
        show(t, TOKENS, head_rows(p->x, 0), "LayerNorm(x)");
    for (int i = 0; i < p->heads; i++) {
        t->call = capture_head(r, place, i, &own);
        show_head(t, p, own, i + 1);
    }
    /* If one call has all heads, the result is computed from their outputs. */
    const Node *sum = p->calls == 1 ? r->call[p->first].sum : NULL;
    char of[80];
    snprintf(of, sizeof of, p->heads == 1 ? "head_1" : "[head_1 ... head_%d]",
             p->heads);
    show_mapped(t, p->out, 0, "output", 0, sum ? sum : p->out, of,
                "the layer's result");
    for (int i = m->weights; i < m->weights + m->declared; i++)
        if (!t->shown[i]) /* it is used in something other than a product */
            show(t, WEIGHTS, head_columns(t->model->nodes[i], 1, 0), "%s",
                 strrchr(t->model->weights[i].name, '.') + 1);
}

/* Prints the tokens and their ids. */
static void
show_tokens(const Trace *t, int count)
{
    int each = t->data->sizes.each;
    printf("tokens ");
    for (int i = 0; i < count; i++)
        printf(" %s", word_of(t, i));
    printf("\nids    ");
    for (int i = 0; i < count * each; i++)
        if (t->ids[i] >= 0)
            printf("%s%d", i % each ? "+" : " ", t->ids[i]);
    printf(" of %d\n", t->data->sizes.vocabulary);
}

/* Prints the likeliest answer at each token, and all attention maps. */
static void
show_answers(const Trace *t, const Batch *b)
{
    const Node *l = t->pass->logits;
    Maps maps = maps_of(t->model, t->data, b, &t->pass->capture);
    printf("\n=== answers: softmax(logits), the likeliest of %d\n", l->cols);
    for (int i = 0; i < l->rows; i++) {
        const real *row = l->value + i * l->cols;
        int best = choose(row, l->cols, (Sampling){0}, NULL);
        double sum = 0;
        for (int j = 0; j < l->cols; j++)
            sum += exp((double)(row[j] - row[best]));
        print_label(word_of(t, i), -12);
        if (t->data->sizes.step != 0) /* answers are numbers */
            printf("  -> %.4f\n", (double)*row);
        else
            printf("  -> %s (%.2f)\n", answer_label(t->data, best), 1 / sum);
    }
    printf("\n");
    maps_print(&maps);
}

/* Prints a forward pass of m on `count` tokens of a dataset: the tokens and
   their ids; and for every place its matrices (the first 8 rows and columns)
   and its results, so that each number can be checked by hand. If m was
   trained, it also prints the answers and a picture of all attention maps. */
static void
print_trace(Model *m, const Dataset *data, const int *ids, int count,
            bool trained)
{
    Sizes sizes = m->sizes;
    sizes.tokens = count;
    matrix_entries(count, count); /* scores of a head */
    Batch b = batch_new(sizes, 1);
    memcpy(b.ids, ids, (size_t)count * sizes.each * sizeof *ids);
    Trace t = {.model = m, .data = data, .ids = ids};
    t.pass = pass_captured(m, &b, false);
    t.shown = allocate((size_t)m->count, sizeof(bool));
    show_tokens(&t, count);
    if (!trained)
        printf("\nThe numbers are those that training starts from (seed %d).\n",
               m->config.seed);
    /* the tokens, before the first block's LayerNorm if it has one */
    const Node *x = t.pass->capture.place[0].x;
    show(&t, TOKENS, head_rows(m->config.norm ? x->in[0] : x, 0),
         "x, the embeddings%s",
         m->config.positions == POSITIONS_LEARNED ? " + positions" : "");
    for (int i = 0; i < t.pass->capture.places; i++)
        show_place(&t, i);
    if (trained)
        show_answers(&t, &b);
}

/* The different words of a text. */
static Corpus
words_of(const char *text)
{
    static void *seen; /* has pointers into the copy, which is never freed */
    Corpus words = {.words = true};
    char *word = strtok(copy_text(text), " \t\n");
    for (; word; word = strtok(NULL, " \t\n"))
        if (add_word(&seen, word))
            values_add(&words.names, copy_text(word));
    return words;
}

/* The model for a text without a run: small, with random weights. */
static Model *
model_untrained(const Options *o, Sizes sizes)
{
    Config c = config_start();
    config_apply(&c, "d-model=8 heads=2");
    request_apply(&o->request, &c);
    Plugin p = plugin_open(c.variant);
    request_used(&o->request, SHAPE_OPTIONS, variant_uses(p.variant));
    config_resolve_for(&c, &p);
    return model_new(&c, sizes, p.variant);
}

int
command_trace(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *text = o.rest[0], *run = o.rest_count > 1 ? o.rest[1] : NULL;
    Corpus words = words_of(text);
    Dataset data = {.corpus = &words, .sizes.each = 1};
    Model *m = NULL;
    if (run) {
        Run r = begin_from(&o.request, run, 0);
        m = run_model(&r, &data);
    }
    Sizes *sizes = &data.sizes;
    if (!m)
        sizes->vocabulary = sizes->classes = words.names.count;
    int count, *ids = tokens_read(text, &data, run, &count);
    if (m && count > sizes->tokens)
        fail("the text has %d tokens, but %s was trained on sequences of %d: "
             "shorten the text",
             count, run, sizes->tokens);
    sizes->tokens = count;
    if (!m)
        m = model_untrained(&o, *sizes);
    print_trace(m, &data, ids, count, run);
    return 0;
}
