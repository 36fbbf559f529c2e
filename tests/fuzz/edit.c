/* edit.c - what somebody could have done to an experiment, drawn at random. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "task/settings.h"
#include "edit.h"
#include "tree.h"

int
draw(Draw *d, int n)
{
    if (d->random)
        return random_below(d->random, n);
    int high = d->left > 1 && n > 256 ? (d->left--, *d->bytes++) : 0;
    return d->left ? (d->left--, high * 256 + *d->bytes++) % n : 0;
}

const char *
draw_word(Draw *d, const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return words[draw(d, count)];
}

/* clang-format off */
/* $Q is a file that is not there; whatever makes it was run. */
static const char *const commands[] = {
    "x';system(\"echo>$Q\");'", "x\";system('echo>$Q');\"", "<echo>$Q;",
    "<echo${IFS}>$Q;x", "|echo>$Q", "`echo>$Q`", "$(echo>$Q)", "';`echo>$Q`;'",
    "x\nsystem('echo>$Q')\n#", NULL};
static const char *const hostile[] = {
    "x\\\n", "validation_loss';set print 'mine/printed",
    "x}.pdf}\\input{mine/secret}", "\\input{mine/secret}",
    "<script>alert(1)</script>", "![x](http://x.invalid/)",
    "\"><img src=x onerror=alert(1)>", "\033]0;title\007\033[2J", "a\rb",
    "a\177b", "\302\233" "31m", "\377\376", "../../mine/own", "../mine/secret",
    "./canary.so", "canary.so", "--out=mine", "-e", "%s%n%s",
    "{/Symbol @x_y^z}", "a,b", "a b", "", "/dev/stdin", "/dev/zero", "-",
    "mine/own", "step", "loss", "validation_loss", "standard", "./standard.so",
    "foreign/standard.so", "auto:standard+d-k=8",
    "params:standard+heads=1000000", "W_Q=1e300+W_K=nan",
    "attention+scores+gradients+rank+distance", "4+2+1+0.5", NULL};

static const char *const numbers[] = {
    "0", "-0", "1", "-1", "2", "3", "7", "64", "1000000", "1000001", "1e308",
    "1e309", "-1e308", "5e-324", "nan", "-nan", "inf", "-inf", "2147483647",
    "2147483648", "4294967296", "-2147483648", "9223372036854775808", "0x10",
    "1e", "1,5", " 1", "1 ", "0.999999", "1.0000001", "00000000000000000001",
    NULL};

/* clang-format on */

const char *
hostile_word(Draw *d)
{
    static char long_word[6000];
    static const int lengths[] = {255, 256, 1023, 1024, 4096, 5999};
    switch (draw(d, 8)) {
    case 0:
        memset(long_word, 'a', sizeof long_word);
        long_word[lengths[draw(d, 6)]] = 0;
        return long_word;
    case 1:
    case 2:
        return draw_word(d, numbers);
    case 3:
    case 4:
    case 5:
        return draw_word(d, commands);
    default:
        return draw_word(d, hostile);
    }
}

const char *
draw_run(const char *experiment, Draw *d)
{
    static char run[LONGEST];
    list(experiment, 0);
    int runs = 0, chosen[MOST_FILES];
    for (int i = 0; i < found_count; i++) {
        const char *ending = strrchr(found[i], '.');
        if (ending && strcmp(ending, ".tsv") && strcmp(ending, ".txt") &&
            strcmp(ending, ".so"))
            chosen[runs++] = i;
    }
    return runs ? strcpy(run, found[chosen[draw(d, runs)]]) : "";
}

/* --- the bytes of the file that was taken last */

/* `cut` bytes from `at` on become those of `text`. */
static void
overwrite(size_t at, size_t cut, const char *text, size_t n)
{
    if (size - cut + n > MOST_FILE_BYTES)
        return;
    memmove(bytes + at + n, bytes + at + cut, size - at - cut + 1);
    memcpy(bytes + at, text, n);
    size += n - cut;
}

