/* accounts.h - what the attention of a published model stores, how much of that
   is gauge, and what it costs: by arithmetic, as its layers are known. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include "models/published.h"

/* The attention parameters that all its layers store, and how many of these are
   gauge, by the same rank as `qkv count --real`. */
double stored_parameters(const Published *p);
double gauge_parameters(const Published *p);

/* FLOPs of a token among so many, two for a multiply-add, as `qkv count` counts
   them. */
double token_flops(const Published *p, int tokens);

/* Numbers that a decoder keeps of so many tokens: with the windows of its
   layers, or as if all of them saw all tokens. */
double cached_numbers(const Published *p, int tokens, bool windows);

#endif
