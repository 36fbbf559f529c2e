/* json.c - reads JSON, member by member. */
#include <string.h>

#include "base/words.h"
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
            at++; /* skips an escaped character, which may be a quote */
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
        fail("%s: not JSON: it has no list and no object; correct it or "
             "download it again",
             path);
    return at + 1 + strspn(at + 1, blanks);
}

/* Sets *value to the value or name at *at. Returns the character after it: a
   comma or a colon, which *at is moved past, or a closing bracket, to which *at
   is moved. */
static char
cut_value(char **at, char **value, const char *path)
{
    char *begin = *at + strspn(*at, blanks), *end = value_end(begin);
    char *next = end + strspn(end, blanks), sign = *next;
    bool quoted = *begin == '"', nested = *begin == '{' || *begin == '[';
    bool empty = end == begin;
    /* strchr also finds the 0 at the end of a text that is cut short. */
    bool last_is_missing = sign == ',' && strchr("]}", next[1]);
    bool has_end = sign && strchr(",:]}", sign);
    const char *wrong = NULL;
    *at = sign == ',' || sign == ':' ? next + 1 : next;
    *value = quoted ? begin + 1 : begin;
    if (quoted)
        end[-1] = 0; /* instead of the closing quote */
    else
        *end = 0; /* this may overwrite the sign */
    if (empty || last_is_missing)
        wrong = "a value is missing";
    else if (!nested && !is_text(*value)) /* nested ones are checked later */
        wrong = "a value has a control character";
    else if (!has_end)
        wrong = "a value does not end";
    if (wrong)
        fail("%s: not JSON: %s; correct it or download it again", path, wrong);
    return sign;
}

bool
json_next(char **at, char **name, char **value, const char *path)
{
    *name = *value = "";
    /* The end is a closing bracket, or the 0 with which cut_value has
       overwritten it; strchr finds both. */
    if (strchr("]}", **at))
        return false;
    char sign = cut_value(at, value, path);
    while (sign == ':') { /* it was a name, and its value follows */
        *name = *value;
        sign = cut_value(at, value, path);
    }
    return true;
}

char *
json_find(const char *text, const char *name, const char *path)
{
    char *at = json_enter(copy_text(text), path), *found = NULL;
    char *member, *value;
    while (json_next(&at, &member, &value, path))
        if (!strcmp(member, name) && strcmp(value, "null") != 0)
            found = value;
    return found;
}
