/* group.c - which runs are averaged, and which stand side by side.

   Only runs that differ in nothing but their seed may be averaged. So runs are
   cut into groups by everything else that varies. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/results/group.h"

void
run_setting(const Run *r, const char *setting, char text[VALUE_SIZE])
{
    setting_asked(setting_named(setting), &r->config, text);
    if (setting_worded(setting_named(setting)) && !*text)
        strcpy(text, "none");
    for (char *c = text; *c; c++)
        *c = *c == ' ' || *c == '\'' || *c == '"' ? '_' : *c;
    if (setting_plugin(setting_named(setting)) && strcmp(text, "none")) {
        char path[VALUE_SIZE];
        strcpy(path, text);
        plugin_name(path, text);
    }
}

/* Did equiv make it? Then its log is one line, without a loss of training. */
static bool
converted(const Run *r)
{
    return *r->config.from && r->log.rows == 1 &&
           !strcmp(table_cell(&r->log, 0, 1), "nan");
}

Run *
trained_runs(const char *directory, int *count, int *skipped)
{
    int found;
    Run *runs = experiment_runs(directory, &found);
    *count = 0;
    for (int i = 0; i < found; i++)
        if (converted(&runs[i])) {
            run_free(&runs[i]);
            ++*skipped;
        } else
            runs[(*count)++] = runs[i];
    return runs;
}

/* Has the run no say in that setting: its variant has no use for it, or --match
   has chosen it? */
static bool
aside(const Run *r, const Setting *s)
{
    return setting_unused(s, &r->config) || setting_matched(s, &r->config);
}

/* Do two runs differ in a setting that both have a say in? Of plugins' hashes
   only those of one variant can be told apart; plugins, starts and budgets go
   by their names. But a budget is met at one point of a grid: there two that
   differ are two, unless all points lie `along` an axis. */
static bool
differ(const Run *a, const Run *b, const Setting *s, bool along)
{
    char x[VALUE_SIZE], y[VALUE_SIZE];
    if (setting_equal(s, &a->config, &b->config) || aside(a, s) || aside(b, s))
        return false;
    if (s->kind == HASH && !strcmp(s->name, "plugin-hash") &&
        differ(a, b, setting_named("variant"), along))
        return false;
    if (!setting_worded(s) || (!strcmp(s->name, "match") && !along))
        return true;
    run_setting(a, s->name, x);
    run_setting(b, s->name, y);
    return strcmp(x, y) != 0;
}

/* Does that setting follow from others in every run of the task? Then it is
   none of its own. */
static bool
follows(const Run *runs, int count, const char *task, const Setting *s)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(runs[i].config.task, task) && !aside(&runs[i], s) &&
            !setting_follows(s, &runs[i].config))
            return false;
    return true;
}

/* Have all runs of the task the same value of it? Most settings do. */
static bool
constant(const Run *runs, int count, const char *task, const Setting *s)
{
    const Run *first = NULL;
    for (int i = 0; i < count; i++) {
        if (strcmp(runs[i].config.task, task))
            continue;
        first = first ? first : &runs[i];
        if (!setting_equal(s, &runs[i].config, &first->config))
            return false;
    }
    return true;
}

/* Does it vary among the runs of one task and one series? Runs that differ in
   nothing but it cannot be averaged. Each run is held against the first of
   every kind, which are few: only another value of the series or of the setting
   makes a new one. */
static bool
varies(const Run *runs, int count, const char *task, const char *by,
       const Setting *s, bool along)
{
    const Setting *series = setting_named(by);
    const Run **kinds = NULL;
    int known = 0, room = 0;
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        bool is_new = true;
        if (strcmp(runs[i].config.task, task))
            continue;
        for (int k = 0; k < known && !found; k++) {
            bool apart = differ(&runs[i], kinds[k], s, along);
            found = apart && !differ(&runs[i], kinds[k], series, along);
            is_new &=
                !setting_equal(s, &runs[i].config, &kinds[k]->config) ||
                !setting_equal(series, &runs[i].config, &kinds[k]->config);
        }
        kinds = grow(kinds, known, &room, sizeof *kinds);
        if (is_new)
            kinds[known++] = &runs[i];
    }
    free(kinds);
    return found;
}

