/* json.c - reads JSON by recursive descent. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "models/json.h"

enum { DEEPEST = 32 };

/* What is read, and how far. The character at the end is a 0. */
typedef struct Reader {
    const char *path;
    char *start, *at, *end;
    JsonValue *value;
    int count, room;
} Reader;

static _Noreturn void
no_json(const Reader *r, const char *what)
{
    fail("%s: no JSON: %s at byte %td of %td; download the file again", r->path,
         what, r->at - r->start, r->end - r->start);
}

static bool
took(Reader *r, char wanted)
{
    while (*r->at && strchr(" \t\r\n", *r->at))
        r->at++;
    bool there = *r->at == wanted;
    r->at += there;
    return there;
}

/* The text whose first quote was read. Its last one becomes a 0. */
static const char *
read_text(Reader *r)
{
    char *text = r->at;
    while (*r->at != '"') {
        r->at += *r->at == '\\' && r->at[1];
        if ((unsigned char)*r->at++ < ' ')
            no_json(r, "a text that does not end in its line");
    }
    *r->at = 0;
    if (!is_text(text))
        no_json(r, "a control character, or no UTF-8, in the text that ends");
    r->at++;
    return text;
}

/* A number, or null, false or true, in the order of JsonKind. */
static void
read_word(Reader *r, JsonValue *v)
{
    static const char names[] = "null false true";
    char word[64], *end;
    size_t n = 0;
    while (n < sizeof word - 1 && (isalnum((unsigned char)r->at[n]) ||
                                   (r->at[n] && strchr("+-.", r->at[n]))))
        n++;
    memcpy(word, r->at, n);
    word[n] = 0;
    int name = index_in(names, word);
    v->kind = name < 0 ? JSON_NUMBER : (JsonKind)name;
    v->number = name < 0 ? strtod(word, &end) : 0;
    if (!n || (name < 0 && (*end || isalpha((unsigned char)*word) ||
                            strpbrk(word, "xXnN"))))
        no_json(r, "no value");
    r->at += n;
}

static int read_value(Reader *r, const char *name, int depth);

/* The members of the list or object whose bracket was read. */
static void
read_members(Reader *r, int list, int depth)
{
    bool object = r->value[list].kind == JSON_OBJECT;
    char close = object ? '}' : ']';
    int last = 0;
    if (took(r, close))
        return;
    do {
        if (object && !took(r, '"'))
            no_json(r, "a member without a name");
        const char *name = object ? read_text(r) : NULL;
        if (object && !took(r, ':'))
            no_json(r, "a name without a colon");
        int member = read_value(r, name, depth + 1);
        if (last)
            r->value[last].next = member - last;
        r->value[list].members++;
        last = member;
    } while (took(r, ','));
    if (!took(r, close))
        no_json(r, "a list that does not go on");
}

/* Returns the place of the value. Values move as others come. */
static int
read_value(Reader *r, const char *name, int depth)
{
    JsonValue v = {.name = name};
    int place = r->count;
    if (depth > DEEPEST)
        no_json(r, "a list within 32 others");
    if (took(r, '{'))
        v.kind = JSON_OBJECT;
    else if (took(r, '['))
        v.kind = JSON_LIST;
    else if (took(r, '"')) {
        v.kind = JSON_TEXT;
        v.text = read_text(r);
    } else
        read_word(r, &v);
    r->value = grow(r->value, r->count++, &r->room, sizeof *r->value);
    r->value[place] = v;
    if (v.kind >= JSON_LIST)
        read_members(r, place, depth);
    return place;
}

JsonValue *
json_read(char *text, size_t size, const char *path)
{
    Reader r = {path, text, text + order_mark(text), text + size, NULL, 0, 0};
    read_value(&r, NULL, 0);
    if (!took(&r, 0) || r.at != r.end + 1)
        no_json(&r, "more behind the end");
    return r.value;
}

const JsonValue *
json_first(const JsonValue *list)
{
    return list->members ? list + 1 : NULL;
}

const JsonValue *
json_next(const JsonValue *member)
{
    return member->next ? member + member->next : NULL;
}

const JsonValue *
json_member(const JsonValue *object, const char *name)
{
    const JsonValue *v =
        object->kind == JSON_OBJECT ? json_first(object) : NULL;
    while (v && strcmp(v->name, name))
        v = json_next(v);
    return v;
}
