/* json.h - JSON (RFC 8259), one level at a time.

       char *at = json_enter(text, path), *name, *value;
       while (json_next(&at, &name, &value, path))
           ...

   The text is cut in place. A value is text: a number or a word, a string
   without its quotes (its escapes stay as they are written), or a whole list or
   object, which json_enter enters. So only the lists and objects that a caller
   enters are parsed, and they may be nested to any depth. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>

/* Returns where the first member of the first list or object in the text
   begins. Anything before it, such as a byte-order mark, is skipped. Fails if
   the text has no list and no object; the message names `path`. */
char *json_enter(char *text, const char *path);

/* Sets *name and *value to the name and value of the next member, and moves *at
   past it. In a list the name is "". Returns false at the end. */
bool json_next(char **at, char **name, char **value, const char *path);

/* The value of the member of this name in an object, of the last one if there
   are several; NULL if there is none. Members that are null do not count. The
   text is not cut; the value is kept until the program ends. */
char *json_find(const char *text, const char *name, const char *path);

#endif
