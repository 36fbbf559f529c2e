/* check_tape.c - the tape's memory, and every operator's gradient. */
#include <math.h>
#include <string.h>

#include "gradient.h"
#include "heart/attend_and_norm.h"
#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "suites.h"
#include "training/architectures.h"

#define LEAVES(...) \
    (Leaf[])        \
    {               \
        __VA_ARGS__ \
    }

GRAPH(build_matmul, matmul(x[0], x[1]))
GRAPH(build_matmul_t, matmul_t(x[0], x[1]))

/* One matrix as both operands: two shares of gradient. */
GRAPH(build_square, add(matmul(x[0], x[0]), matmul_t(x[0], x[0])))
GRAPH(build_add_twice, add(add(x[0], x[0]), scale(x[1], -0.3)))
GRAPH(build_squash, tanh_of(x[0]))

/* A gate, and a square: two shares of one gradient. */
GRAPH(build_gate, add(hadamard(x[0], sigmoid(x[1])), hadamard(x[1], x[1])))
GRAPH(build_gelu, gelu(x[0]))

/* Overlapping columns, put side by side with the whole. */
static Node *
build_columns(Node **x, void *more)
{
    (void)more;
    Node *parts[] = {columns(x[0], 0, 3), columns(x[0], 2, 4), x[0], x[1]};
    return concat(parts, 4);
}

/* A split shares its operand's memory: both views add to one gradient. */
GRAPH(build_split, add(scale(split(x[0], 2), 2), tanh_of(split(x[0], 3))))

/* A matrix of two heads of three columns, and what is repeated along it: where
   b is one of `shapes`, once added and once multiplied. */
typedef struct Shape {
    int rows, cols, heads;
} Shape;
static const Shape shapes[] = {{4, 6, 1}, {1, 6, 1}, {1, 6, 2},
                               {1, 3, 1}, {1, 2, 2}, {1, 1, 1},
                               {4, 1, 1}, {4, 2, 2}, {4, 3, 1}};
enum { SHAPES = 9 };

static Node *
build_repeated(Node **x, void *more)
{
    const Shape *s = more;
    Node *a = split(x[0], 2), *b = split(x[1], s->heads);
    return hadamard(add(a, b), b);
}

static double
cube(double x)
{
    return x * x * x;
}

static double
cube_slope(double x)
{
    return 3 * x * x;
}

GRAPH(build_map, hadamard(map(x[0], cube, cube_slope), x[0]))

/* Parts of heads, normed, and put together with one that serves all. */
static Node *
build_each_head(Node **x, void *more)
{
    Node *a = split(x[0], *(int *)more);
    int width = a->cols / a->heads;
    Node *part = columns(a, width - 1, 1), *norm = rms_norm(a, 0.1);
    return concat((Node *[]){norm, x[1], part, norm}, 4);
}

GRAPH(build_mix, mix_heads(split(x[0], *(int *)more), x[1]))

/* A matrix for each token. */
static Node *
build_mix_tokens(Node **x, void *more)
{
    int heads = *(int *)more;
    return mix_heads(split(x[0], heads), split(x[1], heads));
}

GRAPH(build_mix_twice, mix_heads(split(x[0], 3), x[0]))

static Node *
build_rotate(Node **x, void *more)
{
    Attention a = {.position = *(int *)more};
    return add(rotate(&a, split(x[0], 2), 100), rotate(&a, x[0], 1));
}

/* Tokens beside those before them, and one that moves past the end. */
static Node *
build_shift(Node **x, void *more)
{
    int by = *(int *)more;
    Node *a = split(x[0], 2);
    return add(hadamard(a, shift(a, by)), shift(tanh_of(a), by + 1));
}

GRAPH(build_layer_norm, layer_norm(x[0], x[1], x[2]))
GRAPH(build_embed,
      embed(x[0], NULL, (TokenIds){more, .each = 2, .rows = 4, .sequences = 2}))
