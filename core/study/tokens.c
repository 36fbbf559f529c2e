/* tokens.c - tokens as people read them: words to ids, ids to labels. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "study/tokens.h"
#include "heart/fail.h"

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

static bool
is_pairs(const Dataset *data)
{
    return data->corpus && !data->corpus->codes;
}

/* Exits, naming the character at `at`. */
static _Noreturn void
unknown_code(const Dataset *data, int code, const char *at, int size,
             const char *run)
{
    char shown[LABEL_SIZE] = "";
    bool bytes = data->config.characters == CHARACTERS_BYTES;
    snprintf(shown, sizeof shown, "\"%.*s\", ", size, at);
    usage("%s%s%0*X: %s that the text of %s does not have",
          !bytes && is_text(shown) ? shown : "", bytes ? "0x" : "U+",
          bytes ? 2 : 4, (unsigned)code, bytes ? "a byte" : "a character", run);
}

int *
text_number(const char *text, const Dataset *data, const char *run, int *count)
{
    const Corpus *c = data->corpus;
    bool bytes = data->config.characters == CHARACTERS_BYTES;
    size_t size = strlen(text), at = 0;
    int *ids = allocate(size + 1, sizeof *ids);
    for (*count = 0; at < size; ++*count) {
        const char *from = text + at;
        int id = 0,
            code = bytes ? (unsigned char)text[at++]
                         : utf8_next((const unsigned char *)text, size, &at);
        if (code < 0)
            usage("the prompt is not UTF-8: byte 0x%02x at offset %zu",
                  (unsigned char)text[at], at);
        while (id < c->vocabulary && c->codes[id] != code)
            id++;
        if (id == c->vocabulary)
            unknown_code(data, code, from, (int)(text + at - from), run);
        ids[*count] = id;
    }
    return ids;
}

static int
text_id(const Dataset *data, const char *word, const char *run)
{
    if (word[character_bytes(word)])
        usage("\"%s\": the tokens of %s are characters: add --characters", word,
              run);
    int count, *ids = text_number(word, data, run, &count), id = *ids;
    if (count > 1)
        usage("\"%s\": %d bytes, and the tokens of %s are bytes: give "
              "characters of one byte",
              word, count, run);
    free(ids);
    return id;
}

static int
pairs_id(const Corpus *c, const char *word, const char *run)
{
    for (int i = 0; i < c->inputs.count; i++)
        if (!strcmp(c->inputs.text[i], word))
            return i;
    const char *near = did_you_mean(word, (const char *const *)c->inputs.text,
                                    c->inputs.count);
    usage("\"%s\"%s: a word that the inputs of %s do not have", word, near,
          run);
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
    w->id = allocate((size_t)w->count * each, sizeof *w->id);
    for (int i = 0; i < w->count; i++)
        if (data && codes_of(data))
            w->id[i] = text_id(data, w->word[i], run);
        else if (data && is_pairs(data))
            w->id[i] = pairs_id(data->corpus, w->word[i], run);
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

/* As much of a word as a label can have. */
static void
word_label(const char *word, char label[LABEL_SIZE])
{
    size_t n = strnlen(word, LABEL_SIZE - 1);
    while (word[n] && ((unsigned char)word[n] & 0xc0) == 0x80)
        n--;
    snprintf(label, LABEL_SIZE, "%.*s", (int)n, word);
}

/* What a token of the dataset is called. */
static void
token_label(const Dataset *data, int id, char label[LABEL_SIZE])
{
    const int *codes = codes_of(data);
    int code = codes ? codes[id] : 0;
    bool bytes = data->config.characters == CHARACTERS_BYTES;
    if (is_pairs(data) && id < data->corpus->inputs.count &&
        is_text(data->corpus->inputs.text[id]))
        word_label(data->corpus->inputs.text[id], label);
    else if (!codes)
        snprintf(label, LABEL_SIZE, "%d", id);
    else if (code == ' ' || code == '\n')
        snprintf(label, LABEL_SIZE, code == ' ' ? "\u2423" : "\u21b5");
    else if ((code < 0x80 && isgraph(code) && code != '"') ||
             (code >= 0xa0 && !bytes))
        write_utf8(code, label);
    else
        snprintf(label, LABEL_SIZE, "\\x%02x", code);
}

void
answer_label(const Dataset *data, int answer, char label[LABEL_SIZE])
{
    if (!is_pairs(data))
        token_label(data, first_answer(data) + answer, label);
    else if (is_text(data->corpus->answers.text[answer]))
        word_label(data->corpus->answers.text[answer], label);
    else
        snprintf(label, LABEL_SIZE, "answer %d", answer);
}

char *
token_text(const Dataset *data, const int *ids)
{
    char first[LABEL_SIZE], second[LABEL_SIZE] = "";
    bool two = data->sizes.each > 1 && ids[1] >= 0;
    token_label(data, ids[0], first);
    if (two)
        token_label(data, ids[1], second);
    return format_text("%s%s%s", first, two ? "+" : "", second);
}

void
character_text(const Dataset *data, int id, char text[LABEL_SIZE])
{
    int code = data->corpus->codes[id];
    if (code == ' ' || code == '\n' || code == '\t' || code == '"')
        snprintf(text, LABEL_SIZE, "%c", code);
    else
        token_label(data, id, text);
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
