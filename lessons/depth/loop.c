/* loop.c - what comes back when M goes around a closed loop (lesson 17).

   W_Q and W_K, both (N x K), follow a target T by plain gradient descent on
   |W_Q W_K' - T|^2 / 2. T leaves the product that they start with, goes once
   around a loop and then waits, so M = W_Q W_K' ends where it began. Prints how
   far each matrix is then from its start, in per cent of the start's length:
   going around in so many steps, and in ten times as many.
   cc -std=c11 -O3 -ffp-contract=off loop.c -lm */
#include <math.h>
#include <stdio.h>

enum { N = 5, K = 2, STEPS = 20000 };
static const double rate = 0.02;
static const double pi = 3.14159265358979323846;

typedef struct Pair {
    double q[N][K], k[N][K];
} Pair;

/* A number between -1 and 1, by the generator of Park and Miller (1988). */
static double
random_number(void)
{
    static unsigned long long state = 3;
    state = state * 48271 % 2147483647;
    return 2 * (double)state / 2147483647 - 1;
}

static void
draw(Pair *p)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < K; j++) {
            p->q[i][j] = 1.5 * random_number();
            p->k[i][j] = 1.5 * random_number();
        }
}

static double
product(const Pair *p, int i, int j)
{
    double sum = 0;
    for (int e = 0; e < K; e++)
        sum += p->q[i][e] * p->k[j][e];
    return sum;
}

/* One step: with G = W_Q W_K' - T,  dW_Q = G W_K,  dW_K = G' W_Q. */
static void
descend(Pair *p, const Pair *target)
{
    Pair was = *p;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double g = product(&was, i, j) - product(target, i, j);
            for (int e = 0; e < K; e++) {
                p->q[i][e] -= rate * g * was.k[j][e];
                p->k[j][e] -= rate * g * was.q[i][e];
            }
        }
}

/* Once around in `steps`, and then a quarter as many at the start again. */
static Pair
around(const Pair *start, const Pair *way, int steps)
{
    Pair p = *start;
    for (int step = 0; step < steps + steps / 4; step++) {
        double t = 2 * pi * (step < steps ? step : steps) / steps;
        Pair target = *start;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < K; j++) {
                target.q[i][j] += sin(t) * way->q[i][j];
                target.k[i][j] += (1 - cos(t)) * way->k[i][j];
            }
        descend(&p, &target);
    }
    return p;
}

/* Entry (i, j) of A' B, both (N x K), row after row. */
static double
entry(const double *a, const double *b, int i, int j)
{
    double sum = 0;
    for (int n = 0; n < N; n++)
        sum += a[n * K + i] * b[n * K + j];
    return sum;
}

/* The A for which W_Q is nearest to its start times A: it solves
   Q'Q A = Q'W_Q, with Q the start. Then start becomes (Q A, K A^-T). */
static void
turn(Pair *start, const Pair *end)
{
    double qq[K][K], qw[K][K], a[K][K];
    for (int i = 0; i < K * K; i++) {
        qq[i / K][i % K] = entry(*start->q, *start->q, i / K, i % K);
        qw[i / K][i % K] = entry(*start->q, *end->q, i / K, i % K);
    }
    double size = qq[0][0] * qq[1][1] - qq[0][1] * qq[1][0];
    for (int j = 0; j < K; j++) {
        a[0][j] = (qq[1][1] * qw[0][j] - qq[0][1] * qw[1][j]) / size;
        a[1][j] = (qq[0][0] * qw[1][j] - qq[1][0] * qw[0][j]) / size;
    }
    double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    for (int i = 0; i < N; i++) {
        double q0 = start->q[i][0], q1 = start->q[i][1];
        double k0 = start->k[i][0], k1 = start->k[i][1];
        start->q[i][0] = q0 * a[0][0] + q1 * a[1][0];
        start->q[i][1] = q0 * a[0][1] + q1 * a[1][1];
        start->k[i][0] = (k0 * a[1][1] - k1 * a[0][1]) / det;
        start->k[i][1] = (k1 * a[0][0] - k0 * a[1][0]) / det;
    }
}

/* How far M, W_Q, W_K (which: 'M', 'Q', 'K') and W_Q' W_Q - W_K' W_K ('C') of
   `end` are from those of `start`, in per cent of the latter. */
static double
moved(const Pair *start, const Pair *end, char which)
{
    int rows = which == 'C' ? K : N, cols = which == 'M' ? N : K;
    double change = 0, length = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double value[2] = {0};
            for (int now = 0; now < 2; now++) {
                const Pair *p = now ? end : start;
                if (which == 'M')
                    value[now] = product(p, i, j);
                else if (which == 'C')
                    value[now] =
                        entry(*p->q, *p->q, i, j) - entry(*p->k, *p->k, i, j);
                else
                    value[now] = which == 'Q' ? p->q[i][j] : p->k[i][j];
            }
            change += (value[1] - value[0]) * (value[1] - value[0]);
            length += value[0] * value[0];
        }
    return 100 * sqrt(change / length);
}

static void
print_row(const char *name, const Pair *a, const Pair *b, const Pair *end,
          char which)
{
    printf("%s\t%.3f\t%.3f\n", name, moved(a, &end[0], which),
           moved(b, &end[1], which));
}

int
main(void)
{
    Pair start, way, end[2];
    draw(&start);
    draw(&way);
    Pair turned[2] = {start, start};
    for (int fine = 0; fine < 2; fine++) {
        end[fine] = around(&start, &way, fine ? 10 * STEPS : STEPS);
        turn(&turned[fine], &end[fine]);
    }
    printf("from its start, %%\t%d steps\t%d steps\n", STEPS, 10 * STEPS);
    print_row("M", &start, &start, end, 'M');
    print_row("W_Q' W_Q - W_K' W_K", &start, &start, end, 'C');
    print_row("W_Q", &start, &start, end, 'Q');
    print_row("W_Q, from W_Q A", &turned[0], &turned[1], end, 'Q');
    print_row("W_K, from W_K A^-T", &turned[0], &turned[1], end, 'K');
    return 0;
}
