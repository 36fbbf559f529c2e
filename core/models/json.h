/* json.h - JSON (RFC 8259), as config.json and the head of a safetensors file
   are.

       JsonValue *document = json_read(text, size, path);
       const JsonValue *list = json_member(document, "layer_types");
       for (const JsonValue *v = json_first(list); v; v = json_next(v))

   A file is data: what is no JSON, or is nested deeper than any model's, is
   refused with its place. A text is what is between its quotes, \n and \u0007
   as they are written: no name that is looked for has any, and so each can be
   printed. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

typedef enum {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;

typedef struct JsonValue {
    JsonKind kind;
    int next;         /* so much further is the next member; 0: none */
    int members;      /* of a list or an object */
    const char *name; /* of a member of an object, else NULL */
    const char *text;
    double number;
} JsonValue;

/* Reads `size` bytes of text, which it changes, and which must be there for as
   long as the values are. Fails where they are no JSON. `path` is for that
   message. Free what it returns. */
JsonValue *json_read(char *text, size_t size, const char *path);

/* The members of a list or an object, one after the other; NULL at the end. */
const JsonValue *json_first(const JsonValue *list);
const JsonValue *json_next(const JsonValue *member);

/* The member of that name; NULL where there is none, or no object. */
const JsonValue *json_member(const JsonValue *object, const char *name);

#endif
