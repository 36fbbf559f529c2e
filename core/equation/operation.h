/* operation.h - applies the operators of an equation to its values.

   Each function NAME_value returns the value of an operator, such as a product,
   after it has added the steps that compute it. It exits with a message if the
   operands do not suit the operator. */
#ifndef EQUATION_OPERATION_H
#define EQUATION_OPERATION_H

#include "equation/builder.h"

/* Do two steps apply the same operator, with equal scalars? Their operands may
   differ. */
bool same_operator(const Plan *p, const Step *s, const Step *t);

/* Adds a step to the plan, unless the plan has an equal one. Returns the index
   of the step in Plan.step. */
int add_step(Builder *b, Step s);

/* Adds a step of this kind with one operand, as add_step does. With
   add_with_scalar, the step also has a scalar (NULL: none); a message about a
   scalar that is not valid at some size shows `place`, its place in the
   equation. */
int add_unary(Builder *b, StepKind kind, int operand);
int add_with_scalar(Builder *b, StepKind kind, const char *place, int operand,
                    Tree *scalar);

/* The row_source (steps.h) of the step that computes the value. */
char row_source(const Builder *b, Value v);

/* The product of a scale and v. The scale NULL stands for 1. */
Value scaled_value(Builder *b, Value v, Tree *scale);

/* Is left right a product of queries and keys, as x W^Q (y W^K)' is? */
bool makes_scores(Value left, Value right);

/* The scores of queries q and transposed keys k: scale q k. */
Value scores_value(Builder *b, Value q, Value k, Tree *scale);

/* The product left right, if makes_scores is false. */
Value product_value(Builder *b, Value left, Value right);

/* The product of heads and an output map m, such as W_i^O: sum_i left_i m_i.
 */
Value output_map_value(Builder *b, Value left, Value m);

/* The weighted sum of the values v with the attention weights p. */
Value weighted_value(Builder *b, Value p, Value v);

/* left + right if `kind` is STEP_ADD, left . right if it is STEP_ENTRIES. */
Value combined_value(Builder *b, StepKind kind, Value left, Value right);

/* softmax(s, sink), where the sink is 0 or b_i. */
Value softmax_sink_value(Builder *b, Value s, Value sink);

/* mix_heads(a, p), split(a, heads), a[from : end] and [v[0], v[1], ...]. */
Value mixed_value(Builder *b, Value a, Value p);
Value split_value(Builder *b, Value a, Tree *heads);
Value columns_value(Builder *b, Value a, Tree *from, Tree *end);
Value joined_value(Builder *b, const Value *v, int count, const char *place);

#endif
