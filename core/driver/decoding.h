/* decoding.h - what qkv bench decode and qkv bench context measure. */
#ifndef DECODING_H
#define DECODING_H

#include "driver/cli/table.h"

typedef struct Shape {
    const char *name, *settings;
} Shape;

/* Prints how many tokens a second models of these shapes decode, in one
   sequence, 8 and 64, and how near that is to reading weights and cache. */
void decoding_speed(const Options *o, const char *variant, const Shape *shapes,
                    int count);

/* Prints, and draws where there is an o->out, cache and speed of variants, the
   named ones or seven, after 128 to 8192 tokens in a model of that shape. */
void decoding_context(const Options *o, const Values *named,
                      const Shape *shape);

#endif
