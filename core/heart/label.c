/* label.c - what messages call a matrix. */
#include <stdio.h>

#include "heart/label.h"

/* A leaf has no operator, and so no other arguments. */
void
name_leaf(Node *n, const char *name)
{
    n->arguments = name;
}

Label
label(const Node *n)
{
    const char *name = n->root->in ? NULL : n->root->arguments;
    Label l;
    snprintf(l.text, sizeof l.text, "%.50s%s(%d x %d)", name ? name : "",
             name ? " " : "", n->rows, n->cols);
    return l;
}