bool
series_before(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (!strcmp(a, BASELINE) || !strcmp(b, BASELINE))
        return strcmp(b, BASELINE) != 0;
    if (!*a_end && !*b_end)
        return x < y;
    return strcmp(a, b) < 0;
}

void
add_series(Values *s, const char *value)
{
    int at = 0;
    while (at < s->count && series_before(s->text[at], value))
        at++;
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->text[i], value))
            return;
    values_add(s, NULL);
    memmove(s->text + at + 1, s->text + at,
            (size_t)(s->count - 1 - at) * sizeof *s->text);
    s->text[at] = copy_text(value);
}

Values
files_in(const char *directory, const char *ending)
{
    Values names = {0};
    size_t most = strlen(ending);
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n <= most || strcmp(e->d_name + n - most, ending))
            continue;
        e->d_name[n - most] = 0;
        add_series(&names, e->d_name);
    }
    if (dir)
        closedir(dir);
    return names;
}

/* Is there a run already that `differ` could not tell from r? */
static bool
known_kind(const Group *g, const Run *r, const bool *apart)
{
    const Setting *also[] = {setting_named("variant"), setting_named("match")};
    for (int i = 0; i < g->kind_count; i++) {
        const Config *kind = &g->kinds[i]->config;
        bool same = setting_equal(also[0], kind, &r->config) &&
                    setting_equal(also[1], kind, &r->config);
        for (int s = 0; same && s < setting_count; s++)
            same = !apart[s] || setting_equal(&settings[s], kind, &r->config);
        if (same)
            return true;
    }
    return false;
}

/* Adds a run to a group, and its value of `by` to the series. */
static void
add_run(Group *g, const Run *r, const char *by, const bool *apart)
{
    char value[VALUE_SIZE];
    run_setting(r, by, value);
    if (!known_kind(g, r, apart)) {
        g->kinds =
            grow(g->kinds, g->kind_count, &g->kind_room, sizeof *g->kinds);
        g->kinds[g->kind_count++] = r;
    }
    g->runs = grow(g->runs, g->count, &g->room, sizeof *g->runs);
    g->runs[g->count++] = r;
    add_series(&g->series, value);
}

void
setting_part(const Run *r, const char *setting, char text[VALUE_SIZE])
{
    run_setting(r, setting, text);
    if (setting_named(setting)->kind == HASH)
        text[6] = 0;
}

/* "reverse.lr0.01": the task and the settings that keep groups apart, hashes
   by their first digits. */
static char *
group_name(const Run *r, const bool *apart)
{
    char *name = copy_text(r->config.task), value[VALUE_SIZE];
    for (int s = 0; s < setting_count; s++) {
        if (!apart[s])
            continue;
        setting_part(r, settings[s].name, value);
        replace(&name, format_text("%s.%s%s", name, settings[s].name, value));
    }
    return name;
}

/* Does the run belong into the group, as far as it uses what keeps it apart? */
static bool
belongs(const Group *g, const Run *r, const bool *apart, bool along)
{
    if (strcmp(g->runs[0]->config.task, r->config.task))
        return false;
    for (int s = 0; s < setting_count; s++)
        for (int i = 0; apart[s] && i < g->kind_count; i++)
            if (differ(g->kinds[i], r, &settings[s], along))
                return false;
    return true;
}

static bool
uses_all(const Run *r, const bool *apart)
{
    for (int s = 0; s < setting_count; s++)
        if (apart[s] && aside(r, &settings[s]))
            return false;
    return true;
}

