/* table.c - a table that a command prints: built once, and written for a
   terminal, as TSV, as JSON, in Markdown or in LaTeX. The texts that differ
   between these layouts are in the array `syntax`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "page/table.h"

/* The texts of each layout: `begin` and `end` of a table; `before`, `between`
   and `after` the cells of a row; for an `unknown` number; and the `rule` below
   the heads of the columns. */
static const struct Syntax {
    const char *begin, *before, *between, *after, *unknown, *rule, *end;
} syntax[] = {[ALIGNED] = {"", "", "  ", "\n", "-", "", ""},
              [TSV] = {"", "", "\t", "\n", "NA", "", ""},
              [JSON] = {"[\n", "{", ", ", "}", "null", "", "\n]\n"},
              [MARKDOWN] = {"\n", "| ", " | ", " |\n", "-", "|\n", ""},
              [LATEX] = {"% needs \\usepackage{booktabs,graphicx}\n"
                         "\\begin{table}[tb]\n\\centering\n",
                         "", " & ", " \\\\\n", "--", "\\midrule\n",
                         "\\bottomrule\n\\end{tabular}}\n\\end{table}\n"}};

bool
for_programs(Layout layout)
{
    return layout == TSV || layout == JSON;
}

Cell
cell_words(const char *text)
{
    return (Cell){text ? copy_text(text) : NULL, NAN, NAN, NAN};
}

Cell
cell_number(double value)
{
    return (Cell){NULL, value, NAN, NAN};
}

Cell
cell_interval(Mean m)
{
    return (Cell){NULL, m.mean, m.low, m.high};
}

void
sheet_add_row(Sheet *s, const Cell *cells)
{
    for (int col = 0; col < s->cols; col++) {
        s->cells = grow(s->cells, s->count, &s->capacity, sizeof *s->cells);
        s->cells[s->count++] = cells[col];
    }
}

/* The number x in the column's format, or the layout's text for an unknown
   number if x is not finite. In LaTeX, 2e-05 becomes $2\times10^{-5}$. */
static char *
number_in(const Column *c, double x, Layout layout)
{
    enum { LONGEST = 64 }; /* bytes; a longer text is cut */
    char text[LONGEST];
    if (!isfinite(x))
        return copy_text(syntax[layout].unknown);
    snprintf(text, sizeof text, c->format ? c->format : "%.15g", x);
    if (layout != LATEX)
        return copy_text(text);
    const char *power = strchr(text, 'e'); /* as in 2e-05 */
    if (!power)
        return format_text("$%s$", text);
    return format_text("$%.*s\\times10^{%d}$", (int)(power - text), text,
                       atoi(power + 1));
}

/* Row numbers: the heads of the columns are row 0, and cells begin in row 1. */
enum { HEAD_ROW, FIRST_ROW };

/* The text of a cell or of a column's head, escaped for the layout; words are
   quoted in JSON. */
static char *
text_at(const Sheet *s, int row, int col, Layout layout)
{
    const Column *c = &s->columns[col];
    bool titled = c->title && !for_programs(layout);
    Cell x = cell_words(titled ? c->title : c->name);
    if (row != HEAD_ROW)
        x = s->cells[(row - FIRST_ROW) * s->cols + col];
    if (x.text && layout == JSON)
        return format_text("\"%s\"", escaped(x.text, JSON));
    if (x.text)
        return escaped(x.text, layout);
    char *number = number_in(c, x.value, layout);
    bool has_interval = !isnan(x.low);
    if (for_programs(layout) || !has_interval)
        return number;
    return format_text("%s [%s, %s]", number, number_in(c, x.low, layout),
                       number_in(c, x.high, layout));
}

/* Returns whether those who read the layout, people or programs, see a
   column. People do not see a column in which every cell is unknown, unless the
   table has no rows. */
static bool
is_seen(const Sheet *s, int col, Layout layout)
{
    Readers readers = s->columns[col].readers;
    Readers here = for_programs(layout) ? PROGRAMS : PEOPLE;
    if (readers != EVERYBODY && readers != here)
        return false;
    if (here == PROGRAMS || s->count == 0)
        return true;
    for (int i = col; i < s->count; i += s->cols)
        if (s->cells[i].text || isfinite(s->cells[i].value))
            return true;
    return false;
}

/* How many characters a UTF-8 text has. All bytes of a character except the
   first have the bits 10xxxxxx, so only the other bytes are counted. */
static int
characters_in(const char *text)
{
    int n = 0;
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c & 0xc0) != 0x80)
            n++;
    return n;
}

/* The width of a column on a terminal: the width of its head or of its widest
   cell. */
