/* trace.c - qkv trace: one text followed through attention, number by number.

   text -> tokens -> ids -> embedding -> q, k, v -> scores -> weights -> heads
   -> output: the nodes of one forward run, and between them the scores and
   weights, computed from q and k once more. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tape/attend.h"
#include "tape/layers.h"
#include "task/text.h"
#include "model/model.h"
#include "model/pass.h"
#include "run/run.h"
#include "driver/cli/tokens.h"
#include "driver/cli/options.h"
#include "driver/commands.h"

/* What is followed. */
typedef struct Trace {
    Model *model;
    Dataset data; /* of the run, where there is one */
    bool from_run;
    Words words;
    Batch batch;
    Pass *pass;
} Trace;

/* "NAME (rows x cols)" and a line for each token, those that fit; `by_token`:
   a column is a token too. */
static void
show(const Trace *t, const char *name, Matrix m, bool by_token)
{
    enum { WIDE = 8, HIGH = 16 };
    printf("\n%s (%d x %d)\n", name, m.rows, m.cols);
    if (by_token) {
        printf("%12s", "");
        for (int j = 0; j < m.cols && j < WIDE; j++)
            print_right(t->words.word[j], 8);
        printf("\n");
    }
    for (int i = 0; i < m.rows && i < HIGH; i++) {
        print_left(t->words.word[i], 12);
        for (int j = 0; j < m.cols && j < WIDE; j++) {
            double x = (double)m.at[i * m.down + j];
            if (by_token && isinf(x))
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
    show(t, text, head_of(n, n->value, 0, head), false);
}

/* The matrices that a node is a product of tokens with, the first map first;
   how many there are. */
enum { MOST_MAPS = 8 };
static int
maps_of(const Model *m, const Node *n, const Weight *maps[MOST_MAPS])
{
    int count = 0;
    for (n = n->root; is_product(n) && count < MOST_MAPS; n = n->in[0]->root) {
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
    return count;
}

/* "q_1 = x W^Q", as far as the maps are known. */
static void
name_of(const Trace *t, const Node *n, char letter, int number, char name[96])
{
    const Weight *maps[MOST_MAPS];
    int count = maps_of(t->model, n, maps);
    int at = snprintf(name, 96, "%c_%d%s", letter, number, count ? " = x" : "");
    for (int k = 0; k < count && at < 80; k++)
        at += snprintf(name + at, 96 - (size_t)at, " %.12s",
                       strrchr(maps[k]->name, '.') + 1);
}

/* Row i of a matrix that is shown in a corner: its first four numbers. */
enum { CORNER = 4, BLOCK = 6 * CORNER + 2 };
static void
row_text(Matrix m, int i, char *text)
{
    int n = 0;
    text[0] = 0;
    if (i == CORNER && m.rows > CORNER)
        snprintf(text, BLOCK + 1, "    ..");
    for (int j = 0; i < CORNER && i < m.rows && j < m.cols && j < CORNER; j++)
        n += snprintf(text + n, (size_t)(BLOCK + 1 - n), "%6.2f",
                      (double)m.at[i * m.down + j]);
    if (n && m.cols > CORNER)
        snprintf(text + n, (size_t)(BLOCK + 1 - n), "..");
}

/* "W^Q (8 x 4)" */
static void
block_name(const Weight *w, Matrix m, char text[48])
{
    snprintf(text, 48, "%.24s (%d x %d)", strrchr(w->name, '.') + 1, m.rows,
             m.cols);
}

/* a b = c, side by side: the first of the maps, and the product of all. */
static void
show_blocks(const Weight *const *maps, const Matrix *m, Matrix product)
{
    char a[48], b[48], c[BLOCK + 1];
    block_name(maps[0], m[0], a);
    block_name(maps[1], m[1], b);
    printf("\n%-*.*s%-*.*s= their product (%d x %d)\n", BLOCK, BLOCK - 1, a,
           BLOCK, BLOCK - 1, b, product.rows, product.cols);
    for (int i = 0; i <= CORNER; i++) {
        row_text(m[0], i, a);
        row_text(m[1], i, b);
        row_text(product, i, c);
        printf("%-*s%-*s  %s\n", BLOCK, a, BLOCK, b, c);
    }
}

/* m[0] m[1] ...; its numbers to be freed. */
static Matrix
product_of_maps(const Matrix *m, int count)
{
    Matrix product = m[0];
    for (int k = 1; k < count; k++) {
        int rows = product.rows, cols = m[k].cols;
        Matrix next =
            matrix(allocate((size_t)rows * (size_t)cols, sizeof(real)), rows,
                   cols, cols);
        multiply(next, product, m[k]);
        if (k > 1)
            free(product.at);
        product = next;
    }
    return product;
}

/* Where several maps are applied one after the other: each, and their product,
   for one head. */
static void
show_product(const Trace *t, const char *what, const Node *n, int head)
{
    const Weight *maps[MOST_MAPS];
    Matrix m[MOST_MAPS];
    int count = maps_of(t->model, n, maps), width = n->cols / n->heads;
    if (count < 2)
        return;
    printf("\n%s is %d linear maps in a row, which are one:\n", what, count);
    for (int k = 0; k < count; k++)
        m[k] =
            matrix(maps[k]->value, maps[k]->rows, maps[k]->cols, maps[k]->cols);
    m[count - 1] =
        part(m[count - 1], 0, m[count - 1].rows, head * width, width);
    Matrix product = product_of_maps(m, count);
    if (count > 2)
        printf("(of %d, the first two are shown)\n", count);
    show_blocks(maps, m, product);
    free(product.at);
}

static void
show_head(const Trace *t, const Call *c, int head, int number)
{
    int k_head = head / (c->q->heads / c->k->heads);
    int v_head = head / (c->q->heads / c->v->heads);
    int n = c->q->rows, keys = c->k->rows;
    char q[96], k[96], v[96];
    name_of(t, c->q, 'q', number, q);
    name_of(t, c->k, 'k', number, k);
    name_of(t, c->v, 'v', number, v);
    printf("\n--- head %d\n", number);
    show_product(t, "q", c->q, head);
    show_node(t, c->q, head, "%s, what each token asks", q);
    show_product(t, "k", c->k, k_head);
    show_node(t, c->k, k_head, "%s, what each token answers to", k);
    show_product(t, "v", c->v, v_head);
    show_node(t, c->v, v_head, "%s, what each token tells", v);
    size_t size = (size_t)(n * keys);
    double *scores = allocate(2 * size, sizeof *scores);
    real *shown = allocate(2 * size, sizeof *shown);
    char name[96];
    call_weights(c, 0, head, scores, scores + size);
    for (size_t i = 0; i < 2 * size; i++)
        shown[i] = (real)scores[i];
    snprintf(name, sizeof name, "scores = %.4g q_%d k_%d'", c->scale, number,
             number);
    show(t, name, matrix(shown, n, keys, keys), true);
    show(t, "weights = softmax(scores), each row sums to 1",
         matrix(shown + size, n, keys, keys), true);
    free(scores);
    free(shown);
    show_node(t, c->out, head, "head_%d = weights v_%d", number, number);
}

/* What the first block reads: before its LayerNorm, where there is one. */
static const Node *
embedded(const Trace *t)
{
    const Node *x = t->pass->recording.place[0].x;
    return t->model->config.norm ? x->in[0] : x;
}

/* A head whose softmax was taken alone. */
static void
show_step(const Trace *t, const Call *c, int head, int number)
{
    printf("\n--- head %d, its softmax taken step by step\n", number);
    show_node(t, c->out, head, "weights, each row sums to 1");
}

static void
show_place(const Trace *t, const Options *o, int place)
{
    const Recording *r = &t->pass->recording;
    const Place *p = &r->place[place];
    int heads = recording_heads(r, place);
    printf("\n=== %s: %s\n", t->model->place[place].name,
           place_variant(t->model, place)->equation);
    if (t->model->config.norm)
        show_node(t, p->x, 0, "LayerNorm(x)");
    int shown = o->trace.head > 0 ? o->trace.head : 1, own;
    if (shown <= heads) {
        const Call *c = recording_head(r, place, shown - 1, &own);
        if (c->q)
            show_head(t, c, own, shown);
        else
            show_step(t, c, own, shown);
    }
    if (heads > 1 && o->trace.head == 0)
        printf(heads == 2 ? "\n(head 2 likewise: --head 2)\n"
                          : "\n(heads 2 to %d likewise: --head N)\n",
               heads);
    const Weight *maps[MOST_MAPS];
    if (p->calls == 1 && maps_of(t->model, p->out, maps) == 1 &&
        p->out->in[0]->root == r->call[p->first].out->root)
        show_node(t, p->out, 0, "output = [head_1 ... head_%d] %s", heads,
                  strrchr(maps[0]->name, '.') + 1);
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
        bool token = l->cols == t->model->sizes.vocabulary;
        token_label(&t->data, best, label);
        print_left(t->words.word[i], 12);
        printf("  -> %s%s (%.2f)\n", token ? "" : "class ", label, 1 / sum);
    }
}

/* A model of fewer tokens than `trained` with its weights. */
static Model *
shortened(const Model *trained, int tokens)
{
    Sizes sizes = trained->sizes;
    if (sizes.source || !trained->places)
        fail("trace follows attention in one sequence, and task %s has %s",
             trained->config.task, sizes.source ? "two" : "no attention");
    if (tokens > sizes.tokens && trained->config.positions != POSITIONS_NONE)
        fail("%d tokens, and the run knows positions of %d: give it fewer",
             tokens, sizes.tokens);
    if (tokens != sizes.tokens && trained->config.embed == EMBED_ONEHOT)
        fail("%d tokens, and the run's one-hot tokens are cut for %d: give it "
             "as many",
             tokens, sizes.tokens);
    sizes.tokens = tokens;
    Model *m = model_new(&trained->config, sizes, trained->variant);
    for (int i = 0; i < m->count; i++)
        memcpy(m->weights[i].value, trained->weights[i].value,
               (size_t)m->weights[i].rows * (size_t)m->weights[i].cols *
                   sizeof(real));
    return m;
}

/* The words of the text as a run's tokens, or numbered as they come. */
static void
open_model(Trace *t, const Options *o)
{
    if (o->rest_count == 2) {
        for (int i = 0; i < setting_count; i++)
            if (o->given[i].count)
                usage("--%s: the run has it already; without RUN an untrained "
                      "model is made",
                      settings[i].name);
        Run r = run_read(o->rest[1]);
        Model *trained = run_model(&r, &t->data);
        t->from_run = true;
        words_number(&t->words, &t->data, r.path);
        t->model = shortened(trained, t->words.count);
        model_free(trained);
        run_free(&r);
        return;
    }
    Config c = config_start();
    config_apply(&c, "d-model=8 heads=2");
    options_apply(o, &c);
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    Sizes z = {.tokens = t->words.count, .each = 1};
    z.vocabulary = z.classes = words_number(&t->words, NULL, NULL);
    t->model = model_new(&c, z, p.variant);
}

static void
run_forward(Trace *t)
{
    t->batch = batch_new(t->model->sizes, 1);
    memcpy(t->batch.all.ids, t->words.id,
           (size_t)(t->words.count * t->model->sizes.each) * sizeof(int));
    t->pass = pass_recorded(t->model, &t->batch, false);
}

static void
show_tokens(const Trace *t, const char *text)
{
    int each = t->model->sizes.each;
    int n = t->words.count, i, at;
    printf("text    %.70s%s\ntokens ", text, strlen(text) > 70 ? ".." : "");
    for (i = at = 0; i < n && at < 64; i++)
        at += printf(" %.24s", t->words.word[i]);
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
    Options o = options_read(argc, argv, TRACE);
    Trace *t = allocate(1, sizeof *t);
    if (o.rest_count < 1 || o.rest_count > 2)
        usage("trace takes a text, in quotes, and maybe a trained run");
    t->words = words_cut(o.rest[0], o.trace.characters);
    open_model(t, &o);
    run_forward(t);
    int heads = recording_heads(&t->pass->recording, 0);
    if (o.trace.head > heads)
        usage("--head %d: there are %d", o.trace.head, heads);
    show_tokens(t, o.rest[0]);
    show_node(t, embedded(t), 0,
              t->model->config.embed == EMBED_ONEHOT
                  ? "x, one-hot: what the token is, and where"
              : t->model->config.positions == POSITIONS_NONE
                  ? "x, the row of the embedding that the id names"
                  : "x, the rows of embedding and positions, added");
    for (int i = 0; i < t->pass->recording.places; i++)
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
    options_free(&o);
    return 0;
}
