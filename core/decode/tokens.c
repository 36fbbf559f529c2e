/* tokens.c - tokens as people write and read them: texts become ids, and ids
   become labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/tokens.h"
#include "tasks/corpus.h"

/* The most bytes of a label, with its 0, and of a character in a label, which
   is in UTF-8 or written as \xHH. */
enum { LABEL = 24, CHARACTER = 4 };

const char *
token_name(const Dataset *data, int id)
{
    char number[LABEL];
    snprintf(number, sizeof number, "%d", id);
    return interned(data->corpus ? data->corpus->names.text[id] : number);
}

/* The label of a token's name: as many of its characters as fit. If the name
   has control characters, its bytes are written as \xHH. So are those of a name
   with a quotation mark, which would join columns in the data of a figure. */
static const char *
label_of(const char *name)
{
    char label[LABEL] = "";
    size_t size = strlen(name), n = 0; /* n bytes of the label are used */
    if (!strcmp(name, " "))
        return "\u2423"; /* an open box, the sign for a space */
    if (!strcmp(name, "\n"))
        return "\u21b5"; /* the arrow of a return key */
    bool printable = is_text(name) && !strchr(name, '"');
    if (printable) {
        while (n < size && n < LABEL - CHARACTER)
            utf8_next((const unsigned char *)name, size, &n); /* n advances */
        snprintf(label, LABEL, "%.*s", (int)n, name);
    } else
        for (; *name && n < LABEL - CHARACTER; name++)
            n += (size_t)sprintf(label + n, "\\x%02x", (unsigned char)*name);
    return interned(label);
}

/* The second id needs no label_of, because only tasks whose tokens are numbers
   have one. */
const char *
token_label(const Dataset *data, const int *ids)
{
    char both[2 * LABEL];
    const char *first = label_of(token_name(data, ids[0]));
    if (data->sizes.each == 1 || ids[1] < 0)
        return first;
    snprintf(both, sizeof both, "%s+%s", first, token_name(data, ids[1]));
    return interned(both);
}

const char *
answer_label(const Dataset *data, int answer)
{
    return label_of(token_name(data, first_answer(data) + answer));
}

enum { NO_ID = -1 };

/* Returns the id whose name *text begins with, and moves *text past the name.
   The name must be followed by a character of `ends` or by the end of the text,
   so that only a whole number or word is found; if `ends` is NULL, anything may
   follow. Exits (2) if there is no such id. */
static int
read_id(const char **text, const Dataset *data, const char *ends,
        const char *run)
{
    int count = data->sizes.vocabulary;
    for (int id = 0; id < count; id++) {
        const char *name = token_name(data, id);
        size_t size = strlen(name);
        bool begins = size > 0 && !strncmp(name, *text, size);
        /* strchr also finds 0, the end of the text. */
        if (begins && (!ends || strchr(ends, (*text)[size]))) {
            *text += size;
            return id;
        }
    }
    usage("\"%s\": no token of %s begins like this; it has %d tokens, from %s "
          "to %s",
          label_of(*text), run, count, label_of(token_name(data, 0)),
          label_of(token_name(data, count - 1)));
}

/* Blanks separate words and numbers, and + the two ids of a token. In a text of
   characters nothing is separated: each blank is a token. */
int *
tokens_read(const char *text, const Dataset *data, const char *run, int *count)
{
    bool separated = !data->corpus || data->corpus->words;
    int each = data->sizes.each;
    const char *blanks = separated ? " \t\n" : "";
    const char *ends = separated ? blanks : NULL; /* of an id, for id_at */
    if (separated && each > 1)
        ends = " \t\n+";
    int *ids = allocate((strlen(text) + 1) * (size_t)each, sizeof *ids);
    if (data->sizes.source)
        usage("%s: its task %s has two sequences; choose a run of another task",
              run, data->task->name);
    text += strspn(text, blanks);
    for (*count = 0; *text; (*count)++) {
        int *token = ids + *count * each; /* its first id */
        token[0] = read_id(&text, data, ends, run);
        for (int k = 1; k < each; k++) {
            token[k] = NO_ID; /* unless it is written: 3+40 */
            if (*text == '+') {
                text++;
                token[k] = read_id(&text, data, ends, run);
            }
        }
        text += strspn(text, blanks);
    }
    if (!*count)
        usage("the text is empty: give at least one token");
    return ids;
}

/* printf counts a width in bytes, but a character may have several bytes. So
   printf gets the width in columns plus the number of all bytes after the first
   of a character. */
void
print_label(const char *label, int width)
{
    const unsigned char *text = (const unsigned char *)label;
    size_t size = strlen(label), end = 0; /* the label is cut there */
    int wide = abs(width), columns = 0;
    for (; end < size && columns < wide - 1; columns++) /* the last is blank */
        utf8_next(text, size, &end); /* moves `end` past one character */
    int bytes = (int)end;
    int padded = wide + bytes - columns;
    /* A negative width aligns left. */
    printf("%*.*s", width < 0 ? -padded : padded, bytes, label);
}
