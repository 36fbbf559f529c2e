/* tape.h - matrices that remember how they were made, and the operators.

   Every operator takes nodes and returns a new one; the tape keeps them in
   order, and goes back over them for the gradients. A node is a matrix with
   one token a row. It carries two more facts: its rows are `sequences` of
   equal length laid end to end (a batch), and its columns are `heads` side
   by side. An operator keeps the sequences of its first operand, and its
   result is one head wide unless the line says otherwise.

   Nodes belong to the tape: nothing here is freed by hand. Shapes that do
   not fit abort with both shapes. */
#ifndef QKV_TAPE_H
#define QKV_TAPE_H

#pragma GCC visibility push(default)

typedef struct Node Node;

Node *matmul(Node *a, Node *b);   /* A B    (t x m), (m x n) -> (t x n) */
Node *matmul_t(Node *a, Node *b); /* A B'   (t x m), (n x m) -> (t x n) */

/* Entry by entry; the heads of A. B has A's shape; or its rows, its heads, or
   the columns of a head are 1, and it is repeated along these: a bias or gain
   (1 x columns), a number for each head (split(w, heads), w (1 x heads)), for
   each token (tokens x 1), for all (1 x 1). */
Node *add(Node *a, Node *b);      /* A + B */
Node *hadamard(Node *a, Node *b); /* A . B */

/* Entry by entry; the heads of A. `map` takes f and its derivative f'; a
   constant, as ones, is a map too. */
Node *scale(Node *a, double factor); /* factor A */
Node *tanh_of(Node *a);              /* tanh A */
Node *sigmoid(Node *a);              /* 1 / (1 + e^-A) */
Node *relu(Node *a);                 /* max(A, 0) */
Node *gelu(Node *a); /* A/2 . (1 + tanh(sqrt(2/pi) (A + 0.044715 A^3))) */
Node *map(Node *a, double (*f)(double), double (*df)(double)); /* f(A) */

/* A_i is head i of A. `columns` and the two after it keep the heads; in concat
   a matrix of one head serves every head of the others. */
Node *split(Node *a, int heads); /* the same matrix, seen as heads */
Node *columns(Node *a, int from, int count); /* A_i[:, from : from + count] */
Node *concat(Node *const *a, int count);     /* [A_i B_i ...], side by side */
Node *rms_norm(Node *a, double eps); /* A_i / sqrt(mean(A_i . A_i) + eps),
                                        the mean over each row */
Node *mix_heads(Node *a, Node *p);   /* head j is sum_i p_ij A_i; p (heads of
                                        A x heads of the result), or such a
                                        matrix for each token, split into the
                                        heads of A */
Node *shift(Node *a, int by); /* row t is row t - by of its sequence, or 0 where
                                 there is none; by >= 0; the heads of A. In
                                 decoding only cached(A) has earlier rows */
Node *cached(Node *a); /* A itself. A decoder keeps its rows, and goes on with
                          those of all tokens so far: to keys and values */

#pragma GCC visibility pop

#endif