GRAPH(build_positions,
      embed(x[0], x[1],
            (TokenIds){more, .each = 1, .rows = 6, .sequences = 2, .first = 1}))

static Node *
build_loss(Node **x, void *more)
{
    return cross_entropy(x[0], more, 5); /* of a batch of five */
}

static const Model halves = {.sizes = {.first = -1, .step = 0.5}};
GRAPH(build_error, number_loss(&halves, x[0], more, 5, NULL))

TESTS(gradients, IN_DOUBLE)
{
    check_gradient(build_matmul, NULL, LEAVES({5, 4, 1, 1}, {4, 7, 1, 1}), 2);
    check_gradient(build_matmul, NULL, LEAVES({1, 1, 1, 1}, {1, 1, 1, 1}), 2);
    check_gradient(build_matmul_t, NULL, LEAVES({5, 4, 1, 1}, {7, 4, 1, 1}), 2);
    check_gradient(build_square, NULL, LEAVES({5, 5, 1, 1}), 1);
    check_gradient(build_add_twice, NULL, LEAVES({3, 4, 1, 1}, {3, 4, 1, 1}),
                   2);
    check_gradient(build_squash, NULL, LEAVES({4, 5, 1, 1}), 1);
    check_gradient(build_squash, NULL, LEAVES({4, 5, 1, 5}), 1);
    check_gradient(build_gate, NULL, LEAVES({4, 5, 1, 1}, {4, 5, 1, 1}), 2);
    check_gradient(build_gelu, NULL, LEAVES({4, 5, 1, 2}), 1);
    check_gradient(build_columns, NULL, LEAVES({3, 6, 1, 1}, {3, 1, 1, 1}), 2);
    check_gradient(build_split, NULL, LEAVES({3, 6, 1, 1}), 1);
    for (int i = 0; i < SHAPES; i++)
        check_gradient(
            build_repeated, (void *)&shapes[i],
            LEAVES({4, 6, 2, 1}, {shapes[i].rows, shapes[i].cols, 1, 1}), 2);
    check_gradient(build_repeated, &(Shape){1, 1, 1},
                   LEAVES({1, 2, 1, 1}, {1, 1, 1, 1}), 2);
    check_gradient(build_map, NULL, LEAVES({4, 5, 1, 1}), 1);
    for (int heads = 1; heads <= 3; heads++)
        check_gradient(build_each_head, &heads,
                       LEAVES({4, 6, 1, 1}, {4, 2, 1, 1}), 2);
    check_gradient(build_each_head, &(int){1},
                   LEAVES({1, 1, 1, 1}, {1, 1, 1, 1}), 2);
    check_gradient(build_mix, &(int){2}, LEAVES({5, 6, 1, 1}, {2, 3, 1, 1}), 2);
    check_gradient(build_mix, &(int){1}, LEAVES({1, 1, 1, 1}, {1, 1, 1, 1}), 2);
    for (int heads = 1; heads <= 3; heads++)
        check_gradient(build_mix_tokens, &heads,
                       LEAVES({4, 6, 2, 1}, {4, 12, 1, 1}), 2);
    check_gradient(build_mix_twice, NULL, LEAVES({3, 6, 1, 1}), 1);
    check_gradient(build_rotate, &(int){0}, LEAVES({6, 8, 2, 1}), 1);
    check_gradient(build_rotate, &(int){5}, LEAVES({1, 4, 1, 1}), 1);
    for (int by = 0; by <= 3; by++)
        check_gradient(build_shift, &by, LEAVES({6, 4, 2, 1}), 1);
    check_gradient(build_shift, &(int){1}, LEAVES({1, 2, 1, 1}), 1);
    check_gradient(build_layer_norm, NULL,
                   LEAVES({4, 6, 1, 2}, {1, 6, 1, 1}, {1, 6, 1, 1}), 3);
    check_gradient(build_layer_norm, NULL,
                   LEAVES({2, 33, 1, 1}, {1, 33, 1, 1}, {1, 33, 1, 1}), 3);
    check_gradient(build_positions, (int[]){0, 1, 1, -1, 0, 4},
                   LEAVES({5, 3, 1, 1}, {4, 3, 1, 1}), 2);
    check_gradient(build_embed, (int[]){0, 3, 2, -1, 0, 0, 1, 3},
                   LEAVES({5, 3, 1, 1}), 1);
    check_gradient(build_loss, (int[]){2, -1, 0, 4}, LEAVES({4, 5, 1, 1}), 1);
    check_gradient(build_loss, (int[]){2, 1, 0, 4}, LEAVES({4, 5, 1, 30}), 1);
    check_gradient(build_error, (int[]){2, -1, 0, 4}, LEAVES({4, 1, 1, 3}), 1);
}