/* Where line `number` begins, or where the text ends. */
static size_t
line_at(int number)
{
    size_t at = 0;
    for (; number > 0 && at < size; number--)
        at += strcspn(bytes + at, "\n") + 1;
    return at < size ? at : size;
}

static int
line_count(void)
{
    int lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    return lines;
}

/* Cell `col` of the line that begins at `at`; its length in *n. */
static size_t
cell_at(size_t at, int col, size_t *n)
{
    for (; col > 0; col--) {
        size_t width = strcspn(bytes + at, "\t\n");
        if (bytes[at + width] != '\t')
            break;
        at += width + 1;
    }
    *n = strcspn(bytes + at, "\t\n");
    return at;
}

static void
edit_cell(Draw *d)
{
    size_t n, line = line_at(draw(d, line_count() + 1));
    size_t at = cell_at(line, draw(d, 6), &n);
    const char *word = draw(d, 2) ? hostile_word(d) : draw_word(d, numbers);
    overwrite(at, n, word, strlen(word));
}

/* One row twice, gone, or in another place. */
static void
edit_rows(Draw *d)
{
    int lines = line_count() + 1, from = draw(d, lines), what = draw(d, 3);
    size_t at = line_at(from), end = line_at(from + 1);
    static char row[MOST_FILE_BYTES];
    memcpy(row, bytes + at, end - at);
    if (what > 0)
        overwrite(at, end - at, "", 0);
    if (what < 2)
        overwrite(line_at(draw(d, lines)), 0, row, end - at);
}

/* One column of all rows twice, or gone, or of another name. */
static void
edit_columns(Draw *d)
{
    int col = draw(d, 6), what = draw(d, 3), lines = line_count();
    const char *word = hostile_word(d);
    for (int i = 0; i < lines; i++) {
        size_t n, at = cell_at(line_at(i), col, &n);
        static char cell[MOST_FILE_BYTES];
        memcpy(cell, bytes + at, n);
        cell[n] = '\t';
        if (what == 0)
            overwrite(at, 0, cell, n + 1);
        else if (what == 1)
            overwrite(at, n + (bytes[at + n] == '\t'), "", 0);
        else if (i == 0)
            overwrite(at, n, word, strlen(word));
    }
}

/* A column more, whose name is hostile and whose cells are numbers. */
static void
add_column(Draw *d)
{
    const char *name = hostile_word(d);
    int lines = line_count();
    for (int i = 0; i < lines; i++) {
        char cell[8192];
        size_t at = line_at(i);
        snprintf(cell, sizeof cell, "\t%s", i ? "0.5" : name);
        overwrite(at + strcspn(bytes + at, "\n"), 0, cell, strlen(cell));
    }
}

/* A setting of config.tsv, or a line of result.tsv, by its name. */
static void
edit_value(Draw *d)
{
    static const char *const keys[] = {"variant",
                                       "task",
                                       "seed",
                                       "length",
                                       "symbols",
                                       "file",
                                       "d-model",
                                       "heads",
                                       "layers",
                                       "from",
                                       "init",
                                       "same-start",
                                       "match",
                                       "steps",
                                       "lr",
                                       "log",
                                       "test",
                                       "validate",
                                       "batch",
                                       "spectrum",
                                       "depth",
                                       "embed",
                                       "mask",
                                       "file-hash",
                                       "format",
                                       "plugin-hash",
                                       "status",
                                       "solved_at",
                                       "parameters",
                                       "test_loss",
                                       "test_accuracy",
                                       "encoder-variant",
                                       "cross-variant",
                                       "chance",
                                       "trivial",
                                       "precision",
                                       NULL};
    const char *key = draw_word(d, keys);
    const char *word = draw(d, 3) ? hostile_word(d) : draw_word(d, numbers);
    for (int i = line_count() - 1; i >= 0; i--) {
        size_t n, at = cell_at(line_at(i), 0, &n);
        if (n != strlen(key) || strncmp(bytes + at, key, n))
            continue;
        at = cell_at(line_at(i), 1, &n);
        overwrite(at, n, word, strlen(word));
        return;
    }
}

