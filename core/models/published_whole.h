/* published_whole.h - counts, by a formula, how many parameters of a whole
   published decoder are gauge: they can change without changing its
   predictions.

   The formula is that of algebra/whole.h, for families with "whole" in
   families.tsv. These have RMSNorm before attention, before the MLP and at the
   end, no biases outside attention, and a gated MLP,
   (silu(x W_1) . (x W_2)) W_3. Nothing is measured here; tests/in_whole.py
   measures small models. */
#ifndef PUBLISHED_WHOLE_H
#define PUBLISHED_WHOLE_H

/* `stored` is how many parameters a model has. The others are how many of them
   are gauge:
   - heads: those within attention (Account.gauge)
   - norms: gains, which can be moved into the maps after them
   - mlp: a factor of each hidden unit, which can be moved from W_2 to W_3
   - basis: rotations of the residual stream
   - logits: d_model numbers. Each can be added to a whole row of the
     unembedding, which adds the same number to all logits of a token
   If the unembedding is the embedding, `basis` and `logits` are 0. The gain of
   the last norm cannot be moved into it, so the gain fixes the basis; and what
   is added to the unembedding would change the embedding. */
typedef struct PublishedWhole {
    double stored, heads, norms, mlp, basis, logits;
} PublishedWhole;

/* Reads the config.json at `path`. Exits if the formula does not hold for the
   family, or if a key that it needs is missing. */
PublishedWhole published_whole(const char *path);

#endif
