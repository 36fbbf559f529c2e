/* where.c - the conditions of --where: which runs a command uses.

   A condition has one of three forms:

       d-k=8        an equality: the run has this value
       seed=1..3    a range: the run's value is a number in it
       lr<=0.01     a bound, with <= or >=

   A run must satisfy every bound. The equalities and ranges of one name are
   alternatives: d-k=8,d-k=16 keeps the runs of both widths. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/where.h"

typedef struct Condition {
    const char *name, *value; /* the texts to the left and right of the sign */
    enum { EQUALITY, RANGE, BOUND } form;
    double least, most; /* of a range or a bound, which has one infinite end */
} Condition;

/* Reads one end of a range or a bound. Exits (2) if the text is no number;
   `condition` is the whole condition, for the message. */
static double
limit_read(const char *text, const char *condition)
{
    double x;
    if (number_read(text, ANY_NUMBER, -DBL_MAX, DBL_MAX, &x))
        usage("--where %s: a bound must be a number, as in lr<=0.01 or "
              "seed=1..3",
              condition);
    return x;
}

/* Makes c a range if its value is written as a range, "1..3", and its name has
   numbers; in a name with words, .. may be part of a word. `condition` is the
   whole condition, for messages. */
static void
read_range(Condition *c, const char *condition)
{
    const char *dots = strstr(c->value, "..");
    if (!dots || !has_numbers(c->name))
        return;
    int length = (int)(dots - c->value);
    c->form = RANGE;
    c->least = limit_read(format_text("%.*s", length, c->value), condition);
    c->most = limit_read(dots + 2, condition);
}

/* Makes c a bound; `sign` is < if its sign is <=, and > if it is >=. Exits (2)
   if its name has no numbers. */
static void
read_bound(Condition *c, char sign, const char *condition)
{
    c->form = BOUND;
    if (!has_numbers(c->name))
        usage("--where %s: %s has no numbers; give a value, as in variant=mqa",
              condition, c->name);
    double limit = limit_read(c->value, condition);
    if (sign == '<')
        c->most = limit;
    else
        c->least = limit;
}

/* Reads a condition. Exits (2) if it has none of the three forms. */
static Condition
condition_read(const char *text)
{
    const char *sign = text + strcspn(text, "<>="); /* of =, <= or >= */
    const char *equals = *sign == '<' || *sign == '>' ? sign + 1 : sign;
    if (*equals != '=')
        usage("--where %s: give a name and its value, as in lr=0.01, "
              "lr<=0.01 or seed=1..3",
              text);
    Condition c = {.name = format_text("%.*s", (int)(sign - text), text),
                   .value = equals + 1,
                   .form = EQUALITY,
                   .least = -INFINITY,
                   .most = INFINITY};
    if (*sign == '=')
        read_range(&c, text);
    else
        read_bound(&c, *sign, text);
    return c;
}

/* Returns whether a run's value meets condition c. */
static bool
meets(const char *value, const Condition *c)
{
    if (c->form == EQUALITY)
        return !strcmp(value, c->value);
    double x = strtod(value, NULL);
    return x >= c->least && x <= c->most;
}

/* Returns whether a run's value meets condition c or one of its alternatives
   among all `count` conditions. The equalities and ranges of one name are
   alternatives; a bound has none. */
static bool
meets_any(const char *value, const Condition *c, const Condition *all,
          int count)
{
    bool met = meets(value, c);
    for (const Condition *other = all; other < all + count; other++) {
        bool is_alternative = c->form != BOUND && other->form != BOUND &&
                              !strcmp(other->name, c->name);
        met |= is_alternative && meets(value, other);
    }
    return met;
}

/* Exits (2), because no run meets the condition c, which was written as `text`.
   `known` has the values that the runs have. */
static _Noreturn void
refuse(const char *text, const Condition *c, const Values *known)
{
    usage("--where %s: no run matches:%s the values of %s are %s", text,
          suggestion(c->value, known), c->name, joined(known, ", "));
}

/* Exits (2) unless some run meets the condition c, which was written as `text`,
   whatever the other conditions are. So a value that no run has is refused even
   if it is one of several alternatives. */
static void
check_met(const Experiment *e, const char *text, const Condition *c)
{
    Values known = values_in(e, c->name);
    bool met = false;
    if (!known.count)
        usage("--where %s: no run uses a setting or has a result of that name;"
              "%s `qkv table` prints all names",
              text, name_suggestion(e, c->name));
    for (int i = 0; i < known.count; i++)
        met |= meets(known.text[i], c);
    if (!met)
        refuse(text, c, &known);
}

/* The conditions are applied one after another, so that the message can name
   the first condition that leaves no run. */
void
keep_where(Experiment *e, const char *where)
{
    Values texts = values_split(where);
    Condition *all = allocate((size_t)texts.count, sizeof *all);
    for (int i = 0; i < texts.count; i++) {
        all[i] = condition_read(texts.text[i]);
        check_met(e, texts.text[i], &all[i]);
    }
    for (int i = 0; i < texts.count; i++) {
        const char *name = all[i].name;
        Values known = values_in(e, name);
        int kept = 0;
        for (Run *r = e->runs; r < e->runs + e->count; r++) {
            const char *value = run_value_text(r, name);
            if (!value || meets_any(value, &all[i], all, texts.count))
                e->runs[kept++] = *r;
        }
        if (!kept)
            refuse(texts.text[i], &all[i], &known);
        e->count = kept;
    }
}