static void
edit_bytes(Draw *d)
{
    static const char odd[] = "\0\r\n\t'\"\\%${}<>\033\177\377,;0-";
    size_t at = (size_t)draw(d, (int)size + 1);
    char one = odd[draw(d, sizeof odd - 1)];
    switch (draw(d, 4)) {
    case 0:
        overwrite(at, 0, &one, 1);
        break;
    case 1:
        overwrite(at, at < size, &one, 1);
        break;
    case 2:
        overwrite(at, size - at, "", 0);
        break;
    default:
        overwrite(at, at < size, "", 0);
    }
}

static void
add_recipe_line(Draw *d)
{
    static const char *const lines[] = {
        "# ",
        "plot --y ",
        "plot --x step --y loss --title '",
        "plot --by ",
        "plot --x ",
        "plot --facet ",
        "plot --labels ",
        "plot --out ",
        "plot --format ",
        "plot mine/own --y loss #",
        "plot ../mine/own --y ",
        "compare -v canary.so --steps 1 --no-figures --file ",
        "compare -v standard --steps 1 --test 2 --no-figures --from ",
        "equiv -v ./canary.so --steps 1 --task ",
        "train ",
        "double plot --y ",
        "{plots} ",
        "plot -o mine --y ",
        "plot --size slide --log-y --y ",
        NULL};
    char line[8192];
    snprintf(line, sizeof line, "%s%s%s\n", draw_word(d, lines),
             hostile_word(d), draw(d, 3) ? "" : "'");
    overwrite(line_at(draw(d, line_count() + 1)), 0, line, strlen(line));
}

/* The header of a matrix, or what comes behind it. */
static void
edit_matrix(Draw *d)
{
    static const char *const headers[] = {"(4, 8)",
                                          "(8, 4)",
                                          "(1000000, 1000000)",
                                          "(-1, 8)",
                                          "(8,)",
                                          "()",
                                          "(2147483648, 2)",
                                          "(4294967296, 4294967296)",
                                          "'<f8'",
                                          "'>f4'",
                                          "'<i4'",
                                          "'|O'",
                                          "True",
                                          "\n",
                                          NULL};
    const char *word = draw_word(d, headers);
    char *at = size > 10 ? strchr(bytes + 10, *word == '\'' ? '<' : '(') : NULL;
    float value = draw(d, 2) ? 1.f / 0.f * 0.f : 3e38f;
    switch (draw(d, 4)) {
    case 0: /* as wide as before, so that the header's length is right */
        if (at)
            memcpy(at - (*word == '\''), word, strlen(word));
        break;
    case 1:
        if (size > 132)
            memcpy(bytes + size - 4, &value, 4);
        break;
    case 2:
        if (size > 10)
            bytes[draw(d, 10)] = (char)draw(d, 256);
        break;
    default:
        edit_bytes(d);
    }
}

/* --- what kind of file it is */
static void
replace_file(const char *path, const char *canary, Draw *d)
{
    static const char *const targets[] = {"../mine/secret",
                                          "../../mine/secret",
                                          "../../../mine/secret",
                                          "../mine",
                                          "../mine/own",
                                          "../../mine",
                                          ".",
                                          "..",
                                          "/dev/zero",
                                          "/dev/stdin",
                                          "nothing",
                                          "/proc/self/mem",
                                          NULL};
    struct stat facts;
    char aside[LONGEST + 8];
    int file, what = draw(d, 9);
    if (lstat(path, &facts))
        return;
    if (what == 0 && S_ISREG(facts.st_mode)) {
        file = open(path, O_WRONLY | O_NOFOLLOW);
        (void)!ftruncate(file, draw(d, 2) ? (off_t)1 << 40 : (off_t)3 << 30);
        close(file);
        return;
    }
    if (what == 1) { /* a link to itself under another name */
        snprintf(aside, sizeof aside, "%s.real", path);
        rename(path, aside);
        (void)!symlink(strrchr(aside, '/') + 1, path);
        return;
    }
    erase_tree(path);
    if (what == 2)
        mkfifo(path, 0600);
    else if (what == 3)
        mkdir(path, 0700);
    else if (what == 4)
        close(open(path, O_WRONLY | O_CREAT, 0600));
    else if (what == 5)
        (void)!symlink(canary, path);
    else if (what < 8)
        (void)!symlink(draw_word(d, targets), path);
}

