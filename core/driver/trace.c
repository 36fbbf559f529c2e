/* trace.c - qkv trace: follows one text through attention, number by number.

   text -> tokens -> ids -> embedding -> q, k, v -> scores -> weights -> heads
   -> output. From the embedding on, these are nodes of one forward pass. A
   place is one attention of the model, such as block0.attention; its variant
   calls attend once, or once for some of its heads at a time. A capture
   (algebra/capture.h) has recorded the nodes of each call and of each place. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "decode/generate.h"
#include "decode/tokens.h"
#include "driver/compare.h"
#include "heart/heads.h"
#include "operators/biases.h"
#include "tasks/corpus.h"
#include "watch/attention_maps.h"

/* The text that is followed, and how far the trace is. Here a weight is one
   of the model's matrices. */
typedef struct Trace {
    const Model *model;
    const Dataset *data;
    const int *ids;   /* the ids of the tokens, sizes.each for each token */
    Pass *pass;       /* the captured forward pass */
    bool *shown;      /* for each weight of the model, whether it was shown */
    const Call *call; /* the call whose head is being shown */
} Trace;

/* What the rows and columns of a matrix are. TOKENS: each row is a token.
   TOKENS_BY_TOKENS and SCORES: each row and each column is a token, and SCORES
   may be masked. WEIGHTS: neither is, so they have no labels. */
typedef enum { WEIGHTS, TOKENS, TOKENS_BY_TOKENS, SCORES } Axes;

/* The width in characters of a label before a row, and of a cell; and how many
   cells are shown on a line. print_label puts a label at the left if its width
   is negative. */
enum { LABEL_WIDTH = 12, CELL_WIDTH = 8, MOST_SHOWN = 8 };

/* A token of the text, as it is printed. */
static const char *
word_of(const Trace *t, int token)
{
    return token_label(t->data, t->ids + token * t->data->sizes.each);
}

/* Prints "NAME (rows x cols)", a line of labels if columns are tokens, and the
   rows. `name` is a format as in printf. Prints at most MOST_SHOWN columns and,
   of WEIGHTS, at most MOST_SHOWN rows. */
PRINTF(4, 5)
static void
show(const Trace *t, Axes axes, Matrix m, const char *name, ...)
{
    int cols_shown = m.cols < MOST_SHOWN ? m.cols : MOST_SHOWN;
    int rows_shown = m.rows;
    if (axes == WEIGHTS && m.rows > MOST_SHOWN)
        rows_shown = MOST_SHOWN;
    va_list args;
    va_start(args, name);
    printf("\n");
    vprintf(name, args);
    va_end(args);
    printf(" (%d x %d)\n", m.rows, m.cols);
    if (axes == TOKENS_BY_TOKENS || axes == SCORES) { /* columns are tokens */
        print_label("", LABEL_WIDTH);
        for (int j = 0; j < cols_shown; j++)
            print_label(word_of(t, j), CELL_WIDTH);
        printf("\n");
    }
    for (int i = 0; i < rows_shown; i++) {
        print_label(axes == WEIGHTS ? "" : word_of(t, i), -LABEL_WIDTH);
        for (int j = 0; j < cols_shown; j++)
            if (axes == SCORES && !call_sees(t->call, m, i, j))
                printf("%*s", CELL_WIDTH, "masked");
            else
                printf("%*.3f", CELL_WIDTH, (double)m.at[i * m.down + j]);
        printf(m.cols > cols_shown ? " ..\n" : "\n");
    }
}

/* Head `head` of a node whose rows are tokens. */
static Matrix
head_of_node(const Node *n, int head)
{
    return head_of(n, n->value, ONLY_SEQUENCE, head);
}

/* A node's value as a matrix, with all its heads. */
static Matrix
all_columns(const Node *n)
{
    return matrix(n->value, n->rows, n->cols, n->cols);
}

/* The symbol of a weight of the model: "W^Q", if "block0.attention.W^Q" is its
   name. */
static const char *
symbol_of_weight(const Trace *t, int number)
{
    return strrchr(t->model->weights[number].name, '.') + 1;
}

/* The number of the weight of the model whose node this is; -1 if the node is
   no weight. */
static int
weight_number(const Model *m, const Node *n)
{
    for (int i = 0; i < m->count; i++)
        if (m->nodes[i] == n)
            return i;
    return -1;
}

