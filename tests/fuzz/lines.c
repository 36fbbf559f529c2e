/* lines.c - command lines made of the options' own tables, with odd values. */
#include <stdio.h>
#include <string.h>

#include "driver/cli/grammar.h"
#include "tree.h"
#include "trial.h"

/* Where to write: only below out, or where nothing can be. */
static const char *const outs[] = {
    "out",    "out/deeper",  "out/",  "mine/secret", "./out",
    "/",      "/dev/null",   "/proc", "-",           "out/a b",
    "out/'x", "out/\033[2J", "",      "foreign",     NULL};
static const char *const rests[] = {"foreign",   "mine/own",    "mine/secret",
                                    "out",       "nothing",     "",
                                    "-",         "--",          "matmul",
                                    "bash",      "./canary.so", "./standard.so",
                                    "foreign/*", "a b c",       "\303\244 \377",
                                    NULL};
static const char *const small[] = {"0",   "1",  "2",   "3",    "7",   "1,2",
                                    "4,4", "-1", "0.5", "1e-3", "",    ",",
                                    "x",   "+1", " 2",  "1e",   "nan", NULL};
static const char *const large[] = {"1000000",    "1000001",    "2147483647",
                                    "2147483648", "1e308",      "1e309",
                                    "inf",        "0x7fffffff", NULL};
static const char *const texts[] = {"standard",
                                    "full-rank,standard",
                                    "two-step",
                                    "nothing",
                                    "./standard.so",
                                    "mine/secret",
                                    "foreign",
                                    "variant",
                                    "task",
                                    "seed",
                                    "d-k",
                                    "step",
                                    "test_loss",
                                    "loss,accuracy",
                                    "quantity",
                                    "svg",
                                    "svg,svg",
                                    "pdf,tikz",
                                    "column",
                                    "slide",
                                    "params",
                                    "flops",
                                    "auto",
                                    "W_Q=0.1",
                                    "W_Q=",
                                    "4+2+1",
                                    "attention+scores",
                                    "reverse",
                                    "recall,sort",
                                    "linear",
                                    "text",
                                    "pairs",
                                    "translate",
                                    "cross-recall",
                                    "subset",
                                    "gpt-3",
                                    "slurm",
                                    NULL};

/* A large number, which may rightly take long, is drawn now and then. */
static const char *
draw_number(Trial *t, Draw *d)
{
    if (draw(d, 12))
        return draw_word(d, small);
    t->large = 1;
    return draw_word(d, large);
}

static const char *
draw_choice(const char *choices, Draw *d)
{
    static char copies[MOST_WORDS][32];
    static int next;
    char *copy = copies[next++ % MOST_WORDS];
    int count = 1;
    for (const char *c = choices; *c; c++)
        count += *c == ' ';
    for (int i = draw(d, count); i > 0; i--)
        choices = strchr(choices, ' ') + 1;
    snprintf(copy, sizeof copies[0], "%.*s", (int)strcspn(choices, " "),
             choices);
    return copy;
}

/* "--name" and its value, or "--name=value". */
static void
give(Trial *t, const char *name, const char *value, int joined)
{
    static char copies[MOST_WORDS][6200];
    static int next;
    char *copy = copies[next++ % MOST_WORDS];
    snprintf(copy, sizeof copies[0], "--%s%s%s", name, joined ? "=" : "",
             joined ? value : "");
    word(t, copy);
    if (value && !joined)
        word(t, value);
}

static const char *
draw_setting(Trial *t, const Setting *s, Draw *d)
{
    return s->kind == CHOICE   ? draw_choice(s->choices, d)
           : setting_worded(s) ? draw_word(d, texts)
                               : draw_number(t, d);
}

/* An option of the command, or now and then of another one. */
static void
draw_option(Trial *t, int command, Draw *d)
{
    Option list[MOST_OPTIONS];
    int other = commands[draw(d, commands_count)].bit;
    int count = options_of(draw(d, 16) ? command : other, list);
    if (!count)
        return;
    const Option *o = &list[draw(d, count)];
    bool bare = o->shape == SWITCH || o->shape == MAYBE;
    int writes = !strcmp(o->name, "out") ||
                 (!strcmp(o->name, "batch") && command == EXPORT);
    const char *value =
        writes                                  ? draw_word(d, outs)
        : o->shape == SWITCH                    ? (draw(d, 16) ? NULL : "1")
        : !draw(d, 16)                          ? hostile_word(d)
        : o->shape == COUNT || o->shape == REAL ? draw_number(t, d)
        : o->shape == OF_SETTING ? draw_setting(t, &settings[o->offset], d)
                                 : draw_word(d, texts);
    if (o->shape == MAYBE && draw(d, 2))
        value = NULL;
    give(t, o->name, value, value && (bare || !draw(d, 4)));
}

void
draw_line(Trial *t, Draw *d)
{
    const Command *c = &commands[draw(d, commands_count)];
    copy_tree("base/two", "foreign");
    word(t, c->name);
    int trains = c->bit & (TRAIN | COMPARE | EQUIV);
    if (trains) {
        words(t, TINY " -q -o out");
        if (c->bit != EQUIV)
            words(t, "--timeout 2");
        if (c->bit == COMPARE)
            words(t, "-v standard,full-rank -t reverse --seeds 1");
        if (c->bit == EQUIV)
            words(t, "-v standard,full-rank -t reverse");
    }
    if (c->bit == BENCH) /* takes minutes where it does anything */
        word(t, "nothing");
    if (c->bit & (PLOT | REPORT) && draw(d, 4))
        words(t, "foreign -o out");
    if (c->bit & (INSPECT | EXPORT | GENERATE) && draw(d, 4)) {
        word(t, draw_run("foreign", d));
        words(t, c->bit == EXPORT     ? "--batch out"
                 : c->bit == GENERATE ? "--prompt 0"
                                      : "-o out");
    }
    for (int left = draw(d, 6); left > 0; left--)
        draw_option(t, c->bit, d);
    if (!draw(d, 4))
        word(t, draw(d, 4) ? draw_word(d, rests) : hostile_word(d));
    if (!draw(d, 16))
        word(t, "--help");
    static const char *const places[] = {"foreign", "qkv-out", "-", NULL};
    for (int i = 0; places[i]; i++) /* where it writes unless told */
        t->may_write[t->may_write_count++] = places[i];
    static char sources[MOST_WORDS][6200];
    for (int i = 1; c->bit == NEW && i < t->count && i < 5; i++) {
        snprintf(sources[i], sizeof sources[i], "%s.c", t->words[i]);
        t->may_write[t->may_write_count++] = sources[i];
    }
    for (int i = 0; i < t->count; i++) {
        t->may_open |= strstr(t->words[i], ".so") != NULL;
        if (c->bit == PLOT && !strcmp(t->words[i], "mine/own"))
            t->may_write[t->may_write_count++] = "mine/own/figures";
    }
    t->may_read_mine = 1;
    t->in_words = 1;
}