/* Puts the canary where a loader might look. */
static void
plant(const char *experiment, const char *canary, Draw *d)
{
    static const char *const places[] = {"canary.so",
                                         "standard.so",
                                         "double/standard.so",
                                         "full-rank.so",
                                         "variants/standard.so",
                                         "figures/standard.so",
                                         "figures/canary.gp",
                                         ".gnuplot",
                                         "plots/panels.gp",
                                         "gnuplot",
                                         NULL};
    char path[LONGEST], *slash;
    snprintf(path, sizeof path, "%s/%s", experiment, draw_word(d, places));
    slash = strrchr(path, '/');
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
    (void)!symlink(canary, path);
}

/* --- names */

/* config_digest, of whatever the file has; true if it is a config. */
static int
digest_of(const char *run, char digest[9])
{
    char path[LONGEST];
    Config c = config_start();
    uint64_t hash = HASH_START;
    snprintf(path, sizeof path, "%.700s/config.tsv", run);
    if (!take(path))
        return 0;
    for (int i = 0; i < setting_count; i++) {
        char value[VALUE_SIZE] = "", word[VALUE_SIZE];
        const Setting *s = &settings[i];
        size_t n, at = line_at(i + 2);
        cell_at(at, 0, &n);
        at = cell_at(at, 1, &n);
        snprintf(word, sizeof word, "%.*s", (int)(n < 1000 ? n : 1000),
                 bytes + at);
        if (!strcmp(s->name, "plugin-hash") || !strcmp(s->name, "file"))
            continue;
        if (!setting_set(s, &c, word))
            setting_print(s, &c, value);
        if (setting_plugin(s) && *value) {
            char *slash = strrchr(value, '/'),
                 *name = slash ? slash + 1 : value;
            size_t length = strlen(name);
            if (length > 3 && !strcmp(name + length - 3, ".so"))
                length -= 3;
            memmove(value, name, length);
            value[length] = 0;
        }
        hash = hash_bytes(hash, s->name, strlen(s->name) + 1);
        hash = hash_bytes(hash, value, strlen(value) + 1);
    }
    snprintf(digest, 9, "%08llx",
             (unsigned long long)(hash >> 32 ^ hash) & 0xffffffffULL);
    return 1;
}

/* A run's directory gets the digest that belongs to it, perhaps behind another
   name. */
static void
name_run(const char *run, Draw *d)
{
    char digest[9], to[LONGEST];
    const char *end = strrchr(run, '.'), *slash = strrchr(run, '/');
    int other = draw(d, 8) == 0;
    if (draw(d, 8) == 0 || !end || !slash || end < slash ||
        !digest_of(run, digest))
        return;
    const char *word = other ? hostile_word(d) : slash + 1;
    int length = other ? (int)strcspn(word, "/") : (int)(end - slash) - 1;
    if (snprintf(to, sizeof to, "%.*s/%.*s.%s", (int)(slash - run), run,
                 length < 246 ? length : 246, word, digest) < (int)sizeof to)
        rename(run, to);
}

static void
edit_file(const char *path, Draw *d)
{
    const char *ending = strrchr(path, '.');
    int table = ending && !strcmp(ending, ".tsv");
    if (!take(path))
        return;
    if (ending && !strcmp(ending, ".npy"))
        edit_matrix(d);
    else if (!table && draw(d, 3))
        add_recipe_line(d);
    else
        switch (draw(d, 8)) {
        case 0:
            edit_rows(d);
            break;
        case 1:
            edit_columns(d);
            break;
        case 2:
            add_column(d);
            break;
        case 3:
            edit_bytes(d);
            break;
        case 4:
            edit_cell(d);
            break;
        default:
            edit_value(d);
        }
    put_back(path);
}

