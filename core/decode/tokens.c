/* tokens.c - tokens as people write and read them. A prompt becomes ids, and
   ids become labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/tokens.h"
#include "tasks/corpus.h"

/* The most bytes of a label, including the final 0, and of one character in it,
   which is in UTF-8 or written as \xHH. */
enum { LABEL = 24, CHARACTER = 4 };

const char *
token_name(const Dataset *data, int id)
{
    char number[LABEL];
    snprintf(number, sizeof number, "%d", id);
    return interned(data->corpus ? data->corpus->names.text[id] : number);
}

/* As many bytes of a name as fit into a label, each as \xHH. */
static const char *
label_in_bytes(const char *name)
{
    char label[LABEL] = "";
    int used = 0; /* bytes of the label */
    for (; *name && used < LABEL - CHARACTER; name++)
        used += sprintf(label + used, "\\x%02x", (unsigned char)*name);
    return interned(label);
}

/* The label of a token's name: as many of its characters as fit. */
static const char *
label_of(const char *name)
{
    char label[LABEL];
    size_t size = strlen(name), end = 0; /* the label ends before byte `end` */
    if (!strcmp(name, " "))
        return "\u2423"; /* an open box, the sign for a space */
    if (!strcmp(name, "\n"))
        return "\u21b5"; /* the arrow of a return key */
    /* A terminal would obey a control character; in the data of a figure, a
       quotation mark would join columns. */
    if (!is_text(name) || strchr(name, '"'))
        return label_in_bytes(name);
    while (end < size && end < LABEL - CHARACTER)
        utf8_next((const unsigned char *)name, size, &end); /* advances it */
    snprintf(label, sizeof label, "%.*s", (int)end, name);
    return interned(label);
}

/* The second id needs no label_of, because only tasks whose tokens are numbers
   have one. */
const char *
token_label(const Dataset *data, const int *ids)
{
    char both[2 * LABEL];
    const char *first = label_of(token_name(data, ids[0]));
    if (data->sizes.each == 1 || ids[1] == NO_ID)
        return first;
    snprintf(both, sizeof both, "%s+%s", first, token_name(data, ids[1]));
    return interned(both);
}

const char *
answer_label(const Dataset *data, int answer)
{
    return label_of(token_name(data, first_answer(data) + answer));
}

/* Returns the id whose name is at the beginning of *text, and moves *text past
   the name. A character of `ends` or the end of the text must follow the name,
   so that a name is not found in a longer number or word. If `ends` is NULL,
   anything may follow. Exits (2) if there is no such id. */
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
    usage("\"%s\" does not begin with a token of %s, which has %d tokens, from "
          "%s to %s",
          label_of(*text), run, count, label_of(token_name(data, 0)),
          label_of(token_name(data, count - 1)));
}

/* Blanks separate words and numbers, and a + separates the two ids of a token.
   If tokens are characters, nothing separates them: a blank is a token, too. */
int *
tokens_read(const char *text, const Dataset *data, const char *run, int *count)
{
    bool separated = !data->corpus || data->corpus->words;
    int each = data->sizes.each;
    const char *blanks = separated ? " \t\n" : "";
    const char *ends = NULL; /* what can follow an id; NULL: anything */
    if (separated)
        ends = each > 1 ? " \t\n+" : blanks;
    int *ids = allocate((strlen(text) + 1) * (size_t)each, sizeof *ids);
    if (data->sizes.source)
        usage("%s: its task, %s, has two sequences; choose another run", run,
              data->task->name);
    text += strspn(text, blanks);
    for (*count = 0; *text; (*count)++) {
        int *token = ids + *count * each; /* the ids of this token */
        token[0] = read_id(&text, data, ends, run);
        for (int k = 1; k < each; k++) {
            token[k] = NO_ID; /* unless it is written, as in 3+40 */
            if (*text == '+') {
                text++;
                token[k] = read_id(&text, data, ends, run);
            }
        }
        text += strspn(text, blanks);
    }
    if (!*count)
        usage("the text has no token: give at least one");
    return ids;
}

/* printf counts a width in bytes, but a character may have several bytes. So
   the width that printf gets is the number of columns, plus one for each byte
   of the label after the first of its character. */
void
print_label(const char *label, int width)
{
    const unsigned char *text = (const unsigned char *)label;
    size_t size = strlen(label), end = 0; /* the label is cut at `end` */
    int field = abs(width), columns = 0;  /* the columns of the label */
    for (; end < size && columns < field - 1; columns++) /* the last is blank */
        utf8_next(text, size, &end); /* moves `end` past one character */
    int bytes = (int)end;
    int padded = field + bytes - columns;
    /* For printf, too, a negative width aligns left. */
    printf("%*.*s", width < 0 ? -padded : padded, bytes, label);
}
