/* operation.h - applies the operators of an equation to its values. */
#ifndef EQUATION_OPERATION_H
#define EQUATION_OPERATION_H

#include "equation/builder.h"

enum { NO_STEP = -1 };

/* Adds a step with up to two operands, unless there is one like it already.
   Returns its number. */
int add_step(Builder *b, Act act, const char *at, int first, int second);
int add_weight_step(Builder *b, int weight, const char *at);

/* A step with one operand and a scalar, or NULL. */
int add_number_step(Builder *b, Act act, const char *at, int of, Tree *number);

/* The tokens for which a step has a row each: 'x' or 'y'; 0 if it is computed
   only from matrices. */
char tokens_behind(const Builder *b, int step);

Value scaled(Builder *b, Value v, Tree *scale);

/* left right: a map; or scores, which use up *scale, so that it becomes NULL.
   If `output`, a matrix on the right leads back from the heads. */
Value multiplied(Builder *b, Value left, Value right, bool output,
                 Tree **scale);

/* The weighted sum of v with the weights p. */
Value applied(Builder *b, Value p, Value v);

/* left + right (STEP_ADD), or entry by entry left . right (STEP_ENTRIES). */
Value combined(Builder *b, Act act, Value left, Value right);

/* softmax(s, sink), where the sink is 0, b_i, or NULL. */
Value softmax_value(Builder *b, Value s, const Value *sink);

/* mix_heads(a, p), split(a, n), a[from : end] and [a, b]. */
Value mixed(Builder *b, Value a, Value p);
Value split_value(Builder *b, Value a, Tree *count);
Value columns_value(Builder *b, Value a, Tree *from, Tree *end);
Value joined_values(Builder *b, const Value *v, int count, const char *at);

#endif
