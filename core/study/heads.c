/* heads.c - what a model's heads are, whatever matrices they are written in: a
   table of their canonical forms. */
#include <math.h>

#include "algebra/forms.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "page/table.h"
#include "study/heads.h"

/* How much of M is symmetric: |M + M'|^2 / |2 M|^2, 1 for M = M', 0 for
   M = -M', about 1/2 for a random one. */
static double
symmetric_share(const double *m, int d)
{
    double both = 0, all = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = (m[i * d + j] + m[j * d + i]) / 2;
            both += sum * sum;
            all += m[i * d + j] * m[i * d + j];
        }
    return all > 0 ? both / all : 1;
}

void
heads_print(Layout layout, const Model *m)
{
    static const Column columns[] = {
        {"block", .words = true},
        {.name = "head"},
        {"scale", .title = "s", .format = "%.4f"},
        {"rank_M", .title = "rank M"},
        {"effective_rank_M", .title = "eff.", .format = "%.1f"},
        {"largest_sM", .title = "s1", .format = "%.3g"},
        {"symmetric_share_M", .title = "sym.", .format = "%.2f"},
        {"rank_N", .title = "rank N"},
        {"effective_rank_N", .title = "eff.", .format = "%.1f"},
        {"largest_N", .title = "s1", .format = "%.3g"}};
    Sheet sheet = sheet_of(columns, 10);
    int d = m->attention.d_model;
    for (int p = 0; p < m->places; p++) {
        const char *place = m->place[p].name;
        Canonical form = model_form(m, p);
        if (!form.m)
            fail("%s: %s has no canonical form: %s", place, m->config.variant,
                 form.why);
        for (int h = 0; h < form.heads; h++) {
            double scale = form.scale[h];
            const double *matrix = form.m + h * d * d;
            Spectrum M = spectrum_of(matrix, d);
            Spectrum N = spectrum_of(form.n + h * d * d, d);
            sheet_row(&sheet, cell_words(place), cell_number(h + 1),
                      cell_number(scale), cell_number(M.rank),
                      cell_number(M.effective_rank),
                      cell_number(fabs(scale) * M.largest),
                      cell_number(symmetric_share(matrix, d)),
                      cell_number(N.rank), cell_number(N.effective_rank),
                      cell_number(N.largest));
        }
        canonical_free(&form);
    }
    sheet_note(
        &sheet, "forms",
        copy_text(
            "Head i is softmax(s x M_i y') y N_i, with positions that rotate q "
            "and k at distance 0. eff.: effective rank; s1: the largest "
            "singular value, of s M_i and of N_i; sym.: the share of M_i that "
            "equals its transpose, 1 for all, 0.5 if random."));
    sheet_print(&sheet, layout);
}
