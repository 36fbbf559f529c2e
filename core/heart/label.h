/* label.h - what messages call a matrix: by its name, if it has one. */
#ifndef LABEL_H
#define LABEL_H

#include <qkv/operator.h>

/* Names a leaf; the name must last as long. */
void name_leaf(Node *n, const char *name);

/* "(32 x 64)"; of a named leaf, or one that is split, "W^Q (32 x 64)". */
typedef struct Label {
    char text[80];
} Label;
Label label(const Node *n);

#endif