/* A linear map here is a weight of the model. If n is `from` times a product of
   maps, such as x W^Q W_i^Q if `from` is x, writes the numbers of these weights
   to `maps` in this order, and returns how many there are. Returns 0 if n is
   anything else, or if there are more than MOST_MAPS. Roots are compared,
   because a node may be a view of another one, its root (heart/tape.h). */
enum { MOST_MAPS = 8 };
static int
maps_between(const Trace *t, const Node *from, const Node *n,
             int maps[MOST_MAPS])
{
    enum { LEFT, RIGHT }; /* the factors of a product */
    int count = 0;
    const Node *rest = n->root; /* n is `rest` times the weights found so far */
    while (rest->op == &matmul_op && count < MOST_MAPS) {
        int weight = weight_number(t->model, rest->in[RIGHT]);
        if (weight < 0) /* the right factor is no weight */
            break;
        /* the last weight is found first: it precedes those found so far */
        memmove(maps + 1, maps, (size_t)count * sizeof *maps);
        maps[0] = weight;
        count++;
        rest = rest->in[LEFT]->root;
    }
    return rest == from->root ? count : 0;
}

/* The columns of a weight w that make head `head` of `heads`. */
static Matrix
head_of_weight(const Node *w, int heads, int head)
{
    int width = w->cols / heads;
    return matrix(w->value + head * width, w->rows, width, w->cols);
}

/* One head of a node, and its name and its role in words. */
typedef struct Named {
    const Node *node;
    int head;
    const char *name, *role; /* "q_1", "the queries" */
} Named;

/* Prints a head and how it is made. If its node is `from`, such as x, times a
   product of weights, prints these weights, their product if there are several,
   and then the head, as "q_1 = x W^Q, the queries". Otherwise prints only the
   head, as "q_1, the queries". */
static void
show_mapped(const Trace *t, Named shown, Named from)
{
    const Node *n = shown.node;
    int maps[MOST_MAPS], count = maps_between(t, from.node, n, maps);
    const char *equation = format_text("%s = %s", shown.name, from.name);
    Node *product = NULL; /* the product of the weights so far */
    if (count > 1)
        printf("\n%s is %d linear maps in a row, which are one:\n", shown.name,
               count);
    for (int k = 0; k < count; k++) {
        Node *map = t->model->nodes[maps[k]];
        t->shown[maps[k]] = true;
        const char *symbol = symbol_of_weight(t, maps[k]);
        bool is_last = k == count - 1; /* its columns make the heads */
        if (is_last && n->heads > 1)
            show(t, WEIGHTS, head_of_weight(map, n->heads, shown.head),
                 "%s, the columns of %s", symbol, shown.name);
        else
            show(t, WEIGHTS, all_columns(map), "%s", symbol);
        equation = format_text("%s %s", equation, symbol);
        product = product ? matmul(product, map) : map;
    }
    if (count > 1)
        show(t, WEIGHTS, head_of_weight(product, n->heads, shown.head),
             "their product");
    show(t, TOKENS, head_of_node(n, shown.head), "%s, %s",
         count ? equation : shown.name, shown.role);
}

/* Prints the scores and the attention weights of head `head` of t->call.
   `number` is the head's number in the place, counted from 1. */
static void
show_scores(const Trace *t, int head, int number)
{
    const Call *c = t->call;
    const Node *softmax_input = c->weights->in[0];
    const char *bias = softmax_input->op == &fixed_bias_op ? " + bias" : "";
    Matrix scores = call_scores(c, ONLY_SEQUENCE, head);
    /* With RoPE, c->q is q before the rotation (capture.h), and the product is
       made from another node, the rotated q. */
    bool rotated = c->q && c->product->in[0] != c->q;
    if (c->q)
        show(t, SCORES, scores, "scores = %.4g q_%d k_%d'%s%s", c->scale,
             number, number, rotated ? ", both rotated" : "", bias);
    else
        show(t, SCORES, scores, "scores%s", bias);
    bool has_sink = c->weights->op == &softmax_sink_op;
    show(t, TOKENS_BY_TOKENS, call_weights(c, ONLY_SEQUENCE, head),
         "weights = softmax(scores%s)", has_sink ? ", sink" : "");
}

