/* layer.c - finds the four maps of a layer among the tensors of a checkpoint,
   and puts them back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "models/layer.h"

/* The column of a tensor, counted over all that it has, that is column `col` of
   a map. */
static int
column_of(const Heads *l, int projection, int col)
{
    const Family *f = l->model->family;
    const char *const *name = f->tensors;
    int width = l->of[projection].width, before = 0;
    int head = col / width, within = col % width, rotated = l->model->rope;
    if (projection <= KEY && within < rotated)
        within = within / 2 + within % 2 * (rotated / 2);
    for (int i = 0; i < projection && !strcmp(name[i], name[projection]); i++)
        before += f->has & INTERLEAVED ? l->of[i].width : l->of[i].cols;
    int step = f->has & INTERLEAVED && projection != OUTPUT ? 3 * width : width;
    return before + head * step + within;
}

/* The place of an entry of a map in its tensor, whose column that is. Tensors
   are (outputs x inputs) unless the family turns them; and a map of ours has
   d_model rows, which are the outputs of W^O. */
static size_t
place_of(const Heads *l, int projection, int row, int column)
{
    size_t stride = (size_t)l->of[projection].weight->shape[1];
    bool turned = l->model->family->has & TRANSPOSED;
    return turned == (projection == OUTPUT)
               ? (size_t)column * stride + (size_t)row
               : (size_t)row * stride + (size_t)column;
}

/* The tensor of that name in that layer: PREFIX, the pattern with the number in
   place of its #, ".weight" or ".bias". */
static Tensor *
tensor_of(const Checkpoint *c, const char *pattern, int layer, const char *end)
{
    size_t n = strcspn(pattern, "#");
    char *name = format_text("%.*s%d%s.%s", (int)n, pattern, layer,
                             pattern + n + 1, end);
    size_t length = strlen(name);
    Tensor *found = NULL;
    for (Tensor *t = c->tensors; t < c->tensors + c->count; t++) {
        size_t all = strlen(t->name);
        bool is = all >= length && !strcmp(t->name + all - length, name) &&
                  (all == length || t->name[all - length - 1] == '.');
        if (is && (!found || all < strlen(found->name)))
            found = t;
    }
    free(name);
    return found;
}

static void
check_tensor(const Tensor *t, const char *directory, double first,
             double second)
{
    bool fits = t->dimensions == (second ? 2 : 1) && t->shape[0] == first &&
                (!second || t->shape[1] == second);
    if (!fits)
        fail("%s: %.200s is %.0f x %.0f, where config.json makes it %.0f x "
             "%.0f: they are not of one model",
             directory, t->name, t->dimensions ? t->shape[0] : 1,
             t->dimensions > 1 ? t->shape[1] : 0, first, second);
    if (index_in(READABLE, t->type) < 0)
        fail("%s: %.200s is of type %.16s: only " READABLE " can be opened",
             directory, t->name, t->type);
}

static double
read_entry(const Tensor *t, size_t i, const char *directory)
{
    double x = tensor_entry(t, i);
    if (!isfinite(x))
        fail("%s: %.200s has numbers that are not finite: its training "
             "diverged, or the file was damaged",
             directory, t->name);
    return x;
}

/* Finds and reads a map, and its bias. */
static void
read_projection(Heads *l, int i, const Checkpoint *c)
{
    const Published *m = l->model;
    const char *const *names = m->family->tensors;
    Projection *p = &l->of[i];
    int outputs = 0, length = i == OUTPUT ? m->d_model : p->cols;
    p->weight = tensor_of(c, names[i], l->number, "weight");
    p->bias = tensor_of(c, names[i], l->number, "bias");
    if (!p->weight)
        fail("%s: layer %d has no %s.weight: it is not the checkpoint of a %s",
             c->directory, l->number + 1, names[i], m->family->type);
    for (int k = 0; k < 4; k++)
        outputs += strcmp(names[k], names[i]) ? 0 : l->of[k].cols;
    outputs = i == OUTPUT ? m->d_model : outputs;
    int inputs = i == OUTPUT ? p->cols : m->d_model;
    bool turned = m->family->has & TRANSPOSED;
    check_tensor(p->weight, c->directory, turned ? inputs : outputs,
                 turned ? outputs : inputs);
    if (p->bias)
        check_tensor(p->bias, c->directory, outputs, 0);
    if (p->bias && strcmp(p->bias->type, p->weight->type))
        fail("%s: %.200s and its bias are of two types: convert them to one",
             c->directory, p->weight->name);
    if (m->bias[i] != (p->bias != NULL))
        fail("%s: %s of layer %d has %s bias, and config.json says otherwise",
             c->directory, names[i], l->number + 1, p->bias ? "a" : "no");
    p->w = allocate((size_t)m->d_model * (size_t)p->cols, sizeof *p->w);
    p->b = p->bias ? allocate((size_t)length, sizeof *p->b) : NULL;
    for (int col = 0; col < p->cols; col++) {
        int column = column_of(l, i, col);
        for (int row = 0; row < m->d_model; row++)
            p->w[row * p->cols + col] = read_entry(
                p->weight, place_of(l, i, row, column), c->directory);
    }
    for (int col = 0; p->b && col < length; col++)
        p->b[col] = read_entry(
            p->bias, (size_t)(i == OUTPUT ? col : column_of(l, i, col)),
            c->directory);
}

Heads
heads_read(const Checkpoint *c, const Published *p, int layer)
{
    Heads l = {.model = p, .number = layer};
    if (!p->family->tensors[0])
        fail("%s: a %s can be counted (qkv count --config), but not opened",
             c->directory, p->family->type);
    for (int i = 0; i < 4; i++) {
        l.of[i].width = i <= KEY ? p->d_k : p->d_v;
        l.of[i].cols =
            l.of[i].width * (i == KEY || i == VALUE ? p->groups : p->heads);
    }
    for (int i = 0; i < 4; i++)
        read_projection(&l, i, c);
    return l;
}

void
heads_free(Heads *l)
{
    for (int i = 0; i < 4; i++) {
        free(l->of[i].w);
        free(l->of[i].b);
    }
}

void
heads_store(const Heads *l)
{
    for (int i = 0; i < 4; i++) {
        const Projection *p = &l->of[i];
        int length = i == OUTPUT ? l->model->d_model : p->cols;
        if (strcmp(p->weight->type, "F32"))
            fail("%.200s is of type %s, and only F32 is slimmed: in fewer bits "
                 "its digits would be lost; model.float().save_pretrained(DIR) "
                 "makes it so",
                 p->weight->name, p->weight->type);
        for (int col = 0; col < p->cols; col++) {
            int column = column_of(l, i, col);
            for (int row = 0; row < l->model->d_model; row++)
                tensor_set(p->weight, place_of(l, i, row, column),
                           p->w[row * p->cols + col]);
        }
        for (int col = 0; p->b && col < length; col++)
            tensor_set(p->bias,
                       (size_t)(i == OUTPUT ? col : column_of(l, i, col)),
                       p->b[col]);
    }
}
