/* npy.c - matrices in NumPy's format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "npy.h"
#include "words.h"

enum { HEADER = 128 }; /* a multiple of 64, as the format asks */

bool
npy_write_array(const char *path, char kind, size_t size, const void *values,
                size_t count, const char *shape)
{
    char header[HEADER + 1];
    unsigned short one = 1;
    bool little = *(unsigned char *)&one;
    memset(header, ' ', HEADER);
    int n =
        snprintf(header, HEADER,
                 "\x93NUMPY%c%c%c%c{'descr': '%c%c%zu', 'fortran_order': "
                 "False, 'shape': (%.40s), }",
                 1, 0, HEADER - 10, 0, little ? '<' : '>', kind, size, shape);
    header[n] = ' ';
    header[HEADER - 1] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool whole = fwrite(header, HEADER, 1, file) == 1 &&
                 fwrite(values, size, count, file) == count;
    return fclose(file) == 0 && whole;
}

bool
npy_write(const char *path, const real *values, int rows, int cols)
{
    char shape[32];
    snprintf(shape, sizeof shape, "%d, %d", rows, cols);
    return npy_write_array(path, 'f', sizeof(real), values,
                           (size_t)rows * (size_t)cols, shape);
}

/* The text between `key` and the next comma outside brackets, without blanks:
   "'<f4'", "False", "(3,4)". Empty where there is none. */
static void
value_of(const char *header, const char *key, char value[32])
{
    const char *at = strstr(header, key);
    int n = 0, depth = 0;
    for (at = at ? at + strlen(key) : ""; *at && n < 31; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && (*at == ',' || *at == '}'))
            break;
        if (*at != ' ' && *at != ':')
            value[n++] = *at > ' ' && *at < 127 ? *at : '?';
    }
    value[n] = 0;
}

/* Checks the header of `bytes`; returns where the numbers begin. *width: the
   bytes of one. */
static size_t
check_header(const char *path, const char *bytes, size_t size, int rows,
             int cols, int *width)
{
    char header[1024], type[32], order[32], shape[32], wanted[32];
    if (size < 10 || memcmp(bytes, "\x93NUMPY\x01\x00", 8))
        fail("%s: not a NumPy file of version 1.0", path);
    size_t length = (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    if (length >= sizeof header || 10 + length > size)
        fail("%s: cut short, or its header is longer than %zu bytes", path,
             sizeof header);
    memcpy(header, bytes + 10, length);
    header[length] = 0;
    value_of(header, "'descr'", type);
    value_of(header, "'fortran_order'", order);
    value_of(header, "'shape'", shape);
    snprintf(wanted, sizeof wanted, "(%d,%d)", rows, cols);
    if (strcmp(type, "'<f4'") && strcmp(type, "'<f8'"))
        fail("%s: its numbers are %s, not '<f4' or '<f8': save them as such",
             path, type);
    if (strcmp(order, "False"))
        fail("%s: in Fortran order: save it in C order", path);
    if (strcmp(shape, wanted))
        fail("%s: its shape is %s, not %s", path, shape, wanted);
    *width = type[3] - '0';
    return 10 + length;
}

void
npy_read(const char *path, real *values, int rows, int cols)
{
    size_t size, count = (size_t)rows * (size_t)cols;
    char *bytes = read_file(path, "matrix", &size);
    int width;
    size_t from = check_header(path, bytes, size, rows, cols, &width);
    if (size - from != count * (size_t)width)
        fail("%s: %zu bytes of numbers where %d x %d take %zu", path,
             size - from, rows, cols, count * (size_t)width);
    for (size_t i = 0; i < count; i++) {
        float narrow;
        double wide;
        memcpy(width == 4 ? (void *)&narrow : (void *)&wide,
               bytes + from + i * (size_t)width, (size_t)width);
        values[i] = width == 4 ? (real)narrow : (real)wide;
    }
    free(bytes);
}
