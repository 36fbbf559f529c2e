/* caption.c - what is seen in a figure, in words. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "caption.h"
#include "fail.h"
#include "tsv.h"
#include "words.h"

/* The k-th text between single quotes after `key` in the script's line that
   holds it, from 0; to be freed. Empty where there is none. */
static char *
quoted_after(const char *script, const char *key, int k)
{
    const char *end = strstr(script, key), *at = end;
    if (!end)
        return copy_text("");
    for (; k >= 0; k--) {
        at = end + strcspn(end, "'\n");
        if (*at != '\'')
            return copy_text("");
        end = ++at;
        while (*end && (*end != '\'' || end[1] == '\''))
            end += 1 + (*end == '\'');
        if (k > 0)
            end++;
    }
    return format_text("%.*s", (int)(end - at), at);
}

/* Steps that reach the panel's level "unsolved" are those that were not enough.
 */
static void
short_number(const char *cell, double unsolved, char text[33])
{
    double x = strtod(cell, NULL);
    text[0] = '>';
    number_text(x, isinf(unsolved) ? 3 : 10, text + (x >= unsolved));
}

/* Adds to *text, with what stands between. */
static void
append(char **text, const char *between, const char *more)
{
    char *longer = format_text("%s%s%s", *text, **text ? between : "", more);
    free(*text);
    *text = longer;
}

/* "standard from 0.1 to 1", or "standard 1 throughout". */
static char *
curve_text(const char *by, const Table *t, int first, int last, double unsolved)
{
    char a[33], b[33];
    const char *series = table_cell(t, first, 1);
    short_number(table_cell(t, first, 3), unsolved, a);
    short_number(table_cell(t, last, 3), unsolved, b);
    return !strcmp(a, b)
               ? format_text("%s%s%s %s", by, *by ? " " : "", series, a)
               : format_text("%s%s%s from %s to %s", by, *by ? " " : "", series,
                             a, b);
}

/* Do two rows belong to one curve? */
static bool
same_curve(const Table *t, int a, int b)
{
    return !strcmp(table_cell(t, a, 0), table_cell(t, b, 0)) &&
           !strcmp(table_cell(t, a, 1), table_cell(t, b, 1));
}

/* Panel by panel, from the first point of each curve to the last. */
static char *
curves_text(const Table *t, const char *script)
{
    char *text = copy_text(""), *by = quoted_after(script, "by = ", 0);
    for (int first = 0, last; first < t->rows; first = last + 1) {
        for (last = first;
             last + 1 < t->rows && same_curve(t, first, last + 1);)
            last++;
        int panel = atoi(table_cell(t, first, 0));
        bool fresh = first == 0 || strcmp(table_cell(t, first - 1, 0),
                                          table_cell(t, first, 0));
        char *title = quoted_after(script, "array titles[", panel - 1);
        char *label = quoted_after(script, "array ylabels[", panel - 1);
        char *marks = quoted_after(script, "array marks[", panel - 1);
        const char *never = strstr(marks, " unsolved");
        while (never && never > marks && never[-1] != ' ')
            never--;
        char *curve = curve_text(by, t, first, last,
                                 never ? strtod(never, NULL) : INFINITY);
        char *name = format_text("%s: ", *title ? title : label);
        if (fresh)
            append(&text, ". ", name);
        append(&text, fresh ? "" : ", ", curve);
        free(title);
        free(label);
        free(marks);
        free(curve);
        free(name);
    }
    free(by);
    return text;
}

char *
figure_caption(const char *directory, const char *name)
{
    size_t size;
    char *path = format_text("%s/figures/%s.gp", directory, name);
    char *data = format_text("%s/figures/%s.tsv", directory, name);
    char *script = read_file(path, "script of a figure", &size);
    Table t = table_read(data);
    char *text = quoted_after(script, "title = ", 0);
    append(&text, "", ".");
    if (t.rows && !strcmp(t.cells[0], "panel")) {
        char *curves = curves_text(&t, script);
        append(&text, " ", curves);
        append(&text, "", ".");
        free(curves);
    }
    table_free(&t);
    free(script);
    free(path);
    free(data);
    return text;
}