static int
width_of_column(const Sheet *s, int col)
{
    int widest = 0;
    for (int row = HEAD_ROW; row <= s->count / s->cols; row++) {
        int width = characters_in(text_at(s, row, col, ALIGNED));
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* A column that is shown: its index, and the width to which its cells are
   padded, or 0 if they are not padded. */
typedef struct Shown {
    int col, width;
} Shown;

/* The index of the column with this name. Exits (2) if there is none. */
static int
column_named(const Sheet *s, const char *name)
{
    Values known = {0};
    for (int col = 0; col < s->cols; col++) {
        if (!strcmp(s->columns[col].name, name))
            return col;
        values_add(&known, copy_text(s->columns[col].name));
    }
    usage("--columns: unknown column \"%s\":%s --tsv prints all names in its "
          "first line",
          name, suggestion(name, &known));
}

void
check_columns(const Sheet *s)
{
    Values wanted = s->chosen ? values_split(s->chosen) : (Values){0};
    for (int i = 0; i < wanted.count; i++)
        column_named(s, wanted.text[i]);
}

Sheet
sheet_new(const Column *columns, int cols, const char *label,
          const char *chosen)
{
    Sheet s = {columns, .cols = cols, .label = label, .chosen = chosen};
    check_columns(&s);
    return s;
}

/* The chosen columns, in the order of s->chosen; if it is NULL, all columns
   that the layout's readers see. *count becomes how many there are. */
static Shown *
columns_shown(const Sheet *s, Layout layout, int *count)
{
    Values wanted = s->chosen ? values_split(s->chosen) : (Values){0};
    Shown *shown = allocate((size_t)(s->cols + wanted.count), sizeof *shown);
    *count = 0;
    for (int i = 0; i < wanted.count; i++)
        shown[(*count)++].col = column_named(s, wanted.text[i]);
    for (int col = 0; col < s->cols; col++)
        if (!s->chosen && is_seen(s, col, layout))
            shown[(*count)++].col = col;
    if (layout != ALIGNED) /* width 0: no padding */
        return shown;
    for (int i = 0; i < *count; i++)
        shown[i].width = width_of_column(s, shown[i].col);
    return shown;
}

/* Writes the LaTeX before the heads: the caption, and the beginning of the
   tabular. A tabular that is wider than the page's column is shrunk. */
static void
write_preamble(FILE *to, const Sheet *s, const Shown *shown, int cols)
{
    if (s->note)
        fprintf(to, "\\caption{%s}\n\\label{tab:%s}\n", escaped(s->note, LATEX),
                plain_name(s->label));
    fputs("\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
          "\\resizebox{\\ifdim\\width>\\columnwidth\\columnwidth\\else"
          "\\width\\fi}{!}{%\n\\begin{tabular}{@{}",
          to);
    for (int i = 0; i < cols; i++)
        fputs(s->columns[shown[i].col].words ? "l" : "r", to);
    fputs("@{}}\n\\toprule\n", to);
}

/* Writes a row of cells, or the heads. On a terminal, numbers are padded on the
   left, and words on the right unless they are in the last column. */
static void
write_row(FILE *to, const Sheet *s, int row, const Shown *shown, int cols,
          Layout layout)
{
    fputs(syntax[layout].before, to);
    for (const Shown *c = shown; c < shown + cols; c++) {
        char *text = text_at(s, row, c->col, layout);
        bool last = c == shown + cols - 1, words = s->columns[c->col].words;
        /* printf counts bytes, and some characters have several. */
        int width = c->width + (int)strlen(text) - characters_in(text);
        if (words && last)
            width = 0;
        else if (words)
            width = -width; /* pads on the right */
        if (layout == JSON)
            fprintf(to, "%s: ", text_at(s, HEAD_ROW, c->col, JSON));
        fprintf(to, "%*s%s", width, text,
                last ? syntax[layout].after : syntax[layout].between);
    }
}

/* Writes the line between the heads and the rows of cells, if the layout has
   one. */
static void
write_rule(FILE *to, const Sheet *s, const Shown *shown, int cols,
           Layout layout)
{
    if (layout == MARKDOWN)
        for (int i = 0; i < cols; i++)
            fputs(s->columns[shown[i].col].words ? "|---" : "|--:", to);
    fputs(syntax[layout].rule, to);
}

void
sheet_write(FILE *to, const Sheet *s, Layout layout)
{
    int cols;
    Shown *shown = columns_shown(s, layout, &cols);
    fputs(syntax[layout].begin, to);
    if (layout == LATEX)
        write_preamble(to, s, shown, cols);
    if (layout != JSON) /* a cell of JSON has the name of its column instead */
        write_row(to, s, HEAD_ROW, shown, cols, layout);
    write_rule(to, s, shown, cols, layout);
    for (int row = FIRST_ROW; row <= s->count / s->cols; row++) {
        if (layout == JSON && row > FIRST_ROW)
            fputs(",\n", to);
        write_row(to, s, row, shown, cols, layout);
    }
    fputs(syntax[layout].end, to);
}

void
sheet_print(const Sheet *s, Layout layout)
{
    sheet_write(stdout, s, layout);
    if (s->note && layout != LATEX && !s->chosen)
        words_write(s->note, layout);
}

void
print_wrapped(int column, int indent, const char *text)
{
    while (*text) {
        int length = (int)strlen(text), longest = LINE_WIDTH - indent;
        if (length > longest) { /* the line ends at the last space that fits */
            length = longest;
            while (length > 0 && text[length] != ' ')
                length--;
            if (length == 0) /* none fits: it ends at the first space */
                length = (int)strcspn(text, " ");
        }
        printf("%*s%.*s\n", indent - column, "", length, text);
        text += length;
        if (*text == ' ')
            text++;
        column = 0; /* nothing is printed on the next line yet */
    }
}

void
words_write(const char *text, Layout layout)
{
    if (for_programs(layout))
        return;
    char *safe = escaped(text, layout);
    putchar('\n');
    if (layout == ALIGNED)
        print_paragraph(safe);
    else
        puts(safe);
}
