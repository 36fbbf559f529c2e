/* tokens.c - tokens as people write and read them: texts become ids, and ids
   become labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/tokens.h"
#include "tasks/corpus.h"

/* Bytes of the longest label, with its 0; and of its longest character, in
   UTF-8 or as \xHH. */
enum { LABEL = 24, CHARACTER = 4 };

const char *
token_name(const Dataset *data, int id)
{
    char number[LABEL];
    snprintf(number, sizeof number, "%d", id);
    return interned(data->corpus ? data->corpus->names.text[id] : number);
}

/* A token's name as it is shown, as many characters of it as fit. A name with a
   quotation mark is shown as bytes, like one with control characters, since the
   mark would join columns of a figure's data. */
static const char *
label_of(const char *name)
{
    char label[LABEL] = "";
    size_t size = strlen(name), n = 0;
    if (!strcmp(name, " "))
        return "\u2423"; /* an open box */
    if (!strcmp(name, "\n"))
        return "\u21b5"; /* the arrow of a return key */
    if (is_text(name) && !strchr(name, '"')) {
        while (n < size && n < LABEL - CHARACTER)
            utf8_next((const unsigned char *)name, size, &n);
        snprintf(label, LABEL, "%.*s", (int)n, name);
    } else
        for (; *name && n < LABEL - CHARACTER; name++)
            n += (size_t)sprintf(label + n, "\\x%02x", (unsigned char)*name);
    return interned(label);
}

/* Only tasks with numbers have a second id, so it needs no label_of. */
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

/* Returns the id whose name the text begins with, or -1. *size becomes the
   number of bytes of the name. If `ends` is not NULL, the name must be followed
   by one of these characters or by the end of the text, so that only a whole
   number or word is found. */
static int
id_at(const Dataset *data, const char *text, const char *ends, size_t *size)
{
    for (int id = 0; id < data->sizes.vocabulary; id++) {
        const char *name = token_name(data, id);
        *size = strlen(name);
        bool begins = *size && !strncmp(name, text, *size);
        /* strchr finds the 0 at the end of the text, too. */
        if (begins && (!ends || strchr(ends, text[*size])))
            return id;
    }
    return -1;
}

/* Reads the id that *text begins with (see id_at), and moves *text past it.
   Exits (2) if there is none. */
static int
read_id(const char **text, const Dataset *data, const char *ends,
        const char *run)
{
    int last = data->sizes.vocabulary - 1;
    size_t size;
    int id = id_at(data, *text, ends, &size);
    if (id < 0)
        usage("\"%s\": no token of %s begins like this; it has %d tokens, from "
              "%s to %s",
              label_of(*text), run, last + 1, label_of(token_name(data, 0)),
              label_of(token_name(data, last)));
    *text += size;
    return id;
}

/* Words and numbers have blanks between them; a character may itself be one. */
int *
tokens_read(const char *text, const Dataset *data, const char *run, int *count)
{
    bool separated = !data->corpus || data->corpus->words;
    int each = data->sizes.each;
    const char *blanks = separated ? " \t\n" : "";
    const char *ends = separated ? blanks : NULL;
    if (separated && each > 1)
        ends = " \t\n+";
    int *ids = allocate((strlen(text) + 1) * (size_t)each, sizeof *ids);
    if (data->sizes.source)
        usage("%s: its task %s has two sequences; choose a run of another task",
              run, data->task->name);
    text += strspn(text, blanks);
    for (*count = 0; *text; ++*count) {
        int *token = ids + *count * each;
        token[0] = read_id(&text, data, ends, run);
        for (int k = 1; k < each; k++) {
            token[k] = -1;
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

/* printf pads to a width in bytes, but a character may have several. */
void
print_label(const char *label, int width)
{
    int wide = abs(width), bytes = 0, columns = 0;
    while (label[bytes] && columns < wide - 1) {
        bytes++;
        while (((unsigned char)label[bytes] & 0xc0) == 0x80)
            bytes++; /* the rest of the same character */
        columns++;
    }
    int padded = wide + bytes - columns;
    printf(width < 0 ? "%-*.*s" : "%*.*s", padded, bytes, label);
}
