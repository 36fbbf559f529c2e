/* npy.c - arrays in NumPy's format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/npy.h"
#include "base/words.h"
#include "heart/fail.h"

/* A file begins with MAGIC, which ends in the format's version, 1 and 0. Two
   bytes with the length of the header follow, the lower one first. MAGIC and
   the length take PREFIX bytes. The header and the entries follow. The header
   is padded with blanks, so that the entries begin at a multiple of 64 bytes.
 */
#define MAGIC "\x93NUMPY\x01\x00"
enum { PREFIX = 10, HEADER = 2 * 64 - PREFIX };

/* Sets `text` to the header of an array, without its padding. Each entry has
   `width` bytes, and `kind` is 'f' for floating point or 'i' for integers.
   There are two or three dimensions. */
static void
header_text(char text[HEADER], char kind, size_t width, int dimensions,
            const int *shape)
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char sizes[40]; /* holds three ints with ", " between them */
    int n = snprintf(sizes, sizeof sizes, "%d, %d", shape[0], shape[1]);
    if (dimensions == 3)
        snprintf(sizes + n, sizeof sizes - (size_t)n, ", %d", shape[2]);
    snprintf(text, HEADER,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
             order, kind, width, sizes);
}

void
npy_write(const char *directory, const char *name, char kind,
          const void *values, int dimensions, const int *shape)
{
    FILE *file = begin_file(directory, name);
    size_t width = kind == 'i' ? sizeof(int) : sizeof(real), count = 1;
    char header[HEADER];
    for (int i = 0; i < dimensions; i++)
        count *= (size_t)shape[i];
    header_text(header, kind, width, dimensions, shape);
    fwrite(MAGIC, 1, sizeof MAGIC - 1, file);
    /* Writes the length in two bytes, then the header padded to that length. */
    fprintf(file, "%c%c%-*s\n", HEADER, 0, HEADER - 1, header);
    fwrite(values, width, count, file);
    end_file(file, directory, name);
}

/* Fails unless the `size` bytes of `file` begin with the header that NumPy
   writes for a matrix of this shape, with entries of 4 or 8 bytes. Returns that
   number of bytes, and sets *begin to the offset of the first entry. */
static size_t
check_header(const char *path, const char *file, size_t size, int rows,
             int cols, size_t *begin)
{
    const unsigned char *bytes = (const unsigned char *)file;
    const int shape[] = {rows, cols};
    char expected[HEADER];
    bool has_prefix = size >= PREFIX && !memcmp(file, MAGIC, sizeof MAGIC - 1);
    *begin = has_prefix ? PREFIX + bytes[8] + 256u * bytes[9] : size;
    bool has_entries = *begin < size;
    for (size_t width = 4; width <= 8; width += 4) {
        header_text(expected, 'f', width, 2, shape);
        if (has_entries && !strncmp(file + PREFIX, expected, strlen(expected)))
            return width;
    }
    fail("%s: it is not a matrix of %d x %d floats ('<f4' or '<f8', in C "
         "order) as NumPy saves it; remove the run and train it again",
         path, rows, cols);
}

/* Converts each entry, a float or a double, to `real`. */
void
npy_read(const char *path, real *values, int rows, int cols)
{
    size_t size, begin, count = (size_t)rows * (size_t)cols;
    char *file = read_file(path, "matrix", &size);
    size_t width = check_header(path, file, size, rows, cols, &begin);
    if (size - begin != count * width)
        fail("%s: %d x %d numbers take %zu bytes, but %zu follow the header; "
             "remove the run and train it again",
             path, rows, cols, count * width, size - begin);
    for (size_t i = 0; i < count; i++) {
        const char *entry = file + begin + i * width;
        float narrow;
        double wide;
        if (width == sizeof narrow) {
            memcpy(&narrow, entry, sizeof narrow);
            values[i] = (real)narrow;
        } else {
            memcpy(&wide, entry, sizeof wide);
            values[i] = (real)wide;
        }
        if (!isfinite(values[i]))
            fail("%s: it has infinite or NaN values, so the run probably "
                 "diverged; train it again with a smaller lr",
                 path);
    }
    free(file);
}
