/* random.h - one generator, many streams.

   A stream is named by a seed and a purpose ("train", "weights embedding"),
   so that what one part draws never shifts what another part gets: the data
   of a seed are the same whatever variant is trained on them. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state[4];
} Random;

/* The FNV-1a hash of `size` bytes, going on from `hash` (start: HASH_START). */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t size);

/* The stream of a seed for a purpose. */
Random random_stream(uint64_t seed, const char *purpose);

/* 64 random bits: xoshiro256++ (Blackman and Vigna 2019). */
uint64_t random_bits(Random *r);

/* A whole number within 0 .. n - 1, each as likely; n >= 1. */
int random_below(Random *r, int n);

/* A number within [0, 1). */
double random_uniform(Random *r);

/* A draw from N(0, 1), by Marsaglia's polar method. */
double random_normal(Random *r);

/* The numbers 0 .. n - 1 in random order (Fisher and Yates). */
void random_order(Random *r, int *order, int n);

#endif