/* The groups of one task. Those runs that use every setting make them; the
   others, which are the same whatever it is, join each that they fit. */
static void
add_task(Group **list, int *groups, int *room, const Run *runs, int count,
         const char *task, const char *by, const bool *apart, bool along)
{
    int first = *groups;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            bool joined = false;
            if (strcmp(runs[i].config.task, task) ||
                uses_all(&runs[i], apart) == pass)
                continue;
            for (int g = first; g < *groups; g++)
                if (belongs(&(*list)[g], &runs[i], apart, along)) {
                    add_run(&(*list)[g], &runs[i], by, apart);
                    joined = true;
                }
            if (joined)
                continue;
            *list = grow(*list, *groups, room, sizeof **list);
            (*list)[*groups] = (Group){.name = group_name(&runs[i], apart)};
            add_run(&(*list)[(*groups)++], &runs[i], by, apart);
        }
}

bool
same_but(const Run *a, const Run *b, const char *setting)
{
    for (int s = 0; s < setting_count; s++)
        if (strcmp(settings[s].name, setting) &&
            !setting_equal(&settings[s], &a->config, &b->config))
            return false;
    return true;
}

/* What is logged changes nothing in a run: of two that differ in it alone, of
   merged experiments, one counts. */
static void
drop_doubles(Group *g)
{
    int kept = 0;
    for (int i = 0; i < g->count; i++) {
        bool fresh = true;
        for (int k = 0; k < kept && fresh; k++)
            fresh = !same_but(g->runs[k], g->runs[i], "log");
        if (fresh)
            g->runs[kept++] = g->runs[i];
    }
    g->count = kept;
}

/* Have the runs of a task been cut into groups already? */
static bool
in_a_group(const Group *list, int groups, const char *task)
{
    for (int g = 0; g < groups; g++)
        if (!strcmp(list[g].runs[0]->config.task, task))
            return true;
    return false;
}

Group *
groups_of(const Run *runs, int count, const char *by, const char *x,
          int *groups)
{
    /* what tells no groups apart; along a result, sizes neither */
    const char *never = x && !setting_named(x)
                            ? "task seed file log d-model layers " SHAPE_OPTIONS
                            : "task seed file log";
    bool along = x && strcmp(x, "lr");
    const Setting *log = setting_named("log");
    bool *apart = allocate((size_t)setting_count, sizeof *apart);
    Group *list = NULL;
    int room = *groups = 0;
    for (int i = 0; i < count; i++) {
        if (in_a_group(list, *groups, runs[i].config.task))
            continue;
        const char *task = runs[i].config.task;
        for (int s = 0; s < setting_count; s++)
            apart[s] = index_in(never, settings[s].name) < 0 &&
                       strcmp(settings[s].name, by) &&
                       strcmp(settings[s].name, x ? x : by) &&
                       !constant(runs, count, task, &settings[s]) &&
                       !follows(runs, count, task, &settings[s]) &&
                       varies(runs, count, task, by, &settings[s], along);
        int g = *groups;
        add_task(&list, groups, &room, runs, count, task, by, apart, along);
        if (strcmp(by, "log") && !constant(runs, count, task, log))
            for (; g < *groups; g++)
                drop_doubles(&list[g]);
    }
    free(apart);
    return list;
}

const Run **
series_runs(const Group *g, const char *by, const char *series, int *count)
{
    const Run **runs = allocate((size_t)g->count + 1, sizeof(const Run *));
    char text[VALUE_SIZE];
    *count = 0;
    for (int i = 0; i < g->count; i++) {
        run_setting(g->runs[i], by, text);
        if (!strcmp(text, series))
            runs[(*count)++] = g->runs[i];
    }
    return runs;
}

void
groups_free(Group *g, int groups)
{
    for (int i = 0; i < groups; i++) {
        free(g[i].runs);
        free(g[i].kinds);
        free(g[i].name);
        values_free(&g[i].series);
    }
    free(g);
}
