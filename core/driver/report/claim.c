/* claim.c - a claim of a paper: what its recipe expects, what came out, and the
   page of all of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/tsv.h"
#include "base/words.h"
#include "driver/cli/table.h"
#include "driver/figure/draw.h"
#include "driver/report/claim.h"
#include "driver/report/page.h"
#include "driver/results/group.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "run/experiment.h"

enum { CLAIM, SOURCE, PUBLISHED, OURS, HYPOTHESIS, UNTESTABLE, EXPECT, FACTS };
static const struct {
    const char *word, *title;
} facts[FACTS] = {{"claim", "Claim"},
                  {"source", "Source"},
                  {"published", "Published setting"},
                  {"ours", "Setting here"},
                  {"hypothesis", "Hypothesis, written before the run"},
                  {"untestable", "Not testable here"},
                  {"expect", "Expected"}};

enum { MOST_WORDS = 16 };

/* "variant=mqa outcome is same,better", of the table of an earlier line. */
typedef struct Expect {
    int line, command; /* lines of the recipe: its own, and the table's */
    char *text, *words[MOST_WORDS];
    int count;
} Expect;

typedef struct Claim {
    const char *path;
    char *text, *name, *title, *lead; /* text: the whole recipe */
    char *facts[FACTS];               /* or NULL */
    char *commands;                   /* a line each, or NULL */
    Expect *expects;
    int expect_count, room, command; /* the last line with a table */
} Claim;

/* Which fact a line tells, -1 for another line. */
static int
fact_of(const char *line)
{
    size_t n = strcspn(line, " \t");
    for (int i = 0; i < FACTS; i++)
        if (strlen(facts[i].word) == n && !strncmp(line, facts[i].word, n))
            return i;
    return -1;
}

bool
claim_line(const char *line)
{
    return fact_of(line) >= 0;
}

/* Adds a text, and before it what is between, to what is there. */
static void
join(char **to, const char *between, const char *text)
{
    replace(to,
            *to ? format_text("%s%s%s", *to, between, text) : copy_text(text));
}

static void
add_expect(Claim *c, const char *text, int line)
{
    Expect e = {.line = line, .command = c->command, .text = copy_text(text)};
    char *more, *own = copy_text(text), *end = ""; /* kept: the words' */
    char *word = strtok_r(own, " \t", &more);
    for (; word && e.count < MOST_WORDS; word = strtok_r(NULL, " \t", &more))
        e.words[e.count++] = word;
    bool good =
        !word && e.count >= 3 && index_in("is < >", e.words[e.count - 2]) >= 0;
    if (good && strcmp(e.words[e.count - 2], "is"))
        strtod(e.words[e.count - 1], &end);
    for (int i = 0; i < e.count - 3; i++)
        good &= strchr(e.words[i], '=') != NULL;
    if (!good || *end)
        usage("%s:%d: expect \"%s\": give keys and a column's value, as in "
              "variant=mqa outcome is same,better, or to=mqa logits < 1e-5",
              c->path, line, text);
    if (!c->command)
        usage("%s:%d: expect: no command is above, whose table it would be "
              "about",
              c->path, line);
    c->expects =
        grow(c->expects, c->expect_count, &c->room, sizeof *c->expects);
    c->expects[c->expect_count++] = e;
}

static void
read_line(Claim *c, const char *line, int number)
{
    size_t n = strcspn(line, " \t");
    char *word = format_text("%.*s", (int)n, line);
    const char *rest = line + n + strspn(line + n, " \t");
    int fact = fact_of(line);
    if (*line == '#')
        join(c->title ? &c->lead : &c->title, " ", line + 1 + (line[1] == ' '));
    else if (fact >= 0 && !*rest)
        usage("%s:%d: %s: it is empty", c->path, number, word);
    else if (fact == EXPECT)
        add_expect(c, rest, number);
    else if (fact >= 0)
        join(&c->facts[fact], " ", rest);
    else if (index_in("compare equiv count plot double", word) < 0)
        usage("%s:%d: \"%s\" is not one of compare, equiv, count, plot, these "
              "with double before them, claim, source, published, ours, "
              "hypothesis, untestable, expect",
              c->path, number, word);
    else {
        join(&c->commands, "\n", line);
        if (strncmp(strcmp(word, "double") ? line : rest, "plot", 4))
            c->command = number;
    }
    free(word);
}

