/* published_whole.h - how many parameters of a whole published decoder are
   gauge, by a formula.

   The formula is the one of algebra/whole.h, for families that have "whole" in
   families.tsv: RMSNorm before attention, before the MLP and at the end, no
   bias but those of attention, and a gated MLP, (silu(x W_1) . (x W_2)) W_3.
   Nothing is measured here; tests/in_whole.py does it, with small models. */
#ifndef PUBLISHED_WHOLE_H
#define PUBLISHED_WHOLE_H

/* The parameters of a model, and those that change nothing, by their place:
   heads   within attention (Account.gauge)
   norms   gains, which move into the maps after them
   mlp     a factor of each hidden unit, moved from W_2 to W_3
   basis   rotations of the residual stream
   logits  a number that each direction of the stream adds to all logits
   If the unembedding is the embedding, the last norm's gain has no map to move
   into: it stays, and keeps the basis and the logits from moving. */
typedef struct PublishedWhole {
    double stored, heads, norms, mlp, basis, logits;
} PublishedWhole;

/* Reads the config.json at `path`. Exits if the family's parts are not known,
   or if a key that they need is missing. */
PublishedWhole published_whole(const char *path);

#endif
