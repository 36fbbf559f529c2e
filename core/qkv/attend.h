/* attend.h - the one attention operator, and the same in three steps.

   Scaled dot-product attention, "Attention Is All You Need" (Vaswani et al.
   2017), section 3.2.1, equation 1, for each head i of each sequence:

       out_i = softmax(mask(scale q_i k_i')) v_i

   Shapes: q (tokens x heads*d), k (keys x heads_k*d), v (keys x heads_v*d_v);
   out (tokens x heads*d_v), seen as `heads` heads. How many
   heads q, k, v have, `split` says. heads_k and heads_v divide heads: a head
   of k serves heads/heads_k neighbouring heads of q, likewise v. So plain
   multi-head (all equal), multi-query (heads_k = heads_v = 1), grouped-query
   and one full matrix per head (k = y, one head as wide as the model) are
   the same operator. */
#ifndef QKV_ATTEND_H
#define QKV_ATTEND_H

#include <qkv/tape.h>

/* What a variant is told about the attention that it computes. */
typedef struct Attention {
    int d_model;  /* width of a token */
    int heads;    /* h */
    int d_k;      /* width of a query and of a key, per head */
    int d_v;      /* width of a value, per head */
    int kv_heads; /* heads of k and v where queries share them */
    int latent;   /* width of the middle of two maps */
    int causal;   /* 1: a token sees itself and what came before it */
    struct Recording *recording; /* the core's own */
} Attention;

#pragma GCC visibility push(default)

Node *attend(Attention *a, Node *q, Node *k, Node *v, double scale);

/* The same in steps that one can act between: attend(a, q, k, v, s) equals
   apply_weights(softmax(a, scores(q, k, s)), v). It keeps every step's matrix,
   so it costs more memory. */
Node *scores(Node *q, Node *k, double scale); /* scale q_i k_i', unmasked,
                                    (tokens x heads*keys)                   */
Node *softmax(Attention *a, Node *s);   /* each row of each head to weights
                                    that sum to 1; the masked ones are 0    */
Node *apply_weights(Node *p, Node *v);  /* p_i v_i, (tokens x heads*d_v)    */
Node *mask_zero(Attention *a, Node *s); /* s, 0 where it is masked          */

#pragma GCC visibility pop

#endif