static void
check_complete(const Claim *c)
{
    for (int i = 0; i < UNTESTABLE; i++)
        if (!c->facts[i])
            usage("%s: no line \"%s\": a claim has claim, source, published, "
                  "ours and hypothesis",
                  c->path, facts[i].word);
    if (!c->title || (!c->expect_count && !c->facts[UNTESTABLE]))
        usage("%s: a claim has a question in its first line, after #, and a "
              "line that begins with expect or untestable",
              c->path);
}

/* "kv-shared" of plots/recipes/claims/kv-shared.txt; to be freed. */
static char *
name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return format_text("%.*s", (int)strcspn(name, "."), name);
}

static Claim
claim_read(const char *path)
{
    size_t size;
    int number = 1;
    Claim c = {.path = path, .text = read_file(path, "recipe", &size)};
    c.name = name_of(path);
    char *all = copy_text(c.text);
    for (char *line = all, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line += strspn(line, " \t");
        line[strcspn(line, "\r")] = 0;
        if (*line)
            read_line(&c, line, number);
    }
    free(all);
    check_complete(&c);
    return c;
}

static void
claim_free(Claim *c)
{
    for (int i = 0; i < c->expect_count; i++) {
        free(c->expects[i].words[0]); /* where the copy begins */
        free(c->expects[i].text);
    }
    for (int i = 0; i < FACTS; i++)
        free(c->facts[i]);
    free(c->expects);
    free(c->commands);
    free(c->lead);
    free(c->title);
    free(c->name);
    free(c->text);
}

void
claim_check(const char *path)
{
    Claim c = claim_read(path);
    claim_free(&c);
}

/* The file that has what the command of a line printed. */
static Path
printed_path(const char *out, int line, const char *ending)
{
    char *name = format_text("claim/line%d.%s", line, ending);
    Path p = below(out, name);
    free(name);
    return p;
}

static void
write_printed(const char *directory, int line, const char *ending,
              const char *text)
{
    char *name = format_text("line%d.%s", line, ending);
    FILE *to = begin_file(directory, name);
    fputs(text, to);
    end_file(to, directory, name);
    free(name);
}

/* Of the results of all runs in a directory. */
static uint64_t
hash_runs(const char *out, int *count)
{
    uint64_t hash = HASH_START;
    Run *runs = experiment_runs(out, count);
    for (int i = 0; i < *count; i++) {
        const Table *t = &runs[i].result;
        for (int k = 0; k < (t->rows + 1) * t->cols; k++)
            hash = hash_bytes(hash, t->cells[k], strlen(t->cells[k]) + 1);
    }
    free_runs(runs, *count);
    return hash;
}

/* What OUT/claim/claim.tsv says; a hash of "" where it is not there. */
typedef struct Record {
    char date[32], runs[32], hash[32];
} Record;

static Record
record_of(const char *out)
{
    Record r = {"-", "-", ""};
    if (access(out, F_OK) || access(below(out, "claim/claim.tsv").text, F_OK))
        return r;
    Table t = table_read_or(below(out, "claim/claim.tsv").text,
                            "run the claim again");
    for (int i = 0; i < t.rows && t.cols == 2; i++) {
        char *const cells[] = {r.date, r.runs, r.hash};
        int key = index_in("date runs hash", table_cell(&t, i, 0));
        const char *value = table_cell(&t, i, 1);
        if (key >= 0 && !value[strspn(value, NAME_LETTERS)])
            snprintf(cells[key], sizeof r.date, "%s", value);
    }
    table_free(&t);
    return r;
}

