/* request.c - what a command asks of runs. */

#include "heart/fail.h"
#include "run/request.h"

Values *
given_to(const Request *r, const char *setting)
{
    return &r->given[setting_named(setting) - settings];
}

void
request_apply(const Request *r, Config *c)
{
    for (int i = 0; i < setting_count; i++)
        if (r->given[i].count)
            setting_set(&settings[i], c, r->given[i].text[0]);
}

void
request_used(const Request *r, const char *uses)
{
    for (int i = 0; i < setting_count; i++) {
        const char *name = settings[i].name;
        if (r->given[i].count && index_in(SHAPE_OPTIONS, name) >= 0 &&
            index_in(uses, name) < 0)
            usage("--%s: no variant named here uses it; leave it out", name);
    }
}
