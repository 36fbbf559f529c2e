/* json.c - reads JSON, member by member. */
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "models/json.h"

static const char blanks[] = " \t\r\n";

/* What is behind the value at `at`: the first sign that ends it, and is neither
   within quotes nor within brackets, of which only the depth is counted. */
static char *
value_end(char *at)
{
    int depth = 0;
    bool quoted = false;
    for (; *at && (quoted || depth || !strchr(",:]} \t\r\n", *at)); at++)
        if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            at += *at == '\\' && at[1];
        else
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    return at;
}

char *
json_enter(char *text, const char *path)
{
    char *at = strpbrk(text, "{[");
    if (!at)
        fail(
            "%s: no list or object is where JSON must have one: correct it, or "
            "download the file again",
            path);
    return at + 1 + strspn(at + 1, blanks);
}

bool
json_next(char **at, char **name, char **value, const char *path)
{
    *value = "";
    if (strchr("]}", **at)) /* or 0, which is where the last value was cut */
        return false;
    for (char sign = ':'; sign == ':';) { /* a value; or a name, then one */
        char *from = *at + strspn(*at, blanks), *end = value_end(from);
        bool quoted = *from == '"', nested = *from == '{' || *from == '[';
        char *next = end + strspn(end, blanks);
        sign = *next;
        *at = next + (sign == ',' || sign == ':');
        *name = *value;
        *value = from + quoted;
        end[-quoted] = 0;
        if (end == from || !sign || !strchr(",:]}", sign) ||
            (sign == ',' && !next[1]) || (!nested && !is_text(*value)))
            fail("%s: no JSON: a value is missing, does not end or has a "
                 "control character; download the file again",
                 path);
    }
    return true;
}