/* The number of the head of n, keys or values, that head `head` of `heads`
   uses: if n has fewer heads, neighbours share one. */
static int
head_used(const Node *n, int head, int heads)
{
    return head * n->heads / heads;
}

/* Prints head `head` of t->call, a call at the place p: q, k, v, scores,
   attention weights and output, as far as the call has them. `number` is the
   head's number in the place, counted from 1. */
static void
show_head(const Trace *t, const Place *p, int head, int number)
{
    const Call *c = t->call;
    const Node *v = c->sum ? c->sum->in[1] : NULL; /* sum = weights v */
    Named x = {.node = p->x, .name = "x"};
    printf("\n--- head %d\n", number);
    if (c->q) {
        int k_head = head_used(c->k, head, c->q->heads);
        Named q = {c->q, head, format_text("q_%d", number), "the queries"};
        Named k = {c->k, k_head, format_text("k_%d", number), "the keys"};
        show_mapped(t, q, x);
        show_mapped(t, k, x);
    }
    if (v) {
        int v_head = head_used(v, head, c->sum->heads);
        Named shown = {v, v_head, format_text("v_%d", number), "the values"};
        show_mapped(t, shown, x);
    }
    show_scores(t, head, number);
    if (v)
        show(t, TOKENS, head_of_node(c->sum, head), "head_%d = weights v_%d",
             number, number);
}

/* Prints a place of attention: its heads, the output of the layer, and the
   weights of the place that were not shown yet. */
static void
show_place(Trace *t, int place)
{
    const ModelPlace *m = &t->model->place[place]; /* name and weights */
    const Capture *capture = &t->pass->capture;
    const Place *p = &capture->place[place]; /* nodes of the pass */
    printf("\n=== %s: %s\n", m->name, m->variant->equation);
    if (t->model->config.norm != NORM_NONE)
        show(t, TOKENS, all_columns(p->x), "%s(x)",
             t->model->config.norm == NORM_RMS ? "RMSNorm" : "LayerNorm");
    for (int i = 0; i < p->heads; i++) {
        int head_in_call; /* the number of head i within its call */
        t->call = capture_head(capture, place, i, &head_in_call);
        show_head(t, p, head_in_call, i + 1);
    }
    /* If a single call has all heads, the output may be its sum times weights.
       Otherwise the output is printed without weights: there is no map between
       the output and itself. */
    const Node *sum = p->calls == 1 ? capture->call[p->first_call].sum : NULL;
    Named heads = {.node = sum ? sum : p->out, .name = "head_1"};
    if (p->heads > 1)
        heads.name = format_text("[head_1 ... head_%d]", p->heads);
    Named output = {p->out, .name = "output", .role = "the layer's result"};
    show_mapped(t, output, heads);
    /* The weights of the place are numbered from m->weights on. */
    for (int i = m->weights; i < m->weights + m->declared; i++)
        if (!t->shown[i])
            show(t, WEIGHTS, all_columns(t->model->nodes[i]), "%s",
                 symbol_of_weight(t, i));
}

/* Prints the tokens and their ids. If a token has several ids, + joins them. */
static void
show_tokens(const Trace *t, int count)
{
    int each = t->data->sizes.each;
    printf("tokens ");
    for (int i = 0; i < count; i++)
        printf(" %s", word_of(t, i));
    printf("\nids    ");
    for (int i = 0; i < count * each; i++)
        if (t->ids[i] >= 0) /* -1: the token has fewer ids */
            printf("%s%d", i % each ? "+" : " ", t->ids[i]);
    printf(" of %d\n", t->data->sizes.vocabulary);
}

/* The probability that softmax gives to entry `best` of a row of logits: 1 over
   the sum of exp(logit - best logit). */
static double
probability_of(const real *logits, int count, int best)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += exp((double)(logits[i] - logits[best]));
    return 1 / sum;
}

/* Prints at each token the likeliest answer and its probability or, if answers
   are numbers, the answer; then all attention maps. */