/* What an operator says of heads and sequences. */
TEST(heads_and_sequences)
{
    real x[24] = {0};
    Tape *t = tape_new(SHAPES_ONLY);
    Node *a = leaf(t, 4, 6, 2, x, NULL), *h = split(a, 3);
    ck_assert_int_eq(h->heads, 3);
    ck_assert_int_eq(h->sequences, 2);
    ck_assert_int_eq(add(h, a)->heads, 3);
    ck_assert_int_eq(scale(h, 2)->heads, 3);
    ck_assert_int_eq(tanh_of(h)->heads, 3);
    ck_assert_int_eq(sigmoid(hadamard(h, a))->heads, 3);
    ck_assert_int_eq(gelu(h)->heads, 3);
    ck_assert_int_eq(shift(h, 1)->heads, 3);
    ck_assert_int_eq(shift(h, 1)->sequences, 2);
    ck_assert_int_eq(columns(h, 0, 2)->heads, 3);
    ck_assert_int_eq(columns(h, 0, 2)->cols, 6);
    ck_assert_int_eq(columns(h, 0, 2)->sequences, 2);
    ck_assert_int_eq(columns(a, 0, 5)->cols, 5);
    Node *one = leaf(t, 1, 2, UNBATCHED, x, NULL),
         *mix = leaf(t, 3, 5, UNBATCHED, x, NULL);
    ck_assert_int_eq(add(h, one)->heads, 3);
    ck_assert_int_eq(hadamard(h, one)->sequences, 2);
    ck_assert_int_eq(mix_heads(h, mix)->heads, 5);
    ck_assert_int_eq(mix_heads(h, mix)->cols, 10);
    ck_assert_int_eq(mix_heads(h, h)->heads, 2);
    ck_assert_int_eq(mix_heads(h, h)->cols, 4);
    ck_assert_int_eq(rms_norm(h, 0)->heads, 3);
    ck_assert_int_eq(map(h, cube, cube_slope)->heads, 3);
    ck_assert_int_eq(rotate(&(Attention){0}, h, 10)->heads, 3);
    ck_assert_int_eq(concat((Node *[]){h, a}, 2)->heads, 3);
    ck_assert_int_eq(concat((Node *[]){h, a}, 2)->cols, 24);
    tape_free(t);
}

