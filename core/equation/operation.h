/* operation.h - applies the operators of an equation to its values.

   Each function NAME_value applies one operator, such as a product. It adds the
   steps that compute the result to the plan, and returns the result's value. It
   exits with a message if the operands do not suit the operator. */
#ifndef EQUATION_OPERATION_H
#define EQUATION_OPERATION_H

#include "equation/builder.h"

/* Do two steps apply the same operator, with equal scalars, or are they the
   same matrix? Their operands may differ. */
bool same_operator(const Plan *p, const Step *s, const Step *t);

/* Adds a step to the plan, unless the plan has an equal one. Returns the index
   of the step in Plan.step. */
int add_step(Builder *b, Step s);

/* Adds a step of this kind with one operand, as add_step does. add_with_scalar
   also gives the step a scalar, or none if `scalar` is NULL. `place` is the
   scalar's place in the equation, for messages. */
int add_unary(Builder *b, StepKind kind, int operand);
int add_with_scalar(Builder *b, StepKind kind, const char *place, int operand,
                    Tree *scalar);

/* Which tokens the value has a row for: 'x', 'y', or 0 if it is computed from
   matrices only. */
char row_source(const Builder *b, Value v);

/* The product of a scale and v. The scale NULL is 1. */
Value scaled_value(Builder *b, Value v, Tree *scale);

/* Is the product left right one of queries and keys, as x W^Q (y W^K)' is? */
bool makes_scores(Value left, Value right);

/* The scores of queries q and keys k, which are transposed: scale q k. */
Value scores_value(Builder *b, Value q, Value k, Tree *scale);

/* The product left right, which is not one of queries and keys. */
Value product_value(Builder *b, Value left, Value right);

/* The product of the heads `left` and an output map m, such as W_i^O, summed
   over the heads: sum_i left_i m_i. */
Value output_map_value(Builder *b, Value left, Value m);

/* The weighted sum of the values v with the attention weights p. */
Value weighted_value(Builder *b, Value p, Value v);

/* left + right if `kind` is STEP_ADD, left . right if it is STEP_ENTRIES. */
Value combined_value(Builder *b, StepKind kind, Value left, Value right);

/* softmax(s, sink), where the sink is 0 or b_i. */
Value softmax_sink_value(Builder *b, Value s, Value sink);

/* The values of mix_heads(a, p), split(a, heads), a[from : end] and
   [v[0], v[1], ...]. */
Value mixed_value(Builder *b, Value a, Value p);
Value split_value(Builder *b, Value a, Tree *heads);
Value columns_value(Builder *b, Value a, Tree *from, Tree *end);
Value joined_value(Builder *b, const Value *v, int count, const char *place);

#endif
