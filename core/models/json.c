/* json.c - reads JSON, member by member. */
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "models/json.h"

static const char blanks[] = " \t\r\n", ends_value[] = ",:]} \t\r\n";

static _Noreturn void
no_json(const char *path, const char *what)
{
    fail("%s: no JSON: %s; download the file again", path, what);
}

/* What is behind the text whose first quote that is. */
static char *
text_end(char *at, const char *path)
{
    do
        at += *at == '\\' && at[1] ? 2 : 1;
    while (*at != '"' && (unsigned char)*at >= ' ');
    if (*at != '"')
        no_json(path, "a text does not end in its line");
    return at + 1;
}

/* What is behind the value at `at`. Of a list only the brackets are counted. */
static char *
value_end(char *at, const char *path)
{
    int depth = 0;
    if (strchr(ends_value, *at))
        no_json(path, "a value is missing");
    do {
        if (!*at)
            no_json(path, "a list does not end");
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at = *at == '"' ? text_end(at, path) : at + 1;
    } while (depth > 0 || !strchr(ends_value, *at));
    return at;
}

/* Takes a value, and returns the sign behind it. */
static char
take(char **at, char **value, const char *path)
{
    char *from = *at + strspn(*at, blanks), *end = value_end(from, path);
    char *next = end + strspn(end, blanks), sign = *next;
    bool quoted = *from == '"', nested = *from == '{' || *from == '[';
    *value = from + quoted;
    end[-quoted] = 0;
    if (!nested && !is_text(*value))
        no_json(path, "a text has a control character, or is no UTF-8");
    *at = next + (sign != 0);
    return sign;
}

char *
json_enter(char *text, const char *path)
{
    text += strspn(text, blanks);
    if (*text != '{' && *text != '[')
        no_json(path, "no list or object is where one should be");
    text += 1 + strspn(text + 1, blanks);
    return strchr("]}", *text) ? strchr(text, 0) : text;
}

bool
json_next(char **at, char **name, char **value, const char *path)
{
    *name = NULL;
    if (!**at)
        return false;
    char sign = take(at, value, path);
    if (sign == ':') {
        *name = *value;
        sign = take(at, value, path);
    }
    if (!sign || !strchr(",]}", sign))
        no_json(path, "a list does not go on");
    if (sign != ',')
        *at = strchr(*value, 0);
    return true;
}
