/* json.c - reads JSON, member by member. */
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "models/json.h"

static const char blanks[] = " \t\r\n";

/* The end of the value that begins at `at`: the first character that can end a
   value and is neither in quotes nor in brackets. Brackets of both kinds are
   counted together. */
static char *
value_end(char *at)
{
    int depth = 0;
    bool quoted = false;
    for (; *at; at++) {
        if (!quoted && !depth && strchr(",:]} \t\r\n", *at))
            return at;
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && at[1])
            at++; /* an escaped quote ends nothing */
        else if (!quoted && strchr("{[", *at))
            depth++;
        else if (!quoted && strchr("}]", *at))
            depth--;
    }
    return at;
}

char *
json_enter(char *text, const char *path)
{
    char *at = strpbrk(text, "{[");
    if (!at)
        fail("%s: not JSON: it has no list and no object; correct it, or "
             "download the file again",
             path);
    return at + 1 + strspn(at + 1, blanks);
}

/* Cuts the value or name at *at out of the text, by a 0 at its end, and moves
   *at to what follows. Returns the character after it: a comma, a colon, or a
   closing bracket, at which *at stays. A nested list or object is only checked
   when it is entered. */
static char
cut_value(char **at, char **value, const char *path)
{
    char *from = *at + strspn(*at, blanks), *end = value_end(from);
    bool quoted = *from == '"', nested = *from == '{' || *from == '[';
    char *next = end + strspn(end, blanks), sign = *next;
    *at = sign == ',' || sign == ':' ? next + 1 : next;
    *value = quoted ? from + 1 : from;
    if (quoted)
        end[-1] = 0; /* the closing quote */
    else
        *end = 0;
    bool empty = end == from, ends = sign && strchr(",:]}", sign);
    bool last_is_missing = sign == ',' && !next[1];
    bool has_control = !nested && !is_text(*value);
    const char *why = "a value does not end";
    if (empty || last_is_missing)
        why = "a value is missing";
    else if (has_control)
        why = "a value has a control character";
    if (empty || !ends || last_is_missing || has_control)
        fail("%s: it is not JSON: %s; correct it, or download it again", path,
             why);
    return sign;
}

bool
json_next(char **at, char **name, char **value, const char *path)
{
    *value = "";
    if (strchr("]}", **at)) /* or 0, the end of the last value that was cut */
        return false;
    *name = "";
    while (cut_value(at, value, path) == ':')
        *name = *value;
    return true;
}

char *
json_find(const char *text, const char *name, const char *path)
{
    char *at = json_enter(copy_text(text), path), *member, *value,
         *found = NULL;
    while (json_next(&at, &member, &value, path))
        if (!strcmp(member, name) && strcmp(value, "null") != 0)
            found = value;
    return found;
}
