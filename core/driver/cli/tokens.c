/* tokens.c - tokens as people read them: words to ids, ids to labels. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/corpus.h"
#include "driver/cli/tokens.h"

/* Bytes of the character that begins there; exits where it is none. */
static int
character_bytes(const char *at)
{
    size_t n = 0;
    if (utf8_next((const unsigned char *)at, strnlen(at, 4), &n) < 0)
        usage("the text is not UTF-8");
    return (int)n;
}

Words
words_cut(const char *text, bool by_character)
{
    Words w = {0};
    int capacity = 0;
    while (*text) {
        int n = character_bytes(text);
        if (!by_character) {
            text += strspn(text, " \t\n");
            n = 0;
            while (text[n] && !strchr(" \t\n", text[n]))
                n += character_bytes(text + n);
        }
        if (!n)
            break;
        w.word = grow(w.word, w.count, &capacity, sizeof *w.word);
        w.word[w.count++] = format_text("%.*s", n, text);
        text += n;
    }
    if (!w.count)
        usage("the text is empty");
    return w;
}

void
words_free(Words *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->word[i]);
    free(w->word);
    free(w->id);
}

/* What each id of a text is; NULL of other data. */
static const int *
codes_of(const Dataset *data)
{
    return data->corpus ? data->corpus->codes : NULL;
}

static int
text_id(const Corpus *t, const char *word, const char *run)
{
    if (word[character_bytes(word)])
        usage("\"%s\": the tokens of %s are characters: add --characters", word,
              run);
    size_t at = 0;
    int code = utf8_next((const unsigned char *)word, strlen(word), &at);
    for (int i = 0; i < t->vocabulary; i++)
        if (t->codes[i] == code)
            return i;
    usage("\"%s\": a character that the text of %s does not have", word, run);
}

/* Up to data->sizes.each numbers joined by +. */
static void
number_ids(const Dataset *data, const char *word, int *ids)
{
    int each = data->sizes.each, count = 0;
    for (int k = 0; k < each; k++)
        ids[k] = -1;
    for (const char *at = word; count < each; at++) {
        char *end;
        long id = strtol(at, &end, 10);
        if (end == at || (*end && *end != '+') || id < 0 ||
            id >= data->sizes.vocabulary)
            break;
        ids[count++] = (int)id;
        at = end;
        if (!*at)
            return;
    }
    usage("\"%s\": the tokens of %s are numbers from 0 to %d%s", word,
          data->task->name, data->sizes.vocabulary - 1,
          each > 1 ? ", or two of them, 3+40" : "");
}

int
words_number(Words *w, const Dataset *data, const char *run)
{
    int each = data ? data->sizes.each : 1, known = 0;
    w->id = allocate((size_t)(w->count * each), sizeof *w->id);
    for (int i = 0; i < w->count; i++)
        if (data && codes_of(data))
            w->id[i] = text_id(data->corpus, w->word[i], run);
        else if (data)
            number_ids(data, w->word[i], w->id + i * each);
        else {
            int first = 0;
            while (strcmp(w->word[first], w->word[i]))
                first++;
            w->id[i] = first < i ? w->id[first] : known++;
        }
    return data ? data->sizes.vocabulary : known;
}

/* A character as UTF-8. */
static void
write_utf8(int code, char *to)
{
    static const int head[] = {0, 0xc0, 0xe0, 0xf0};
    int more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
    *to++ = (char)(head[more] | code >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    *to = 0;
}

void
token_label(const Dataset *data, int id, char label[LABEL_SIZE])
{
    const int *codes = codes_of(data);
    int code = codes ? codes[id] : 0;
    bool bytes = data->config.characters == CHARACTERS_BYTES;
    if (!codes)
        snprintf(label, LABEL_SIZE, "%d", id);
    else if (code == ' ' || code == '\n')
        snprintf(label, LABEL_SIZE, code == ' ' ? "\u2423" : "\u21b5");
    else if ((code < 0x80 && isgraph(code) && code != '"') ||
             (code >= 0xa0 && !bytes))
        write_utf8(code, label);
    else
        snprintf(label, LABEL_SIZE, "\\x%02x", code);
}

/* Bytes of the first `width` characters, their number in *used. */
static int
bytes_of(const char *text, int width, int *used)
{
    int n = 0;
    for (*used = 0; text[n] && *used < width; ++*used)
        do
            n++;
        while (((unsigned char)text[n] & 0xc0) == 0x80);
    return n;
}

void
print_left(const char *text, int width)
{
    int used, n = bytes_of(text, width, &used);
    printf("%.*s%*s", n, text, width - used, "");
}

void
print_right(const char *text, int width)
{
    int used, n = bytes_of(text, width - 1, &used);
    printf("%*s%.*s", width - used, "", n, text);
}