/* What the operators compute at tokens of two heads of two columns. */
TEST(by_hand)
{
    real x[8] = {3, 4, 1, -1, 0, 0, 2, 2}, one[2] = {10, 20};
    real mix[4] = {1, 0, 2, 1};
    Attention a = {.position = 1};
    Tape *t = tape_new(COMPUTE);
    Node *sum = NULL, *norm = NULL, *mixed = NULL, *turned = NULL, *both = NULL;
    Node *n = split(leaf(t, 2, 4, UNBATCHED, x, NULL), 2);
    Node *b = leaf(t, 1, 2, UNBATCHED, one, NULL);
    sum = add(add(n, split(b, 2)), scale(b, 10));
    norm = rms_norm(n, 0);
    mixed = mix_heads(n, leaf(t, 2, 2, UNBATCHED, mix, NULL));
    turned = rotate(&a, n, 1);
    both = concat((Node *[]){n, columns(n, 1, 1)}, 2);

    for (int i = 0; i < 4; i++)
        ck_assert(sum->value[i] == x[i] + one[i / 2] + 10 * one[i % 2]);
    ck_assert_double_eq_tol((double)norm->value[1], 4 / sqrt(12.5), 1e-6);
    ck_assert(mixed->value[0] == 3 + 2 * 1 && mixed->value[2] == 1);
    ck_assert_double_eq_tol((double)turned->value[2], cos(1) + sin(1), 1e-6);
    ck_assert_double_eq_tol((double)turned->value[7], 2 * (sin(2) + cos(2)),
                            1e-6);
    ck_assert(both->cols == 6 && both->value[2] == 4 && both->value[5] == -1);
    tape_free(t);
}

/* Rows move down within their own sequence, and zeros come in above. */
TEST(shifted)
{
    real x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const int before[4][6] = {{0, 1, 2, 3, 4, 5},
                              {-1, 0, 1, -1, 3, 4},
                              {-1, -1, 0, -1, -1, 3},
                              {-1, -1, -1, -1, -1, -1}};
    for (int by = 0; by <= 4; by++) {
        Tape *t = tape_new(COMPUTE);
        Node *c = shift(leaf(t, 6, 2, 2, x, NULL), by);
        for (int i = 0; i < 12; i++) {
            int row = before[by < 3 ? by : 3][i / 2];
            ck_assert(c->value[i] == (row < 0 ? 0 : x[2 * row + i % 2]));
        }
        tape_free(t);
    }
}

/* Data have no gradient, nor has what is made of data alone. */
TEST(only_what_is_trained_has_a_gradient)
{
    real x[4] = {1, 2, 3, 4}, w[4] = {1, 0, 0, 1}, dw[4] = {9, 9, 9, 9};
    for (int purpose = 0; purpose <= SHAPES_ONLY; purpose++) {
        Tape *t = tape_new(purpose);
        Node *a = leaf(t, 2, 2, UNBATCHED, x, NULL);
        Node *b = leaf(t, 2, 2, UNBATCHED, w, dw);
        Node *data = add(a, a), *c = matmul(data, b);
        ck_assert(!data->trained && c->trained);
        backward_projected(c);
        ck_assert(dw[0] != 9 && dw[3] != 9); /* overwritten, not added to */
        tape_free(t);
    }
}

/* x (rows x 16) through two matrices that are multiplied first, and back. At 16
   rows all gradients share the same two pieces of memory. */
static void
go_through(Tape *t, int rows)
{
    static real x[256], w[2][256], dw[2][256];
    Node *both = matmul(leaf(t, 16, 16, UNBATCHED, w[0], dw[0]),
                        leaf(t, 16, 16, UNBATCHED, w[1], dw[1]));
    Node *c = matmul(leaf(t, rows, 16, UNBATCHED, x, NULL), both);
    ck_assert(!c->value == (t->purpose == SHAPES_ONLY));
    backward_projected(tanh_of(c));
}

/* A tape for shapes counts what this step takes, forward and back, and computes
   nothing. (Where a gradient is handed on, as by add, it counts more.) */
TEST(shapes_tell_what_a_step_takes)
{
    size_t entries[2][2];
    for (int purpose = 0; purpose <= SHAPES_ONLY; purpose++)
        for (int less = 0; less < 2; less++) {
            Tape *t = tape_new(purpose);
            for (int step = 0; step < 3; step++) {
                tape_reset(t);
                go_through(t, 16 - less);
            }
            entries[purpose][less] = t->entries;
            tape_free(t);
        }
    ck_assert_uint_eq(entries[0][0], entries[1][0]);
    ck_assert_uint_eq(entries[0][1], entries[1][1]);
    ck_assert(entries[0][1] > entries[0][0]);
}