static void
show_answers(const Trace *t, const Batch *b)
{
    const Node *l = t->pass->logits;
    const Sampling likeliest = {.temperature = 0};       /* not random */
    bool answers_are_numbers = t->data->sizes.step != 0; /* heart/task.h */
    Maps maps = maps_of(t->model, t->data, b, &t->pass->capture);
    printf("\n=== answers");
    if (!answers_are_numbers)
        printf(": softmax(logits), the likeliest of %d", l->cols);
    printf("\n");
    for (int i = 0; i < l->rows; i++) {
        const real *row = l->value + i * l->cols;
        print_label(word_of(t, i), -LABEL_WIDTH);
        if (answers_are_numbers) {
            printf("  -> %.4f\n", (double)row[0]);
            continue;
        }
        int best = sample(row, l->cols, likeliest, NULL);
        printf("  -> %s (%.2f)\n", answer_label(t->data, best),
               probability_of(row, l->cols, best));
    }
    printf("\n");
    maps_print(&maps);
}

/* Prints a forward pass of m on `count` tokens: the tokens and their ids, and
   the weights and results of every place of attention, so that each number can
   be checked by hand. If m was trained, also prints its answers and a picture
   of all attention maps. */
static void
print_trace(Model *m, const Dataset *data, const int *ids, int count,
            bool trained)
{
    Sizes sizes = m->sizes;
    sizes.tokens = count;
    matrix_entries(count, count); /* exits if there are too many scores */
    const int one_sequence = 1;
    Batch b = batch_new(sizes, one_sequence);
    memcpy(b.ids, ids, (size_t)count * sizes.each * sizeof *ids);
    Trace t = {.model = m, .data = data, .ids = ids};
    t.pass = pass_captured(m, &b);
    t.shown = allocate((size_t)m->count, sizeof(bool));
    show_tokens(&t, count);
    if (!trained)
        printf("\nThe numbers are those that training starts from (seed %d).\n",
               m->config.seed);
    /* The first attention reads the embeddings, or a norm of them. A LayerNorm
       is one node; RMSNorm is two: a norm, and its product with the gain. */
    const Node *x = t.pass->capture.place[0].x;
    if (m->config.norm == NORM_PRE)
        x = x->in[0];
    if (m->config.norm == NORM_RMS)
        x = x->in[0]->in[0];
    show(&t, TOKENS, all_columns(x), "x, the embeddings%s",
         m->config.positions == POSITIONS_LEARNED ? " + positions" : "");
    for (int i = 0; i < t.pass->capture.places; i++)
        show_place(&t, i);
    if (trained)
        show_answers(&t, &b);
}

/* A corpus whose vocabulary has each word of a text once. */
static Corpus
words_of(const char *text)
{
    void *seen = NULL; /* a set of pointers into a copy that is never freed */
    Corpus words = {.words = true};
    char *word = strtok(copy_text(text), " \t\n");
    for (; word; word = strtok(NULL, " \t\n"))
        if (add_word(&seen, word))
            values_add(&words.names, copy_text(word));
    return words;
}

/* The model that reads the text if there is no run. The options and the
   defaults of the command give its shape, and its weights are initial ones. */
static Model *
model_untrained(const Options *o, Sizes sizes)
{
    Config c = config_start();
    config_apply(&c, command_named("trace")->defaults);
    request_apply(&o->request, &c);
    Plugin p = plugin_open(c.variant);
    refuse_unused(&o->request, SHAPE_OPTIONS, variant_uses(p.variant));
    config_resolve_for(&c, &p);
    return model_new(&c, sizes, p.variant);
}

int
command_trace(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *text = o.words[0], *run = o.word_count > 1 ? o.words[1] : NULL;
    const int no_settings = 0; /* no option can change a trained model */
    Corpus words = words_of(text);
    Dataset data; /* of the run; without one, each word of the text is an id */
    Model *m = NULL;
    int count; /* tokens of the text */
    if (run) {
        Run r = begin_from(&o.request, run, no_settings);
        m = run_model(&r, &data);
    } else
        data = (Dataset){.corpus = &words,
                         .sizes = {.vocabulary = words.names.count,
                                   .classes = words.names.count,
                                   .each = 1}};
    int *ids = tokens_read(text, &data, run, &count);
    if (run && count > data.sizes.tokens)
        fail("the text has %d tokens, but %s was trained on sequences of %d: "
             "shorten the text",
             count, run, data.sizes.tokens);
    data.sizes.tokens = count;
    if (!run)
        m = model_untrained(&o, data.sizes);
    print_trace(m, &data, ids, count, run);
    return 0;
}
