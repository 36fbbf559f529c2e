/* foreign.c - an experiment that a stranger could have made, and a command
   that reads it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tree.h"
#include "trial.h"

/* F: the experiment, R: a run in it, O: where to write, M: the reader's own
   experiment. Behind the bar is what may be written besides O. */
static const char *const commands[] = {
    "plot F --format svg|f",
    "plot F -o O --format svg",
    "plot F -o O --format svg --y loss,accuracy",
    "plot F -o O --format svg --x d-k --y test_accuracy",
    "plot F -o O --format svg --x cache --y solved_at --facet task",
    "plot F -o O --format svg --by seed --log-y --y loss",
    "plot F -o O --format svg --facet variant --title x",
    "plot F -o O --format tikz",
    "plot R -o O --format svg",
    "report F -o O",
    "report F -o O",
    "report F -o O",
    "report F -o O",
    "report F -o O",
    "report F -o O --baseline full-rank --judge test_loss",
    "table F",
    "table F M --json",
    "table F --latex",
    "inspect R",
    "inspect R --range",
    "inspect R --attention --format svg -o O",
    "inspect R --attention --format tikz|r",
    "inspect R --spectrum --format svg -o O",
    "equiv -v standard,full-rank -t reverse TINY --format svg -q -o F|F",
    "equiv -v standard,full-rank -t reverse TINY --format svg -q -o F|F",
    "equiv R --to full-rank -q -o O",
    "export R --batch O",
    "plot F M --format svg -q -o O",
    "report F M -q -o O",
    "plot M F --format svg -q -o O",
    "compare -v standard,full-rank -t reverse --seeds 1 TINY --no-figures -q "
    "-o F|F",
    "compare -v standard,full-rank -t reverse --seeds 1 TINY --format svg "
    "--redo -q -o F|F",
    "compare -v standard -t reverse --seeds 1 TINY --no-figures -q --keep -o "
    "F|F",
    "train -t reverse TINY -q -o F|F",
    "train --from R --steps 1 -q -o O",
    "trace 0 R",
    "generate R --prompt a",
    "generate R --prompt 0 --json",
    "generate R",
    NULL};

static const char *const bases[] = {"base/two",   "base/two",   "base/text",
                                    "base/pairs", "base/other", NULL};

void
draw_foreign(Trial *t, Draw *d)
{
    static char line[512], figures[1024], run[800];
    copy_tree(draw_word(d, bases), "foreign");
    edit("foreign", "canary.so", d);
    snprintf(line, sizeof line, "%s", draw_word(d, commands));
    snprintf(run, sizeof run, "%s", draw_run("foreign", d));
    if (!*run)
        strcpy(run, "foreign");
    char *bar = strchr(line, '|');
    if (bar) {
        *bar = 0;
        snprintf(figures, sizeof figures, "%s/figures",
                 bar[1] == 'r' ? run : "foreign");
        t->may_write[t->may_write_count++] =
            bar[1] == 'F' ? "foreign" : figures;
    }
    char *rest;
    for (char *at = strtok_r(line, " ", &rest); at;
         at = strtok_r(NULL, " ", &rest)) {
        if (!strcmp(at, "TINY"))
            words(t, TINY);
        else
            word(t, !strcmp(at, "F")   ? "foreign"
                    : !strcmp(at, "R") ? run
                    : !strcmp(at, "O") ? "out"
                    : !strcmp(at, "M") ? "mine/own"
                                       : at);
        t->may_read_mine |= !strcmp(at, "M");
    }
    t->in_words = 1;
}
