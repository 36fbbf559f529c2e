/* list.c - qkv list: all variants, all tasks, or all published models. */
#include <stdio.h>
#include <string.h>

#include "algebra/cost.h"
#include "algebra/print_form.h"
#include "driver/options.h"
#include "page/table.h"
#include "run/plugin_process.h"
#include "training/rope_and_alibi.h"

/* A row of the list. A child process, which opens the plugin, fills it in. The
   texts are arrays, because the answer of a child is copied as bytes. */
typedef struct Listed {
    double parameters;
    char equation[MESSAGE], settings[USES_SIZE], family[MESSAGE];
    char form[8 * MESSAGE]; /* longer than an equation */
} Listed;

/* The argument of the child process. */
typedef struct Wanted {
    const char *name;     /* of the variant */
    const Config *config; /* the shape at which parameters are counted */
    bool form;            /* whether the row also shows the canonical form */
} Wanted;

/* Copies a plugin's text to `to`, which has `size` bytes. Fails if the text
   does not fit; the message calls the text `field`. */
static void
copy_bounded(char *to, size_t size, const char *text, const char *field)
{
    if (strlen(text) >= size)
        fail("its %s is too long: it may have at most %zu bytes", field,
             size - 1);
    strcpy(to, text);
}

/* Stores the canonical form of v in l. If its text differs at a larger shape,
   the shape follows it. pair_forms lets a number have a name only if the name
   has that value at both shapes. */
static void
describe_form(Listed *l, const Variant *v)
{
    Derived d = derive_at(v, TELLING_SHAPE, TWO_BLOCKS);
    Derived larger = derive_at(v, LARGER_SHAPE, THREE_BLOCKS);
    pair_forms(&d, &larger);
    const char *form = form_spelled(&d);
    const char *where = only_where(form, form_spelled(&larger));
    copy_bounded(l->form, sizeof l->form, format_text("%s%s", form, where),
                 "form");
    derived_free(&d);
    derived_free(&larger);
}

/* The work of the child process: the argument is a Wanted, the answer a Listed.
   It runs the plugin's code, which may crash. */
static void
describe(const void *argument, void *answer)
{
    const Wanted *wanted = argument;
    Listed *l = answer;
    const Variant *v = plugin_open(wanted->name).variant;
    Config own = *wanted->config;
    config_resolve(&own, variant_uses(v));
    Attention a = positioned_attention(&own);
    l->parameters = cost_of(v, a, own.length, Y_IS_X).parameters;
    copy_bounded(l->equation, sizeof l->equation, v->equation, ".equation");
    copy_bounded(l->settings, sizeof l->settings,
                 v->settings ? v->settings : "", ".settings");
    copy_bounded(l->family, sizeof l->family, v->family ? v->family : "other",
                 ".family");
    if (wanted->form)
        describe_form(l, v);
}

/* The last line of an equation, which is its output, or the whole equation if
   it is a note for people. The text is cut, so that a row is no wider than a
   terminal. */
static const char *
output_shown(const char *equation)
{
    enum { FITS = 53 }; /* columns that the row's other cells leave */
    static const char note[] = "note: ", dots[] = "...";
    const char *semicolon = strrchr(equation, ';'); /* before the last line */
    const char *output = equation;
    if (semicolon && strncmp(equation, note, strlen(note)) != 0)
        output = semicolon + strspn(semicolon, "; ");
    if (strlen(output) <= FITS)
        return output;
    return format_text("%.*s%s", FITS - (int)strlen(dots), output, dots);
}

/* Adds the row of a variant, or prints a note if its plugin cannot be used. A
   `narrow` row fits on a terminal: it has only the output of the equation.
   Returns whether the row was added. */
static bool
add_variant(Sheet *sheet, const Wanted *wanted, bool narrow)
{
    Listed l;
    Ended e = in_child(describe, wanted, &l, sizeof l, machine_memory(),
                       DISCARD_OUTPUT);
    if (!e.answered) {
        const char *path = e.plugin ? format_text("%s: ", e.plugin) : "";
        note("%s is not listed: %s%s", wanted->name, path, e.why);
        return false;
    }
    sheet_row(sheet, cell(wanted->name), cell(l.parameters),
              cell(narrow ? output_shown(l.equation) : l.equation),
              cell(l.settings), cell(l.family), cell(l.form));
    return true;
}

/* Prints a row for each variant, with the chosen columns or, if `chosen` is
   NULL, those of the layout's readers. The forms are derived only if they are
   chosen, because that takes long. Returns the exit status. */
static int
list_variants(const char *chosen, Layout layout)
{
    bool forms = chosen && index_in(chosen, "form") >= 0;
    /* clang-format off */
    static const Column columns[] = {
        {"variant", .words = true}, {"parameters", .title = "stored"}, {"equation", .words = true},
        {"settings", .words = true, .readers = PROGRAMS}, {"family", .words = true, .readers = PROGRAMS}, {"form", .words = true, .readers = NOBODY},
    };
    /* clang-format on */
    Config c = config_start();
    Sheet sheet = sheet_of(columns, "variants", chosen);
    Values names = plugin_list();
    int status = 0;
    bool narrow = layout == ALIGNED && !chosen;
    config_resolve(&c, "heads d-k d-v"); /* sets them to their defaults */
    for (int i = 0; i < names.count; i++) {
        Wanted wanted = {.name = names.text[i], .config = &c, .form = forms};
        if (!add_variant(&sheet, &wanted, narrow))
            status = 1;
    }
    sheet.note = format_text(
        "Parameters of one attention layer at d-model %d, heads %d.%s",
        c.d_model, c.heads,
        narrow ? " `qkv list --columns variant,equation` "
                 "has the whole equations."
               : "");
    sheet_print(&sheet, layout);
    return status;
}

/* The settings with which a task is trained by default, "length=8 ...
   positions=none", except those that are 0 and those that can be any word. */
static char *
task_settings(const Task *t)
{
    Config c = task_start(t->name);
    Values parts = {0};
    for (const Setting *s = settings; s < settings + settings_built_in; s++) {
        const char *value = setting_text(s, &c);
        bool trains = s->role & (OF_DATA | OF_SHAPE | OF_MODEL | OF_TRAINING);
        if (trains && s->kind != WORD && strcmp(value, "0") != 0)
            values_add(&parts, format_text("%s=%s", s->name, value));
    }
    return joined(&parts, " ");
}

/* Prints a row for each task, and returns the exit status. */
static int
list_tasks(const char *chosen, Layout layout)
{
    static const Column columns[] = {
        {"task", .words = true},
        {"what", .words = true},
        {"trivial", .title = "trivial baseline", .words = true},
        {"settings", .words = true, .readers = PROGRAMS}};
    Sheet sheet = sheet_of(columns, NULL, chosen);
    for (const KnownTask *t = tasks; t < tasks + task_count; t++)
        sheet_row(&sheet, cell(t->task->name), cell(t->what), cell(t->trivial),
                  cell(task_settings(t->task)));
    sheet_print(&sheet, layout);
    return 0;
}

int
command_list(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    if (o.models)
        return command_count(argc, argv);
    if (o.tasks)
        return list_tasks(o.columns, layout);
    if (o.names) {
        /* Opens no plugin: `qkv new` must not reuse a plugin's name, even if
           that plugin cannot be opened. */
        Values names = plugin_list();
        puts(joined(&names, "\n"));
        return 0;
    }
    return list_variants(o.forms ? "variant,form" : o.columns, layout);
}