/* What an earlier, smaller step left does not bound a later one. */
TEST(a_tape_grows)
{
    Tape *t = tape_new(COMPUTE);
    static real x[1 << 16];
    for (int rows = 1; rows <= 1 << 12; rows *= 2) {
        tape_reset(t);
        Node *n = leaf(t, rows, 16, UNBATCHED, x, NULL);
        for (int i = 0; i < 5; i++)
            n = scale(n, 1);
        memset(n->value, 1, size_of(n) * sizeof(real));
    }
    ck_assert(t->bytes >= 5 * sizeof x);
    tape_free(t);
}

/* The gradient of x, which four siblings share, made in the given order. */
static void
gradient_of_siblings(const int *order, real dx[12])
{
    static real w[3][16], dw[3][16], x[12];
    Random r = random_stream(3, "siblings");
    for (int i = 0; i < 48; i++)
        w[i / 16][i % 16] = (real)random_normal(&r);
    for (int i = 0; i < 12; i++)
        x[i] = (real)random_normal(&r);
    Tape *t = tape_new(COMPUTE);
    Node *made[4], *in = leaf(t, 3, 4, UNBATCHED, x, dx);
    for (int i = 0; i < 4; i++) {
        int k = order[i];
        made[k] =
            k == 3
                ? tanh_of(in)
                : split(matmul(in, leaf(t, 4, 4, UNBATCHED, w[k], dw[k])), 2);
    }
    Node *left = add(hadamard(made[0], made[1]), made[2]);
    backward_projected(matmul_t(left, made[3]));
    tape_free(t);
}

/* In whichever order siblings are made, the gradients are the same bits: of a
   call's arguments compilers evaluate the first or the last first. */
TEST(siblings_in_any_order)
{
    Random r = random_stream(5, "siblings");
    int order[4] = {0, 1, 2, 3};
    real wanted[12], dx[12];
    gradient_of_siblings(order, wanted);
    for (int i = 0; i < 100; i++) {
        random_order(&r, order, 4);
        gradient_of_siblings(order, dx);
        ck_assert(!memcmp(dx, wanted, sizeof dx));
    }
}

/* The ways in which operands do not fit: each aborts. */
ABORTS(misuse, 25)
{
    expect_a_message();
    real x[24] = {0};
    Tape *t = tape_new(SHAPES_ONLY), *other = tape_new(SHAPES_ONLY);
    Node *a = leaf(t, 4, 6, 2, x, NULL), *b = leaf(t, 4, 6, UNBATCHED, x, NULL);
    Node *c = leaf(t, 6, 4, 2, x, NULL), *far = leaf(other, 4, 6, 2, x, NULL);
    int nines[4] = {9, 9, 9, 9};
    switch (_i) {
        CASE(0, matmul(a, b));
        CASE(1, matmul(a, c)); /* would mix two sequences */
        CASE(2, matmul_t(b, leaf(t, 3, 5, UNBATCHED, x, NULL)));
        CASE(3, add(b, leaf(t, 6, 4, UNBATCHED, x, NULL)));
        CASE(4, add(a, far));
        CASE(5, split(a, 4));
        CASE(6, split(a, 0));
        CASE(7, columns(a, 3, 4));
        CASE(8, concat((Node *[]){b, leaf(t, 6, 4, UNBATCHED, x, NULL)}, 2));
        CASE(9, matmul(b, b));
        CASE(10,
             cross_entropy(leaf(tape_new(COMPUTE), 4, 6, UNBATCHED, x, NULL),
                           nines, 4));
        CASE(11, hadamard(b, leaf(t, 6, 4, UNBATCHED, x, NULL)));
        CASE(12, gradient(a)); /* of data */
        CASE(13, concat(&b, -1));
        CASE(14, new_node(&(Operator){"none", NULL, NULL}, 0, 4, &b, 1));
        /* a row for each of three heads */
        CASE(15, add(split(b, 3), leaf(t, 3, 2, UNBATCHED, x, NULL)));
        /* two heads where there are three */
        CASE(16, hadamard(split(b, 3),
                          split(leaf(t, 1, 4, UNBATCHED, x, NULL), 2)));
        /* the larger one comes first */
        CASE(17, add(leaf(t, 1, 6, UNBATCHED, x, NULL), b));
        CASE(18, columns(split(b, 3), 1, 2));
        CASE(19, concat((Node *[]){split(b, 3), split(b, 2)}, 2));
        CASE(20, rotate(&(Attention){0}, split(b, 2), 100));
        CASE(21, rotate(&(Attention){0}, b, 0.5));
        CASE(22, mix_heads(split(b, 3), c));
        CASE(23, shift(a, -1));
        CASE(24,
             embed(leaf(tape_new(COMPUTE), 4, 6, UNBATCHED, x, NULL), NULL,
                   (TokenIds){nines, 1, 4, UNBATCHED, 0})); /* no such rows */
    }
}