/* A file whose path ends so, or any. */
static int
draw_file(char path[LONGEST], Draw *d)
{
    static const char *const endings[] = {"config.tsv",
                                          "config.tsv",
                                          "config.tsv",
                                          "log.tsv",
                                          "log.tsv",
                                          "result.tsv",
                                          "result.tsv",
                                          "recipe.txt",
                                          "recipe.txt",
                                          ".npy",
                                          ".npy",
                                          "timing.tsv",
                                          "symbols.tsv",
                                          "equivalence.tsv",
                                          "",
                                          "",
                                          "symbols.tsv",
                                          NULL};
    const char *ending = draw_word(d, endings);
    size_t length = strlen(ending);
    int chosen[MOST_FILES], count = 0;
    for (int i = 0; i < found_count; i++) {
        size_t n = strlen(found[i]);
        if (n >= length && !strcmp(found[i] + n - length, ending))
            chosen[count++] = i;
    }
    if (count)
        strcpy(path, found[chosen[draw(d, count)]]);
    return count;
}

/* --- edits that go together */

/* All files of that name below what `list` found get what the edit does. */
static void
edit_each(const char *name, void (*how)(const char *words, int more),
          const char *words, int more)
{
    for (int i = 0; i < found_count; i++) {
        const char *slash = strrchr(found[i], '/');
        if (strcmp(slash + 1, name) || !take(found[i]))
            continue;
        how(words, more);
        put_back(found[i]);
    }
}

/* Every column `more` is named so. */
static void
rename_column(const char *name, int more)
{
    size_t n, at = cell_at(0, more, &n);
    overwrite(at, n, name, strlen(name));
}

/* The line of that number has that value. */
static void
set_value(const char *value, int more)
{
    size_t n, at = cell_at(line_at(more), 1, &n);
    overwrite(at, n, value, strlen(value));
}

static void
add_line(const char *line, int more)
{
    overwrite(line_at(more), 0, line, strlen(line));
}

/* A column of every log, and a recipe that draws it. */
static void
edit_log_and_recipe(Draw *d)
{
    char line[7000];
    const char *name = hostile_word(d);
    edit_each("log.tsv", rename_column, name, 1 + draw(d, 4));
    snprintf(line, sizeof line, "plot --y '%s'\nplot --y %s\n", name, name);
    if (strchr(name, '\''))
        memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n')));
    edit_each("recipe.txt", add_line, line, 2);
}

/* One word setting of every run. */
static void
edit_setting(Draw *d)
{
    static const char *const values[] = {
        "./standard.so",     "./standard.so",          "./standard.so",
        "./canary.so",       "../worker0/standard.so", "double/standard",
        "foreign/canary.so", "foreign/standard.so",    NULL};
    int i = draw(d, setting_count), plugin = draw(d, 3) > 0;
    if (plugin && draw(d, 2)) /* most often the variant itself, the first */
        i = 0;
    while (plugin ? !setting_plugin(&settings[i]) : settings[i].kind != WORD)
        i = (i + 1) % setting_count;
    const char *value = plugin ? draw_word(d, values) : hostile_word(d);
    edit_each("config.tsv", set_value, value, i + 2);
}

static void
edit_title(Draw *d)
{
    char line[7000];
    snprintf(line, sizeof line, "# %s\n", hostile_word(d));
    edit_each("recipe.txt", add_line, line, draw(d, 2));
}

void
edit(const char *experiment, const char *canary, Draw *d)
{
    static void (*const together[])(Draw *) = {edit_log_and_recipe,
                                               edit_setting, edit_title};
    char path[LONGEST];
    for (int left = 1 + draw(d, 3); left > 0; left--) {
        list(experiment, 1);
        int what = draw(d, 16);
        if (what == 0)
            plant(experiment, canary, d);
        else if (what < 6)
            together[draw(d, 3)](d);
        else if (draw_file(path, d))
            (what < 8 ? replace_file(path, canary, d) : edit_file(path, d));
    }
    list(experiment, 0);
    static char runs[MOST_FILES][LONGEST];
    int count = found_count;
    memcpy(runs, found, sizeof runs);
    for (int i = 0; i < count; i++)
        name_run(runs[i], d);
}
