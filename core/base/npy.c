/* npy.c - matrices in NumPy's format. */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/npy.h"
#include "base/words.h"
#include "heart/fail.h"

enum { HEADER = 118 }; /* with the 10 bytes before it a multiple of 64 */

void
npy_write(const char *directory, const char *name, char kind,
          const void *values, int a, int b, int c)
{
    FILE *file = begin_file(directory, name);
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    size_t size = kind == 'i' ? sizeof(int) : sizeof(real);
    size_t count = (size_t)a * (size_t)b * (size_t)(c ? c : 1);
    char shape[40], what[HEADER];
    snprintf(shape, sizeof shape, c ? "%d, %d, %d" : "%d, %d", a, b, c);
    snprintf(what, sizeof what,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
             order, kind, size, shape);
    fprintf(file, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, HEADER, 0, HEADER - 1, what);
    fwrite(values, size, count, file);
    end_file(file, directory, name);
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

/* Checks the header, behind which the file then is. Returns how many bytes a
   number has. */
static int
check_header(const char *path, FILE *file, int rows, int cols)
{
    char header[1024], type[32], order[32], shape[32], wanted[32];
    unsigned char start[10];
    if (!fread(start, sizeof start, 1, file) ||
        memcmp(start, "\x93NUMPY\x01\x00", 8))
        fail("%s: not a NumPy file of version 1.0", path);
    size_t length = start[8] + 256u * start[9];
    if (length >= sizeof header || !fread(header, length, 1, file))
        fail("%s: cut short, or its header is longer than %zu bytes", path,
             sizeof header);
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
    return type[3] - '0';
}

void
npy_read(const char *path, real *values, int rows, int cols)
{
    size_t size, count = (size_t)rows * (size_t)cols;
    FILE *file = open_file(path, "matrix", O_NOFOLLOW, &size);
    size_t width = (size_t)check_header(path, file, rows, cols);
    size -= (size_t)ftell(file);
    if (size != count * width)
        fail("%s: %zu bytes of numbers where %d x %d take %zu", path, size,
             rows, cols, count * width);
    for (size_t i = 0; values && i < count; i++) {
        float narrow;
        double wide;
        if (!fread(width == 4 ? (void *)&narrow : (void *)&wide, width, 1,
                   file))
            fail("%s: cut short while it was read", path);
        values[i] = width == 4 ? (real)narrow : (real)wide;
        if (!isfinite(values[i]))
            fail("%s: it has numbers that are not finite, as after a training "
                 "that diverged: train the run with a smaller lr",
                 path);
    }
    fclose(file);
}