ABORTS(token_behind_the_last, 2)
{
    expect_a_message();
    real x[8] = {0};
    const int ids[2][2] = {{3, 4}, {3, 3}};
    Node *table = leaf(tape_new(COMPUTE), 4, 2, UNBATCHED, x, NULL);
    embed(table, _i ? table : NULL,
          (TokenIds){ids[_i], 1, 2, UNBATCHED, .first = 3});
}

TEST(loss_of_even_logits_is_log_classes)
{
    real x[15] = {0};
    Tape *t = tape_new(COMPUTE);
    Node *logits = leaf(t, 3, 5, UNBATCHED, x, NULL);
    Node *loss = cross_entropy(logits, (int[]){0, -1, 4}, 2);
    ck_assert(loss->value[0] > 1.6094 && loss->value[0] < 1.6095);
    ck_assert_int_eq(counted_rows((int[]){0, -1, 4}, 3), 2);
    ck_assert_int_eq(correct_rows(logits, (int[]){0, -1, 4}), 1); /* a tie */
    x[4] = x[14] = 1; /* the first row is wrong now, the last one right */
    ck_assert_int_eq(correct_rows(logits, (int[]){0, -1, 4}), 1);
    x[1] = x[5] = 1; /* beside a larger one the first of two is the answer */
    ck_assert_int_eq(correct_rows(logits, (int[]){1, 0, 4}), 3);
    ck_assert_int_eq(correct_rows(logits, (int[]){4, 0, 0}), 1);
    x[0] = 1; /* and not the second where the very first is as large */
    ck_assert_int_eq(correct_rows(logits, (int[]){1, 0, 4}), 2);
    tape_reset(t);
    loss = cross_entropy(leaf(t, 3, 5, UNBATCHED, x, NULL), (int[]){-1, -1, -1},
                         0);
    ck_assert(loss->value[0] == 0);
    tape_free(t);
}

/* Answers 0, 2 and 4 stand for -1, 0 and 1; found are -1, 0.5 and 3. */
TEST(errors_of_numbers)
{
    real x[4] = {-1, (real)0.5, 7, 3};
    const int targets[] = {0, 2, -1, 4};
    Tape *t = tape_new(COMPUTE);
    Node *found = leaf(t, 4, 1, UNBATCHED, x, NULL);
    double right = 0;
    Node *loss = number_loss(&halves, found, targets, 3, &right);
    ck_assert_double_eq_tol((double)loss->value[0], (0.25 + 4) / 3, 1e-6);
    ck_assert_double_eq_tol(right, 3 - 0.25 - 4, 1e-12);
    tape_reset(t);
    loss = number_loss(&halves, leaf(t, 4, 1, UNBATCHED, x, NULL),
                       (int[]){-1, -1, -1, -1}, 0, NULL);
    ck_assert(loss->value[0] == 0);
    tape_free(t);
}
