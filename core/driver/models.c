/* models.c - the table of published models. */
#include "driver/models.h"
#include "base/words.h"
#include "models/accounts.h"
#include "page/table.h"

int
model_tokens(const Request *r)
{
    Config c = {.length = 32768};
    request_apply(r, &c);
    return c.length;
}

void
models_print(const Published *models, int count, int tokens, Layout layout)
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
    Sheet sheet = sheet_of(columns, sizeof columns / sizeof *columns);
    for (const Published *p = models; p < models + count; p++) {
        double stored = stored_parameters(p), gauge = gauge_parameters(p);
        char *what = published_words(p);
        sheet_row(&sheet, cell_words(p->name), cell_number(stored),
                  cell_number(stored - gauge), cell_number(gauge),
                  cell_number(token_flops(p, tokens)),
                  cell_number(BYTES * cached_numbers(p, tokens, true)),
                  cell_number(BYTES * cached_numbers(p, tokens, false)),
                  cell_words(what), cell_words(p->source));
        free(what);
    }
    char *one = count == 1 ? published_words(models) : copy_text("");
    sheet_note(&sheet, "models",
               format_text("%s%sThe attention of all layers, without "
                           "embedding, MLP or the norms around it. gauge: "
                           "parameters that change nothing, by arithmetic; "
                           "forward: FLOPs of a token among %d; cache: bytes "
                           "that a decoder keeps of %d tokens, 2 a number, and "
                           "what it would keep if no layer had a window.",
                           one, *one ? ". " : "", tokens, tokens));
    free(one);
    sheet_print(&sheet, layout);
}
