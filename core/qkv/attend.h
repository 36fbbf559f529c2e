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
    int layer;    /* the block that it is in, from 0, */
    int layers;   /* and how many blocks there are */
    int position; /* of the first token of x; 0 but in decoding */
    /* The core's own. */
    struct Recording *recording;
    struct Tape *tape;    /* of x */
    int place;            /* which attention of its block it is */
    const char *settings; /* what setting() reads */
    int relative;         /* how scores know of positions, if they do */
    int scored;           /* heads that have had their scores */
} Attention;

/* What a query at a position adds to its score of a key at another: a number,
   or a column of a table. Token t of x is a query at a->position + t; keys are
   at 0, 1, ..., in decoding too, where x has the latest tokens alone. */
typedef double Bias(const Attention *a, int head, int query, int key);
typedef int Bucket(const Attention *a, int query, int key);

#pragma GCC visibility push(default)

Node *attend(Attention *a, Node *q, Node *k, Node *v, double scale);

/* attend with a fixed bias (in steps: see below), as ALiBi and windows have:
       return abs(query - key) < 4 ? 0 : -INFINITY; */
Node *attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale,
                    Bias *bias);

/* Rotary position embedding (Su et al. 2021, section 3.2.2, equation 15, in the
   form of equation 34), of q and of k: columns 2j and 2j + 1 of each head of
   the token at position t, as a point in the plane, turned by the angle t
   base^(-2j / width). Rows begin at a->position; at 0, where there is one for
   every token so far. Keeps the heads. Then q_t k_s' depends on positions by
   t - s only. (The code of Llama and Qwen pairs columns j and j + width / 2:
   the same function, of weights whose columns are in another order.) */
Node *rotate(Attention *a, Node *n, double base);

/* The same in steps that one can act between: attend(a, q, k, v, s) equals
   apply_weights(a, softmax(a, scores(a, q, k, s)), v). It keeps every step's
   matrix, so it costs more memory.

   Scores: scale q_i k_i', unmasked, (tokens x heads*keys). */
Node *scores(Attention *a, Node *q, Node *k, double scale);

/* Scores + bias, which is of a head and positions; where it is -INFINITY the
   weight is 0, and costs nothing. (Of scale(s, 0) it makes a matrix of numbers
   by position, to multiply scores with.) Scores + table[head][bucket], for a
   table of weights (heads x buckets), or (1 x buckets) for all heads. */
Node *fixed_bias(Attention *a, Node *s, Bias *bias);
Node *score_bias(Attention *a, Node *s, Node *table, Bucket *bucket);

/* Each row of each head to weights that sum to 1; the masked ones are 0. With
   a sink there is one score more in the sum, that has no value: sink
   (1 x heads), learned in gpt-oss; NULL is a score of 0, the "softmax off by
   one" of Miller 2023. */
Node *softmax(Attention *a, Node *s);
Node *softmax_sink(Attention *a, Node *s, Node *sink);

/* p_i v_i, (tokens x heads*d_v). */
Node *apply_weights(Attention *a, Node *p, Node *v);

/* Scores that go through no softmax, as weights of apply_weights: 0 where they
   are masked. Of scores that are 1 this is a running sum. */
Node *mask_zero(Attention *a, Node *s);

/* Keeps n, under a number of your choice, for the blocks after this one; and
   what block `layer` kept, in this forward pass, at the same place (in
   cross-attention what cross-attention kept). A block can recall its own. */
void remember(Attention *a, int slot, Node *n);
Node *recall(Attention *a, int slot, int layer);

#pragma GCC visibility pop

#endif
