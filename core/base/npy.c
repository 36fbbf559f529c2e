/* npy.c - arrays in NumPy's format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/npy.h"
#include "base/words.h"
#include "heart/fail.h"

/* A file begins with MAGIC, whose last two bytes are the format's version, 1.0.
   Two bytes with the length of the header follow: the lower one at offset
   LOW_BYTE, the higher one at HIGH_BYTE. The header begins at offset PREFIX,
   and is padded with blanks so that the entries after it begin at a multiple of
   64 bytes. The headers written here have HEADER bytes. */
#define MAGIC "\x93NUMPY\x01\x00"
enum { LOW_BYTE = 8, HIGH_BYTE, PREFIX, HEADER = 2 * 64 - PREFIX };

/* Sets `text` to the header of an array, without its padding. Each entry has
   `width` bytes. */
static void
header_text(char text[HEADER], NpyType type, size_t width, NpyShape shape)
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    const char letter = type == NPY_INTS ? 'i' : 'f';
    const char *third = shape.third ? format_text(", %d", shape.third) : "";
    snprintf(text, HEADER,
             "{'descr': '%c%c%zu', 'fortran_order': False, "
             "'shape': (%d, %d%s), }",
             order, letter, width, shape.first, shape.second, third);
}

void
npy_write(const char *directory, const char *name, NpyType type,
          const void *values, NpyShape shape)
{
    FILE *file = begin_file(directory, name);
    size_t width = type == NPY_INTS ? sizeof(int) : sizeof(real);
    size_t count = (size_t)shape.first * (size_t)shape.second;
    if (shape.third)
        count *= (size_t)shape.third;
    char header[HEADER];
    header_text(header, type, width, shape);
    fwrite(MAGIC, 1, sizeof MAGIC - 1, file);
    /* Writes the header's length in two bytes, the higher of which is 0, then
       the header, padded to that length. */
    fprintf(file, "%c%c%-*s\n", HEADER, 0, HEADER - 1, header);
    fwrite(values, width, count, file);
    end_file(file, directory, name);
}

/* Fails unless the `size` bytes of `file` begin with the header that NumPy
   writes for a matrix of this shape, with entries of type float or double.
   Returns the size of an entry, and sets *begin to the offset of the first. */
static size_t
check_header(const char *path, const char *file, size_t size, int rows,
             int cols, size_t *begin)
{
    const unsigned char *bytes = (const unsigned char *)file;
    const NpyShape shape = {.first = rows, .second = cols};
    char expected[HEADER];
    bool has_prefix = size >= PREFIX && !memcmp(file, MAGIC, sizeof MAGIC - 1);
    *begin = size; /* without a header, there are no entries */
    if (has_prefix)
        *begin = PREFIX + bytes[LOW_BYTE] + 256u * bytes[HIGH_BYTE];
    bool has_entries = *begin < size;
    /* Tries the header for float, then the one for double. */
    for (size_t width = sizeof(float); width <= sizeof(double); width *= 2) {
        header_text(expected, NPY_REALS, width, shape);
        if (has_entries && !strncmp(file + PREFIX, expected, strlen(expected)))
            return width;
    }
    fail("%s: it is not a matrix of %d x %d floats ('<f4' or '<f8', in C "
         "order) as NumPy saves it; remove the run and train it again",
         path, rows, cols);
}

/* The entries of the file are floats or doubles, and are converted to `real`.
 */
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
