/* declare_weights.c - more that a variant can declare (<qkv/variant.h>): the
   initial distribution of a matrix, several numbered matrices at once, and
   settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/plugin.h"

void
initialise(Weights *w, int index, double mean, double deviation)
{
    bool finite = isfinite(mean) && isfinite(deviation);
    if (index < 0 || index >= w->count)
        bug("initialise: index %d, but %d matrices are declared so far: "
            "declare a matrix before its initial values",
            index, w->count);
    if (!finite || deviation < 0)
        bug("initialise: %s has the mean %g and the deviation %g: both must be "
            "finite, and the deviation at least 0",
            w->list[index].name, mean, deviation);
    w->list[index].mean = mean;
    w->list[index].deviation = deviation;
}

void
weight_each(Weights *w, int index, int count, const char *name, int rows,
            int cols)
{
    int before = (int)strcspn(name, "i"); /* letters before the "i" */
    const char *after = name[before] ? name + before + 1 : "";
    for (int n = 0; n < count; n++) {
        char numbered[NAME_SIZE];
        snprintf(numbered, sizeof numbered, "%.*s%d%s", before, name, n + 1,
                 after);
        weight(w, index + n, numbered, rows, cols);
    }
}

/* The text after "NAME=" in a list "NAME=value NAME=value ...", or NULL. */
static const char *
text_after(const char *list, const char *name)
{
    size_t n = strlen(name);
    while (*list) {
        if (!strncmp(list, name, n) && list[n] == '=')
            return list + n + 1;
        list += strcspn(list, " ");
        list += strspn(list, " ");
    }
    return NULL;
}

/* A plugin's bias may call this for every pair of tokens. So each thread keeps
   the latest list and name with their value, and searches the list again only
   if the list or the name differs. */
double
setting(const Attention *a, const char *name)
{
    static _Thread_local char last_list[USES_SIZE], last_name[NAME_SIZE];
    static _Thread_local double value;
    const char *list = a->settings ? a->settings : "";
    if (!strcmp(last_list, list) && !strcmp(last_name, name))
        return value;
    const char *text = text_after(list, name);
    if (!text)
        bug("setting: \"%.60s\" is not declared: add it to "
            "qkv_variant.settings, which has %s",
            name, *list ? list : "none");
    snprintf(last_list, sizeof last_list, "%s", list);
    snprintf(last_name, sizeof last_name, "%s", name);
    value = strtod(text, NULL);
    return value;
}
