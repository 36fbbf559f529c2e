/* models.c - the table of published models. */
#include "base/words.h"
#include "driver/models.h"
#include "page/table.h"

void
models_print(const Published *only, const Options *o)
{
    static const Column columns[] = {
        {"model", .words = true},
        {"parameters", .format = "%.0f"},
        {"real", .format = "%.0f"},
        {"gauge", .format = "%.0f"},
        {"forward", .format = "%.0f"},
        {"cache_bytes", .title = "cache", .format = "%.0f"},
        {"cache_without_windows", .title = "unwindowed", .format = "%.0f"},
        {"what", .words = true, .readers = PROGRAMS},
        {"source", .words = true, .readers = PROGRAMS}};
    enum { BYTES = 2 };
    Config c = {.length = 32768};
    Sheet sheet = {columns, .cols = sizeof columns / sizeof *columns,
                   .label = "models"};
    Published p = only ? *only : (Published){0};
    char *what = NULL;
    request_apply(&o->request, &c);
    for (int i = 0; only ? i == 0 : published_row(i, &p); i++) {
        Account a = published_account(&p, c.length);
        what = format_text("%s; has: %s; biases: %s; %d layers see %d tokens; "
                           "latents of keys and of queries: %d, %d",
                           published_settings(&p), p.has, p.biases, p.local,
                           p.window, p.latent, p.query_latent);
        sheet_row(&sheet, cell_words(p.name), cell_number(a.stored),
                  cell_number(a.stored - a.gauge), cell_number(a.gauge),
                  cell_number(a.flops), cell_number(BYTES * a.cache),
                  cell_number(BYTES * a.unwindowed), cell_words(what),
                  cell_words(p.source));
    }
    sheet.note =
        format_text("%s%sThe attention of all layers, without "
                    "embedding, MLP or the norms around it. gauge: "
                    "parameters that change nothing, by arithmetic; "
                    "forward: FLOPs of a token among %d; cache: bytes "
                    "that a decoder keeps of %d tokens, 2 a number, and "
                    "what it would keep if no layer had a window.",
                    only ? what : "", only ? ". " : "", c.length, c.length);
    sheet_print(&sheet, layout_of(o));
}