void
claim_keep(const char *out, const Printed *list, int count)
{
    int runs;
    Record old = record_of(out), now = old;
    uint64_t all = hash_runs(out, &runs);
    time_t today = time(NULL);
    below(out, "claim"); /* which fails for a link */
    Draft *d = draft_begin(out, "claim");
    Path place = new_directory(d->path.text, "claim");
    for (int i = 0; i < count; i++) {
        write_printed(place.text, list[i].line, "tsv", list[i].tsv);
        write_printed(place.text, list[i].line, "md", list[i].markdown);
        if (!runs)
            all = hash_bytes(all, list[i].tsv, strlen(list[i].tsv) + 1);
    }
    snprintf(now.hash, sizeof now.hash, "%016" PRIx64, all);
    if (strcmp(old.hash, now.hash))
        strftime(now.date, sizeof now.date, "%Y-%m-%d", gmtime(&today));
    FILE *to = begin_file(place.text, "claim.tsv");
    fprintf(to, "key\tvalue\nformat\t1\ndate\t%s\nruns\t%d\nhash\t%s\n",
            now.date, runs, now.hash);
    end_file(to, place.text, "claim.tsv");
    draft_publish_all(d);
}

/* --- what came out */

typedef enum { UNMET, OPEN, OPPOSED, MET } Met;
enum { YES, NO, OPPOSITE, UNSETTLED, NOT_TESTABLE, NOT_RUN, VERDICTS };
static const char *const verdicts[VERDICTS] = {
    "reproduced", "not reproduced",    "the opposite",
    "undecided",  "not testable here", "not run yet"};

/* Is a cell what is expected of it? OPEN where it is undecided, OPPOSED where
   it is worse and better was expected, not sameness too; or the other way
   round. */
static Met
met_by(const Expect *e, const char *cell)
{
    const char *value = e->words[e->count - 1], *sign = e->words[e->count - 2];
    if (strcmp(sign, "is")) {
        char *end, beyond = *cell == '>'; /* ">400": who knows how far */
        double x = strtod(cell + beyond, &end), bound = strtod(value, NULL);
        bool is = *sign == '<' ? !beyond && x < bound : x + beyond > bound;
        return is && end > cell + beyond && !*end ? MET : UNMET;
    }
    if (index_in(value, cell) >= 0)
        return MET;
    int side = index_in("better worse more less", cell);
    if (side >= 0 && (side ^ 1) == index_in("better worse more less", value))
        return OPPOSED;
    return strcmp(cell, "undecided") ? UNMET : OPEN;
}

/* The column of that name, in the table that an expect line is about. */
static int
column_of(const Claim *c, const Expect *e, const Table *t, const char *name)
{
    int col = table_column(t, name);
    if (col < 0)
        fail("%s:%d: expect: the table of line %d has no column \"%s\"",
             c->path, e->line, e->command, name);
    return col;
}

/* Does a row of the table have the value of each key? */
static bool
row_matches(const Claim *c, const Expect *e, const Table *t, int row)
{
    bool all = true;
    for (int i = 0; i < e->count - 3; i++) {
        const char *sign = strchr(e->words[i], '=');
        char *key = format_text("%.*s", (int)(sign - e->words[i]), e->words[i]);
        int col = column_of(c, e, t, key);
        all &= !strcmp(table_cell(t, row, col), sign + 1);
        free(key);
    }
    return all;
}

/* What a row tells of a cell: of an outcome the verdict in words, with the
   interval of the difference; to be freed. */
static char *
found_in(const Claim *c, const Expect *e, const Table *t, int row,
         const char *cell)
{
    if (strcmp(e->words[e->count - 3], "outcome"))
        return copy_text(cell);
    int verdict = column_of(c, e, t, "verdict");
    int low = column_of(c, e, t, "difference_low");
    int high = column_of(c, e, t, "difference_high");
    return format_text("%s [%s, %s]", table_cell(t, row, verdict),
                       table_cell(t, row, low), table_cell(t, row, high));
}

/* What an expect line found: the least of what its rows meet, and their cells;
 *found is to be freed. */
static Met
look_up(const Claim *c, const Expect *e, const char *out, char **found)
{
    Met least = MET;
    Values cells = {0};
    Path path = printed_path(out, e->command, "tsv");
    Table t = table_read_or(path.text, "run the claim again");
    int col = column_of(c, e, &t, e->words[e->count - 3]);
    for (int i = 0; i < t.rows; i++) {
        if (!row_matches(c, e, &t, i))
            continue;
        const char *cell = table_cell(&t, i, col);
        Met met = met_by(e, cell);
        values_add(&cells, found_in(c, e, &t, i, cell));
        least = met < least ? met : least;
    }
    least = cells.count ? least : UNMET;
    *found = cells.count ? joined(&cells, "; ") : copy_text("no such row");
    values_free(&cells);
    table_free(&t);
    return least;
}

