/* json.h - JSON (RFC 8259), one level at a time.

       char *at = json_enter(text, path), *name, *value;
       while (json_next(&at, &name, &value, path))
           ...

   The text is cut in place. A value is text: a string without its quotes, with
   its escapes as written, or a whole list or object, for json_enter. So only
   values that somebody asks for are parsed, and no nesting is too deep. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>

/* Returns where the first member of a list or an object begins; fails, with a
   message that names `path`, if there is none in the text. Everything before
   it, such as a byte-order mark, is skipped. */
char *json_enter(char *text, const char *path);

/* Sets *name and *value to the next member, and moves *at past it. In a list
   the name is "". Returns false at the end. */
bool json_next(char **at, char **name, char **value, const char *path);

/* The value of the last member of this name in an object, unless it is null;
   NULL if there is none. The text is not cut; the value is kept until the
   program ends. */
char *json_find(const char *text, const char *name, const char *path);

#endif
