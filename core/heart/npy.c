/* npy.c - matrices in NumPy's format. */
#include <stdbool.h>
#include <string.h>

#include "heart/npy.h"

enum { HEADER = 128 }; /* a multiple of 64, as the format asks */

void
npy_put(FILE *file, char kind, const void *values, int a, int b, int c)
{
    char header[HEADER + 1], shape[40];
    unsigned short one = 1;
    bool little = *(unsigned char *)&one;
    size_t size = kind == 'i' ? sizeof(int) : sizeof(real);
    size_t count = (size_t)a * (size_t)b * (size_t)(c ? c : 1);
    snprintf(shape, sizeof shape, c ? "%d, %d, %d" : "%d, %d", a, b, c);
    memset(header, ' ', HEADER);
    int n =
        snprintf(header, HEADER,
                 "\x93NUMPY%c%c%c%c{'descr': '%c%c%zu', 'fortran_order': "
                 "False, 'shape': (%s), }",
                 1, 0, HEADER - 10, 0, little ? '<' : '>', kind, size, shape);
    header[n] = ' ';
    header[HEADER - 1] = '\n';
    fwrite(header, HEADER, 1, file);
    fwrite(values, size, count, file);
}
