/* npy.c - matrices in NumPy's format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/npy.h"
#include "base/words.h"
#include "heart/fail.h"

enum { HEADER = 118 }; /* with the 10 bytes before it a multiple of 64 */

/* What a file says of its numbers: `width` bytes each, real ('f') or int. */
static void
describe(char text[HEADER], char kind, size_t width, int a, int b, int c)
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char shape[40];
    snprintf(shape, sizeof shape, c ? "%d, %d, %d" : "%d, %d", a, b, c);
    snprintf(text, HEADER,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
             order, kind, width, shape);
}

void
npy_write(const char *directory, const char *name, char kind,
          const void *values, int a, int b, int c)
{
    FILE *file = begin_file(directory, name);
    size_t size = kind == 'i' ? sizeof(int) : sizeof(real);
    size_t count = (size_t)a * (size_t)b * (size_t)(c ? c : 1);
    char what[HEADER];
    describe(what, kind, size, a, b, c);
    fprintf(file, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, HEADER, 0, HEADER - 1, what);
    fwrite(values, size, count, file);
    end_file(file, directory, name);
}

/* Checks the header, which is what NumPy too writes. Returns how many bytes a
   number has; the numbers are behind *begin bytes. */
static size_t
check_header(const char *path, const char *file, size_t size, int rows,
             int cols, size_t *begin)
{
    const unsigned char *start = (const unsigned char *)file;
    char wanted[HEADER];
    *begin = size < 10 ? size : 10 + start[8] + 256u * start[9];
    for (size_t width = 4; width <= 8; width += 4) {
        describe(wanted, 'f', width, rows, cols, 0);
        if (*begin < size && !memcmp(file, "\x93NUMPY\x01\x00", 8) &&
            !strncmp(file + 10, wanted, strlen(wanted)))
            return width;
    }
    fail("%s: not a matrix of %d x %d floats ('<f4' or '<f8', in C order) as "
         "NumPy saves it",
         path, rows, cols);
}

void
npy_read(const char *path, real *values, int rows, int cols)
{
    size_t size, begin, count = (size_t)rows * (size_t)cols;
    char *file = read_file(path, "matrix", &size);
    size_t width = check_header(path, file, size, rows, cols, &begin);
    if (size - begin != count * width)
        fail("%s: %zu bytes of numbers where %d x %d take %zu", path,
             size - begin, rows, cols, count * width);
    for (size_t i = 0; i < count; i++) {
        float narrow;
        double wide;
        memcpy(width == 4 ? (void *)&narrow : (void *)&wide,
               file + begin + i * width, width);
        values[i] = width == 4 ? (real)narrow : (real)wide;
        if (!isfinite(values[i]))
            fail("%s: it has numbers that are not finite, as after a training "
                 "that diverged: train the run with a smaller lr",
                 path);
    }
    free(file);
}
