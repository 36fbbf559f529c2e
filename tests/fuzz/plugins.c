/* plugins.c - a plugin whose name is its program, and a command that opens
   it. */
#include <stdio.h>

#include "tree.h"
#include "trial.h"

static const char *const commands[] = {
    "check P",
    "count -v P --d-model 8 --heads 2 --weights",
    "count -v standard,P --d-model 12 --heads 3",
    "count --real -v P --d-model 4 --heads 2",
    "train -v P -t reverse TINY --timeout 5 -q -o out",
    "train -v P -t reverse TINY --layers 2 --mask causal --timeout 5 -q -o out",
    "compare -v standard,P -t reverse TINY --seeds 2 --timeout 5 --no-figures "
    "-q -o out",
    "equiv -v standard,P -t reverse TINY -q --format svg -o out",
    "trace abc -v P --d-model 8 --heads 2",
    NULL};

void
draw_plugin(Trial *t, Draw *d)
{
    static char path[64], line[512];
    const char *from = draw_word(d, commands);
    size_t n = 0;
    snprintf(path, sizeof path, "./p%d.so", draw(d, 1 << 30));
    copy_tree("program.so", path + 2);
    t->may_write[t->may_write_count++] = path + 2; /* nobody does */
    for (; *from && n < sizeof line - 80; from++)
        n += (size_t)(*from == 'P' ? sprintf(line + n, "%s", path)
                      : *from == 'T' && from[1] == 'I'
                          ? (from += 3, sprintf(line + n, "%s", TINY))
                          : sprintf(line + n, "%c", *from));
    words(t, line);
    t->in_words = 1;
}
