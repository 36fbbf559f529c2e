/* program.c - a plugin that is another one under every name: the number in its
   file's name decides which matrices it declares and what its forward computes,
   mostly from operands that fit, now and then from what does not, or from none.
   One in some ends its process, each in another way. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/operator.h>
#include <qkv/variant.h>

static uint64_t state, counter;

/* The number in this file's name: p123.so. */
static void
begin(int part)
{
    Dl_info info;
    const char *name = "p0";
    if (dladdr((const void *)&qkv_variant, &info) && info.dli_fname)
        name = strrchr(info.dli_fname, 'p');
    state = strtoull(name ? name + 1 : "0", NULL, 10) * 4 + (uint64_t)part;
    if (state / 4 % 16 == 15) /* and never the same twice */
        state += counter++ << 40;
}

/* splitmix64 (Steele, Lea and Flood 2014). */
static int
draw(int n)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ z >> 31) % (uint64_t)n);
}

static int
width(const Attention *a)
{
    switch (draw(24)) {
    case 0:
        return draw(2) - 1;
    case 1:
        return 1;
    case 2:
        return 1 << draw(31);
    case 3:
        return a->latent;
    case 4:
    case 5:
        return a->d_k;
    case 6:
    case 7:
        return a->heads * a->d_v;
    case 8:
    case 9:
    case 10:
    case 11:
        return a->heads * a->d_k;
    default:
        return a->d_model;
    }
}

static int
declared(void)
{
    begin(0);
    return 1 + draw(5);
}

static void
weights(Weights *w, const Attention *a)
{
    static const char *const names[] = {"W^Q", "W^K", "W^V", "W^O", "W^1"};
    static const char *const wrong[] = {"",        "W^Q", "a/b", "a b",
                                        "\033[2J", "x'y", "W_Q", "."};
    int count = declared();
    int misfit = !draw(6); /* something is wrong with one in six */
    for (int i = 0; i < count; i++) {
        int odd = misfit && !draw(3);
        const char *name = odd ? wrong[draw(8)] : names[i];
        int index = odd && !draw(3) ? draw(9) - 2 : i;
        if (odd && !draw(4))
            weight_each(w, index, draw(6) - 1, draw(2) ? "V_i" : name, width(a),
                        width(a));
        else if (misfit)
            weight(w, index, name, width(a), width(a));
        else
            weight(w, i, name, a->d_model,
                   draw(3) ? a->d_model : a->heads * a->d_k);
        if (odd && !draw(4))
            initialise(w, draw(9) - 2, draw(2) ? 0 : NAN, draw(2) ? 1 : -1);
    }
}

static volatile int *volatile nowhere;

/* What no plugin should do. */
static void
misbehave(void)
{
    switch (draw(8)) {
    case 0:
        *nowhere = 1;
        break;
    case 1:
        abort();
    case 2:
        exit(0);
    case 3:
        exit(5);
    case 4:
        _exit(0);
    case 5:
        _exit(2);
    case 6:
        raise(SIGTERM);
        break;
    default:
        raise(SIGFPE);
    }
}

enum { MOST = 64 };

static double
far(const Attention *a, int head, int query, int key)
{
    (void)a;
    return key > query + 3 ? -INFINITY : head * 0.5;
}

static int
one_of(const Attention *a, int query, int key)
{
    (void)a;
    return (query + key) % 9 - (query > 20);
}

static Node *
any(Node **nodes, int count)
{
    return nodes[draw(4) ? count - 1 - draw(count < 4 ? count : 4)
                         : draw(count)];
}

/* One step on nodes that are there; NULL where nothing was found that fits. */
static Node *
step(Attention *a, Node **nodes, int count, int careful)
{
    Node *p = any(nodes, count), *q = any(nodes, count), *r = any(nodes, count);
    static const double factors[] = {1, 0.5, -2, 0, 1e300, NAN, INFINITY};
    int heads = a->heads > 0 ? a->heads : 1;
    switch (draw(20)) {
    case 17:
        return draw(8) ? softmax_sink(a, scores(a, p, p, 1), NULL)
                       : softmax_sink(a, p, q);
    case 18:
        remember(a, draw(2), p);
        return recall(a, draw(2), careful ? a->layer : draw(3) - 1);
    case 19:
        return draw(2)   ? fixed_bias(a, scores(a, p, p, 1), far)
               : draw(2) ? score_bias(a, scores(a, p, p, 1), q, one_of)
                         : map(p, exp, draw(8) ? exp : sqrt);
    case 0:
    case 1:
    case 2:
        return careful && p->cols != q->rows ? NULL : matmul(p, q);
    case 3:
        return careful && p->cols != q->cols ? NULL : matmul_t(p, q);
    case 4:
        return careful && (p->rows != q->rows || p->cols != q->cols)
                   ? NULL
                   : add(p, q);
    case 5:
        return careful && (p->rows != q->rows || p->cols != q->cols)
                   ? NULL
                   : hadamard(p, q);
    case 6:
        return scale(p, factors[draw(careful ? 3 : 7)]);
    case 7:
        return tanh_of(p);
    case 8:
        return draw(3)   ? relu(p)
               : draw(2) ? sigmoid(p)
                         : rms_norm(p, draw(2) * 1e-5);
    case 9:
        return careful && p->cols % heads ? NULL : split(p, heads);
    case 10:
        return careful ? columns(p, 0, p->cols / p->heads)
                       : columns(p, draw(9) - 2, draw(20) - 2);
    case 11:
        return careful && (p->rows != q->rows || p->heads != q->heads)
                   ? NULL
                   : concat((Node *[]){p, q}, careful ? 2 : draw(4) - 1);
    case 12:
        return draw(2)   ? cached(p)
               : draw(2) ? mask_zero(a, p)
               : careful && (p->heads != q->rows || p->cols / p->heads % 2)
                   ? NULL
               : draw(2) ? mix_heads(p, q)
                         : rotate(a, p, 1 + draw(3) * 10);
    case 13:
        return careful ? NULL : softmax(a, p);
    case 14:
        return careful ? NULL : apply_weights(a, p, q);
    default:
        return careful && (p->cols / p->heads != q->cols / q->heads ||
                           q->rows != r->rows || p->rows != q->rows ||
                           p->heads % q->heads || p->heads % r->heads)
                   ? NULL
               : draw(3) ? attend(a, p, q, r, 1)
                         : apply_weights(a, softmax(a, scores(a, p, q, 1)), r);
    }
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *nodes[MOST] = {x, y};
    int count = 2, given = declared();
    begin(1);
    int wrong = !draw(6), ends = !draw(12), past = !draw(40);
    for (int i = 0; i < given + past; i++)
        nodes[count++] = w[i];
    for (int tries = 0; tries < 60 && count < MOST / 2 + given; tries++) {
        if (ends && !draw(20))
            misbehave();
        if (wrong && !draw(60))
            return draw(2) ? NULL : nodes[draw(count)];
        Node *made = step(a, nodes, count, !wrong || draw(20));
        if (made)
            nodes[count++] = made;
    }
    for (int i = count - 1; i > 0; i--) /* the last of the shape asked for */
        if (nodes[i]->rows == x->rows && nodes[i]->cols == a->d_model)
            return nodes[i];
    return nodes[count - 1];
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "a random program",
    .shape = "heads kv-heads d-k d-v latent",
    .weights = weights,
    .forward = forward,
};
