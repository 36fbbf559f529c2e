/* attend.h - attention as one operator, and as three separate steps.

   Scaled dot-product attention, "Attention Is All You Need" (Vaswani et al.
   2017), section 3.2.1, equation 1, for each head i of each sequence:

       out_i = softmax(mask(scale q_i k_i')) v_i

   Shapes: q (tokens x heads*d), k (keys x heads_k*d), v (keys x heads_v*d_v);
   out (tokens x heads*d_v), which has `heads` heads. `split` sets the number
   of heads of q, k and v. heads_k and heads_v must divide heads: one head of k
   serves heads/heads_k neighbouring heads of q, and v works the same way. So
   multi-head attention (all equal), multi-query (heads_k = heads_v = 1),
   grouped-query, and one full matrix per head (k = y, a single head as wide as
   the model) are all this one operator. */
#ifndef QKV_ATTEND_H
#define QKV_ATTEND_H

#include <qkv/tape.h>

/* The description of the attention that a variant computes. */
typedef struct Attention {
    int d_model;  /* width of a token */
    int heads;    /* number of heads, h */
    int d_k;      /* width of a query and of a key, per head */
    int d_v;      /* width of a value, per head */
    int kv_heads; /* number of heads of k and v, if several heads of q share
                     each */
    int latent;   /* width of the narrow matrix between two maps */
    int causal;   /* 1: a token sees only itself and earlier tokens */
    int layer;    /* index of this block, from 0 */
    int layers;   /* number of blocks */
    int position; /* of the first token of x; 0 except when decoding */
    /* The rest is for the core only. */
    int place;                       /* ENCODER, SELF or CROSS (model.h) */
    int scored;                      /* number of heads scored in this call */
    struct Tape *tape;               /* the tape of x */
    const char *settings;            /* the list that setting() reads */
    const struct Relative *relative; /* positions in the scores, or NULL */
    const struct Variant *variant;   /* whose weights or forward is running */
} Attention;

/* A Bias returns the number that is added to the score of the query at one
   position for the key at another. Token t of x is the query at position
   a->position + t; keys are at positions 0, 1, ..., when decoding too, where x
   holds only the newest tokens. */
typedef double Bias(const Attention *a, int head, int query, int key);

#pragma GCC visibility push(default)

Node *attend(Attention *a, Node *q, Node *k, Node *v, double scale);

/* attend with a fixed bias, as ALiBi and windows need it. For a window of 4
   tokens the bias is
       return abs(query - key) < 4 ? 0 : -INFINITY;
   attend_biased computes the three steps below one by one, so it needs more
   memory. */
Node *attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale,
                    Bias *bias);

/* Rotary position embedding (Su et al. 2021, section 3.2.2, equation 15, in the
   form of equation 34), for q and for k. Columns 2j and 2j + 1 of each head are
   a point in the plane, which is rotated by the angle t base^(-2j / width) for
   the token at position t. The first row is the token at a->position, or at 0
   if n has a row for every token so far. The result has the heads of n. If both
   q and k are rotated, q_t k_s' depends on the positions only through t - s.
   (The code of Llama and Qwen pairs columns j and j + width / 2: the same
   function, with the columns of the weights in a different order.) */
Node *rotate(Attention *a, Node *n, double base);

/* Attention in steps, for variants that act between them: attend(a, q, k, v, s)
   equals apply_weights(a, softmax(a, scores(a, q, k, s)), v). The steps keep
   every intermediate matrix, so they need more memory.

   Scores: scale q_i k_i', unmasked, (tokens x heads*keys). */
Node *scores(Attention *a, Node *q, Node *k, double scale);

/* Adds a bias, a function of head and positions, to the scores; a bias of
   -INFINITY makes the weight 0. (Applied to scale(s, 0), it gives a matrix of
   only the biases, and scores can be multiplied by that.) */
Node *fixed_bias(Attention *a, Node *s, Bias *bias);

/* Turns each row of each head into weights, which are 0 for masked keys. The
   weights of softmax sum to 1. A sink is one more score in the denominator,
   without a value, so the weights of softmax_sink sum to less. `sink` (1 x
   heads) has a score for each head, which gpt-oss learns; NULL means 0, the
   "softmax off by one" of Miller 2023. */
Node *softmax(Attention *a, Node *s);
Node *softmax_sink(Attention *a, Node *s, Node *sink);

/* p_i v_i, (tokens x heads*d_v). */
Node *apply_weights(Attention *a, Node *p, Node *v);

/* Turns scores into weights for apply_weights without a softmax: masked scores
   become 0, and the others stay as they are. If all scores are 1, apply_weights
   returns the running sum of the values. Make such scores with map(), because
   --positions rope or alibi changes the scores of queries and keys. */
Node *mask_zero(Attention *a, Node *s);

/* remember keeps n for later blocks under a slot number of your choice. recall
   returns what block `layer` remembered there in this forward pass, by the
   same kind of attention (cross-attention recalls only what cross-attention
   remembered). A block can recall its own node. */
void remember(Attention *a, int slot, Node *n);
Node *recall(Attention *a, int slot, int layer);

#pragma GCC visibility pop

#endif
