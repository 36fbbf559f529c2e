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

Node *matmul(Node *a, Node *b);      /* A B    (t x m), (m x n) -> (t x n) */
Node *matmul_t(Node *a, Node *b);    /* A B'   (t x m), (n x m) -> (t x n) */
Node *add(Node *a, Node *b);         /* A + B, keeps the heads of A        */
Node *scale(Node *a, double factor); /* factor A, keeps the heads          */
Node *hadamard(Node *a, Node *b);    /* A . B, entry by entry; heads of A   */
Node *tanh_of(Node *a);              /* tanh A, keeps the heads            */
Node *sigmoid(Node *a);              /* 1 / (1 + e^-A), keeps the heads    */
Node *relu(Node *a);                 /* max(A, 0), keeps the heads         */
Node *split(Node *a, int heads);     /* the same matrix, seen as heads     */
Node *columns(Node *a, int from, int count); /* A[:, from : from + count]   */
Node *concat(Node *const *a, int count);     /* [A_1 A_2 ...], side by side */
Node *cached(Node *a); /* A itself; says that a decoder keeps it of each token,
                          and makes from it the keys and values of attend   */

#pragma GCC visibility pop

#endif
