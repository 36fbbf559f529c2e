/* operation.h - applies the operators of an equation to its values. */
#ifndef EQUATION_OPERATION_H
#define EQUATION_OPERATION_H

#include "equation/builder.h"

enum { NO_STEP = -1 };

/* Do two steps apply the same operator, with the same numbers? Their operands
   may differ. */
bool same_operator(const Plan *p, const Step *s, const Step *t);

/* Adds a step, unless there is one like it already, and returns its number. An
   operand that it does not have is NO_STEP. */
int add_step(Builder *b, Act act, const char *at, int first, int second);
int add_weight_step(Builder *b, int weight, const char *at);

/* The same for a step with one operand and a number, which may be NULL. */
int add_number_step(Builder *b, Act act, const char *at, int of, Tree *number);

/* The tokens for which a step has a row each: 'x' or 'y'; 0 if it is computed
   only from matrices. */
char tokens_behind(const Builder *b, int step);

Value scaled(Builder *b, Value v, Tree *scale);

/* Is left right a product of queries and keys, as x W^Q (y W^K)' is? */
bool makes_scores(Value left, Value right);

/* The scores of queries q and transposed keys k: scale q k. */
Value scored(Builder *b, Value q, Value k, Tree *scale);

/* The value left right, which is not scores. If `output`, a matrix on the right
   leads back from the heads. */
Value multiplied(Builder *b, Value left, Value right, bool output);

/* The weighted sum of v with the weights p. */
Value applied(Builder *b, Value p, Value v);

/* left + right (STEP_ADD), or entry by entry left . right (STEP_ENTRIES). */
Value combined(Builder *b, Act act, Value left, Value right);

/* softmax(s), and softmax(s, sink), where the sink is 0 or b_i. */
Value softmax_value(Builder *b, Value s);
Value softmax_sink_value(Builder *b, Value s, Value sink);

/* mix_heads(a, p), split(a, n), a[from : end] and [a, b]. */
Value mixed(Builder *b, Value a, Value p);
Value split_value(Builder *b, Value a, Tree *count);
Value columns_value(Builder *b, Value a, Tree *from, Tree *end);
Value joined_values(Builder *b, const Value *v, int count, const char *at);

#endif
