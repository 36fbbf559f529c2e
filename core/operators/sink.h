/* sink.h - softmax with a sink: one more key, which has no value. */
#ifndef SINK_H
#define SINK_H

#include "heart/operators.h"

/* Its arguments are an Attended (heart/attention.h). It has one operand if the
   score of the sink is 0, and two if it is learned. */
extern const Operator softmax_sink_op;

#endif
