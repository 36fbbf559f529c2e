/* hostile.c - a plugin that does as standard does, except for C statements at
   one place: -DFORWARD='abort()'. */
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <qkv/variant.h>

#ifndef LOAD
#define LOAD
#endif
#ifndef WEIGHTS
#define WEIGHTS
#endif
#ifndef FORWARD
#define FORWARD
#endif
#ifndef FIT
#define FIT
#endif
#ifndef SETTINGS
#define SETTINGS NULL
#endif

static inline void
recurses(void)
{
    volatile char much[4096];
    much[0] = 1;
    recurses();
    much[1] = much[0];
}

/* In each way that a C program has. */
static inline void
prints(void)
{
    printf("x%d\n", 1);
    puts("x");
    putchar('\n');
    fflush(stdout);
    dprintf(STDOUT_FILENO, "x\n");
}

/* Works for so many seconds of its own time. */
static inline void
works_for(double seconds)
{
    double end = seconds * CLOCKS_PER_SEC + (double)clock();
    while ((double)clock() < end)
        ;
}

/* From here on any system call but exit's ends the process. */
static inline void
only_exits(void)
{
#ifdef __linux__
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog program = {4, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        abort();
#endif
}

__attribute__((constructor)) static void
load(void)
{
    LOAD;
}

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    WEIGHTS;
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    FORWARD;
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    return matmul(attend(a, q, k, v, 1), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    FIT;
    factor_scores(f, 1, matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
    (void)a;
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O",
    .settings = SETTINGS,
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