/* Was it run in `out`, as its recipe is now? */
static bool
was_run(const Claim *c, const char *out)
{
    size_t size;
    if (!c->expect_count || !*record_of(out).hash ||
        access(below(out, "recipe.txt").text, F_OK))
        return false;
    char *text = read_file(below(out, "recipe.txt").text, "recipe", &size);
    bool same = !strcmp(text, c->text);
    free(text);
    return same;
}

/* The verdict, and how many expectations are met. */
static int
verdict_of(const Claim *c, const char *out, int *met)
{
    int count[MET + 1] = {0};
    *met = 0;
    if (!c->expect_count)
        return NOT_TESTABLE;
    if (!was_run(c, out))
        return NOT_RUN;
    for (int i = 0; i < c->expect_count; i++) {
        char *found;
        count[look_up(c, &c->expects[i], out, &found)]++;
        free(found);
    }
    *met = count[MET];
    return *met == c->expect_count             ? YES
           : count[OPPOSED] == c->expect_count ? OPPOSITE
           : count[UNMET] + count[OPPOSED]     ? NO
                                               : UNSETTLED;
}

/* --- the page */

/* What was expected, and what was found. */
static void
write_expects(FILE *to, const Claim *c, const char *out)
{
    static const char *const words[] = {"no", "undecided", "the opposite",
                                        "yes"};
    const Column columns[] = {{.name = "table"},
                              {"expected", .words = true},
                              {"found", .words = true},
                              {"met", .words = true}};
    Sheet sheet = sheet_of(columns, 4);
    int number = 0;
    for (int i = 0; i < c->expect_count; i++) {
        char *found;
        Met met = look_up(c, &c->expects[i], out, &found);
        number += !i || c->expects[i].command != c->expects[i - 1].command;
        sheet_row(&sheet, cell_number(number), cell_words(c->expects[i].text),
                  cell_words(found), cell_words(words[met]));
        free(found);
    }
    fputs("\n", to);
    sheet_write(to, &sheet, MARKDOWN);
    sheet_free(&sheet);
}

/* What each command printed that an expect line is about. */
static void
write_tables(const Page *p, const Claim *c, const char *out)
{
    int number = 0;
    for (int i = 0; i < c->expect_count; i++) {
        int line = c->expects[i].command;
        if (i > 0 && c->expects[i - 1].command == line)
            continue;
        fprintf(p->to, "\nTable %d.\n\n", ++number);
        page_table(p, printed_path(out, line, "md").text);
    }
}

static void
write_figures(FILE *to, const char *out, const char *from)
{
    Path figures = within(out, "figures");
    Values names = figures_in(figures.text);
    for (int i = 0; i < names.count; i++) {
        if (!strcmp(names.text[i], "parameters"))
            continue; /* the tables have them */
        char *seen = figure_caption(figures.text, names.text[i], false);
        char *safe = escaped(seen, MARKDOWN);
        fprintf(to, "\n![%s](%s/%s.svg)\n", safe, from, names.text[i]);
        free(safe);
        free(seen);
    }
    values_free(&names);
}

/* "reproduced (3 of 3 met): 60 runs, 2026-11-23, hash 0123456789abcdef". */
static void
write_verdict(FILE *to, const Claim *c, const char *out)
{
    int met;
    Record r = record_of(out);
    fprintf(to, "- **Verdict.** **%s**", verdicts[verdict_of(c, out, &met)]);
    if (was_run(c, out))
        fprintf(to, " (%d of %d met): %s runs, %s, hash %s", met,
                c->expect_count, r.runs, r.date, r.hash);
    fputs("\n", to);
}

