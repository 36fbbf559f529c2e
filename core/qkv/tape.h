/* tape.h - the operators, and the matrices they work on.

   Every operator takes nodes and returns a new one. The tape keeps the nodes
   in order, and walks back over them to compute the gradients. A node is a
   matrix with one token per row. It also has a number of sequences (its rows
   are that many sequences of equal length, one after the other: a batch) and a
   number of heads (its columns are that many heads side by side). The result
   of an operator has the sequences of its first operand, and one head unless
   its line says otherwise.

   The tape owns the nodes: you free nothing. If shapes do not fit, the program
   aborts with a message that has both shapes. */
#ifndef QKV_TAPE_H
#define QKV_TAPE_H

#pragma GCC visibility push(default)

typedef struct Node Node;

Node *matmul(Node *a, Node *b);   /* A B    (t x m), (m x n) -> (t x n) */
Node *matmul_t(Node *a, Node *b); /* A B'   (t x m), (n x m) -> (t x n) */

/* Entry by entry; the result has A's heads. B has A's shape, or has only 1 row,
   1 head or 1 column in each head, and is repeated along those axes: a bias or
   gain is (1 x columns), a number per head is split(w, heads) of a w (1 x
   heads), a number per token is (tokens x 1), and a single number is (1 x 1).
 */
Node *add(Node *a, Node *b);      /* A + B */
Node *hadamard(Node *a, Node *b); /* A . B */

/* Entry by entry; the result has A's heads. `map` takes f and its derivative
   f'; with a constant f it makes a matrix of, say, ones. */
Node *scale(Node *a, double factor); /* factor A */
Node *tanh_of(Node *a);              /* tanh A */
Node *sigmoid(Node *a);              /* 1 / (1 + e^-A) */
Node *gelu(Node *a); /* A/2 . (1 + tanh(sqrt(2/pi) (A + 0.044715 A^3))) */
Node *map(Node *a, double (*f)(double), double (*df)(double)); /* f(A) */

/* A_i is head i of A. `columns`, `concat` and `rms_norm` keep the heads; in
   concat, a matrix with one head is used for every head of the others. */
Node *split(Node *a, int heads); /* the same matrix, seen as heads */
Node *columns(Node *a, int from, int count); /* A_i[:, from : from + count] */
Node *concat(Node *const *a, int count);     /* [A_i B_i ...], side by side */
Node *rms_norm(Node *a, double eps); /* A_i / sqrt(mean(A_i . A_i) + eps),
                                        the mean over each row */
Node *mix_heads(Node *a, Node *p);   /* head j is sum_i p_ij A_i; p (heads of
                                        A x heads of the result), or such a
                                        matrix for each token, split into the
                                        heads of A */
Node *shift(Node *a, int by); /* row t is row t - by of its sequence, or 0 if
                                 there is none; by >= 0; keeps the heads. When
                                 decoding, only cached(A) has earlier rows */
Node *cached(Node *a); /* A itself; when decoding, its rows for all tokens so
                          far, which the decoder keeps, as it keeps keys and
                          values */

#pragma GCC visibility pop

#endif
