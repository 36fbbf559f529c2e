/* list.c - qkv list: the variants there are, or the tasks. */
#include <string.h>

#include "algebra/cost.h"
#include "algebra/spell.h"
#include "base/words.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "page/table.h"
#include "tasks/tasks.h"
#include "training/positions.h"

/* Opens all plugins, one after the other, so one that cannot be opened ends the
   list, and is named. */
static void
list_variants(Layout layout)
{
    bool forms = columns_asked && index_in(columns_asked, "form") >= 0;
    static const Column columns[] = {
        {"variant", .words = true},
        {"parameters", .title = "stored"},
        {"equation", .words = true},
        {"settings", .words = true, .readers = PROGRAMS},
        {"family", .words = true, .readers = PROGRAMS},
        {"form", .words = true, .readers = PROGRAMS}};
    Config c = config_start();
    Sheet sheet = {columns, .cols = sizeof columns / sizeof *columns - !forms,
                   .label = "variants"};
    Values names = plugin_list();
    config_resolve(&c, "heads d-k d-v");
    for (int i = 0; i < names.count; i++) {
        Plugin p = plugin_open(names.text[i]);
        const Variant *v = p.variant;
        Config own = c;
        config_resolve(&own, variant_uses(v));
        Cost cost = cost_of(v, positioned_attention(&own), c.length, 0);
        char *form = NULL;
        if (forms) {
            Derived d = derive_at(v, TELLING_SHAPE, 2);
            form = form_spelled(&d);
            derived_free(&d);
        }
        sheet_row(
            &sheet, cell_words(p.name), cell_number(cost.parameters),
            cell_words(v->equation), cell_words(v->settings ? v->settings : ""),
            cell_words(v->family ? v->family : "other"), cell_words(form));
    }
    sheet.note = format_text("Parameters of one attention at d-model %d, heads "
                             "%d.",
                             c.d_model, c.heads);
    sheet_print(&sheet, layout);
}

/* "length=8 ... positions=none": what a task starts with, but for what is 0. */
static char *
start_of(const Task *t)
{
    char *all = "";
    Config c = task_start(t->name);
    for (const Setting *s = settings; s < settings + settings_built_in; s++) {
        const char *value = setting_text(s, &c);
        if (s->role & (OF_DATA | OF_SHAPE | OF_MODEL | OF_TRAINING) &&
            s->kind != WORD && strcmp(value, "0"))
            all =
                format_text("%s%s%s=%s", all, *all ? " " : "", s->name, value);
    }
    return all;
}

static void
list_tasks(Layout layout)
{
    static const Column columns[] = {
        {"task", .words = true},
        {"what", .words = true},
        {"trivial", .title = "trivial baseline", .words = true},
        {"settings", .words = true, .readers = PROGRAMS}};
    Sheet sheet = {columns, .cols = sizeof columns / sizeof *columns};
    for (const KnownTask *t = tasks; t < tasks + task_count; t++)
        sheet_row(&sheet, cell_words(t->task->name), cell_words(t->what),
                  cell_words(t->trivial), cell_words(start_of(t->task)));
    sheet_print(&sheet, layout);
}

int
command_list(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    if (o.forms)
        columns_asked = "variant,form";
    if (o.tasks)
        list_tasks(layout);
    else if (o.models)
        return command_count(argc, argv);
    else
        list_variants(layout);
    return 0;
}