/* A section; its figures are in the directory `from`, as the page sees it. */
static void
write_section(FILE *to, const Claim *c, const char *out, const char *from)
{
    const Page page = {to, MARKDOWN};
    char *title = format_text("%s: %s", c->name, c->title);
    page_heading(&page, title);
    free(title);
    if (c->lead)
        page_text(&page, "%s", c->lead);
    fputs("\n", to);
    for (int i = 0; i < EXPECT; i++) {
        bool partly = i == UNTESTABLE && c->expect_count;
        char *safe = c->facts[i] ? escaped(c->facts[i], MARKDOWN) : NULL;
        if (safe)
            fprintf(to, "- **%s.** %s\n",
                    partly ? "Not tested" : facts[i].title, safe);
        free(safe);
    }
    write_verdict(to, c, out);
    if (was_run(c, out))
        write_expects(to, c, out);
    if (c->commands)
        page_code(&page, c->commands);
    if (was_run(c, out)) {
        write_tables(&page, c, out);
        write_figures(to, out, from);
    }
}

void
claim_write(FILE *to, const char *path, const char *out)
{
    Claim c = claim_read(below(out, "recipe.txt").text);
    c.path = path;
    replace(&c.name, name_of(path));
    write_section(to, &c, out, "figures");
    claim_free(&c);
}

char *
recipes_directory(bool claims)
{
    char *plots = plots_directory();
    char *at = format_text("%s/recipes%s", plots, claims ? "/claims" : "");
    free(plots);
    return at;
}

/* The row of a claim in the table of all; its verdict. */
static int
add_row(Sheet *sheet, const Claim *c, const char *out)
{
    int met, verdict = verdict_of(c, out, &met);
    bool ran = was_run(c, out);
    Record r = ran ? record_of(out) : (Record){"-", "-", "-"};
    char *share = format_text("%d of %d", met, c->expect_count);
    sheet_row(sheet, cell_words(c->name), cell_words(c->title),
              cell_words(verdicts[verdict]), cell_words(ran ? share : "-"),
              cell_words(r.runs), cell_words(r.date), cell_words(r.hash));
    free(share);
    return verdict;
}

static const char head[] =
    "# What papers claim, and what we find\n\n"
    "Each claim is a recipe in `plots/recipes/claims`: its source, the "
    "published setting, ours, and what we expected, all written down before it "
    "was run. Its verdict is computed: *reproduced* if every expectation is "
    "met; *the opposite* if all that should be better is worse, or the other "
    "way round; *undecided* if nothing contradicts it, but more seeds or a "
    "finer grid of learning rates are needed; otherwise *not reproduced*. A "
    "verdict is about our small setting: a claim that fails here may hold "
    "where it was made. Differences are from the baseline, with 95% intervals. "
    "Models for claims about text are trained on `plots/recipes/lessons.text`. "
    "`make claims` runs what is missing and writes this page; `qkv compare "
    "--claim NAME` runs one.\n\n";

void
claims_write(FILE *to, const char *directory)
{
    const Column columns[] = {
        {"claim", .words = true},   {"question", .words = true},
        {"verdict", .words = true}, {"met", .words = true},
        {"runs", .words = true},    {"date", .words = true},
        {"hash", .words = true}};
    char *place = recipes_directory(true), *sections;
    int count[VERDICTS] = {0};
    FILE *below_it = begin_text(&sections);
    Values names = files_in(place, ".txt");
    Sheet sheet = sheet_of(columns, 7);
    for (int i = 0; i < names.count; i++) {
        Path out = within(directory, names.text[i]);
        char *path = format_text("%s/%s.txt", place, names.text[i]);
        char *from = format_text("figures/claims/%s", names.text[i]);
        Claim c = claim_read(path);
        count[add_row(&sheet, &c, out.text)]++;
        write_section(below_it, &c, out.text, from);
        claim_free(&c);
        free(from);
        free(path);
    }
    end_text(below_it, &sections);
    fprintf(to, "%sOf %d claims", head, names.count);
    for (int i = 0; i < VERDICTS; i++)
        if (count[i])
            fprintf(to, ", %d %s", count[i], verdicts[i]);
    fputs(".\n\n", to);
    sheet_write(to, &sheet, MARKDOWN);
    fputs(sections, to);
    sheet_free(&sheet);
    values_free(&names);
    free(sections);
    free(place);
}
