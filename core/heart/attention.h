/* attention.h - attention as one operator: what its nodes are. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include <stdbool.h>

#include <qkv/operator.h>

/* Did attend make n? */
bool is_attend(const Node *n);

#endif
