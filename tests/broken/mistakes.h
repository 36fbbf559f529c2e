/* mistakes.h - what the mistakes of mistakes.tsv are written with. */
/* A matrix whose head i is `part`, in which H(j) is head j of n. */
#define HEADS(n, count, width, part)                       \
    __extension__({                                        \
        Node *all_ = split(n, 1), *heads_[64];             \
        int width_ = width, h = a->heads, g = a->kv_heads; \
        (void)h, (void)g;                                  \
        for (int i = 0; i < count; i++)                    \
            heads_[i] = part;                              \
        split(concat(heads_, count), count);               \
    })
#define H(j) columns(all_, (j)*width_, width_)
/* A matrix whose column j in each head is column `from` of n's. */
#define COLUMNS(n, width, from)                 \
    __extension__({                             \
        Node *n_ = n, *columns_[64];            \
        for (int j = 0; j < width; j++)         \
            columns_[j] = columns(n_, from, 1); \
        concat(columns_, width);                \
    })
/* The first half of each head, the others, and two halves side by side. */
#define LOW(n, width)  columns(n, 0, (width) / 2)
#define HIGH(n, width) columns(n, (width) / 2, (width) - (width) / 2)
#define JOIN(m, n)     concat((Node *[]){m, n}, 2)
