/* json.h - JSON (RFC 8259), one level at a time.

       char *at = json_enter(text, path), *name, *value;
       while (json_next(&at, &name, &value, path))
           ...

   The text is cut where it stands. A value is text: of a text, what is between
   its quotes, its escapes as they are written; of a list or an object, all of
   it, for json_enter. So nothing is looked into that nobody asks for, and no
   depth is too deep. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>

/* Where the first member of a list or an object begins; fails where the text is
   neither. `path` is for that message. */
char *json_enter(char *text, const char *path);

/* Takes the next member, whose name is NULL in a list; false at the end. */
bool json_next(char **at, char **name, char **value, const char *path);

#endif
