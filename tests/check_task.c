/* check_task.c - what the tasks draw, and how a text is read. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "suites.h"
#include "tasks/corpus.h"
#include "tasks/tasks.h"

enum { GAMES = 200 };

static Dataset
open_task(const char *name, const char *more)
{
    Config c = task_start(name);
    config_apply(&c, more);
    c.task = interned(name);
    return dataset_open(&c);
}

/* The words of a setting are in the order of the enum that numbers them. */
TEST(words_are_in_the_order_of_their_enum)
{
#define NUMBERED(NAME) \
    {                  \
#NAME, NAME    \
    }
    /* clang-format off */
    static const struct { const char *name; int number; } all[] = {
        NUMBERED(OPTIMIZER_ADAM), NUMBERED(OPTIMIZER_ADAMW), NUMBERED(OPTIMIZER_SGD), NUMBERED(OPTIMIZER_MUON),
        NUMBERED(SCHEDULE_CONSTANT), NUMBERED(SCHEDULE_COSINE), NUMBERED(EMBED_LEARNED), NUMBERED(EMBED_ONEHOT),
        NUMBERED(CROSS_NONE), NUMBERED(CROSS_ONLY), NUMBERED(CROSS_AFTER), NUMBERED(NORM_NONE), NUMBERED(NORM_PRE), NUMBERED(NORM_RMS),
        NUMBERED(MASK_NONE), NUMBERED(MASK_CAUSAL), NUMBERED(POSITIONS_NONE), NUMBERED(POSITIONS_LEARNED),
        NUMBERED(POSITIONS_ROPE), NUMBERED(POSITIONS_ALIBI)};
    /* clang-format on */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *setting = copy_text(all[i].name), *word = strchr(setting, '_');
        for (char *c = setting; *c; c++)
            *c = (char)tolower(*c);
        *word++ = 0;
        ck_assert_int_eq(index_in(setting_named(setting)->choices, word),
                         all[i].number);
    }
}

/* What each task says of itself, checked on one sequence. */
static void
check_sequence(const Dataset *s, const Batch *e)
{
    const int *ids = e->ids, *y = e->targets;
    const Config *c = &s->config;
    const char *task = s->task->name;
    int n = c->length, tokens = s->sizes.tokens;
    for (int t = 0; t < tokens; t++) {
        int wanted = -1;
        if (!strcmp(task, "reverse"))
            wanted = ids[n - 1 - t];
        else if (!strcmp(task, "subset"))
            wanted = y[t]; /* see fixed_places */
        else if (!strcmp(task, "sort")) {
            int smaller = 0, equal = 0;
            for (int i = 0; i < n; i++) {
                smaller += ids[i] < y[t];
                equal += ids[i] == y[t];
            }
            wanted = smaller <= t && t < smaller + equal ? y[t] : -2;
        } else if (!strcmp(task, "recall")) {
            for (int i = 0; t >= n && i < n; i++)
                if (ids[2 * i] == ids[2 * t])
                    wanted = ids[2 * i + 1] - c->symbols;
        } else if (!strcmp(task, "cross-recall")) {
            for (int i = 0; i < n; i++)
                if (e->source[2 * i] == ids[2 * t])
                    wanted = e->source[2 * i + 1] - c->symbols;
        } else if (!strcmp(task, "translate")) {
            wanted = e->source[n - 1 - t];
            ck_assert(ids[t] == (t ? y[t - 1] : c->symbols));
        } else if (!strcmp(task, "mqar")) {
            for (int i = 0; t >= 2 * n && i < n; i++)
                if (ids[2 * i] == ids[t])
                    wanted = ids[2 * i + 1] - c->symbols;
        } else if (!strcmp(task, "induction")) {
            /* after the token's last occurrence stood the answer */
            for (int i = t - 1; i >= 0 && wanted < 0; i--)
                if (ids[i] == ids[t])
                    wanted = ids[i + 1];
        }
        ck_assert_msg(y[t] == wanted, "%s, token %d: %d, not %d", task, t, y[t],
                      wanted);
    }
    for (int i = 0; i < tokens * s->sizes.each; i++)
        ck_assert(ids[i] >= (s->sizes.each > 1 ? -1 : 0) &&
                  ids[i] < s->sizes.vocabulary);
}

TEST(draws_are_as_told)
{
    for (int k = 0; k < task_count; k++) {
        if (!tasks[k].task->draw)
            continue;
        Dataset s = open_task(tasks[k].task->name, "");
        Batch b = batch_new(s.sizes, 1);
        Random r = dataset_stream(&s, TRAINING);
        int answers[64] = {0};
        for (int game = 0; game < GAMES; game++) {
            dataset_draw(&s, TRAINING, &r, game, &b);
            check_sequence(&s, &b);
            for (int t = 0; t < b.rows; t++) {
                ck_assert(b.targets[t] < s.sizes.classes || s.sizes.step);
                if (b.targets[t] >= 0)
                    answers[b.targets[t]]++;
            }
        }
        for (int i = 0; i < s.sizes.classes && !s.sizes.step; i++)
            ck_assert_msg(answers[i] > 0, "%s never answers %d",
                          tasks[k].task->name, i);
    }
}

/* The bytes that a task draws with these settings: a few sequences. */
static uint64_t
drawn(const char *task, const char *settings)
{
    Dataset s = open_task(task, settings);
    Batch b = batch_new(s.sizes, 4);
    Random r = dataset_stream(&s, TRAINING);
    uint64_t hash = hash_bytes(HASH_START, &s.sizes, sizeof s.sizes);
    dataset_draw(&s, TRAINING, &r, 0, &b);
    size_t ids = (size_t)(b.rows * b.each + b.rows + b.source_rows * b.each);
    hash = hash_bytes(hash, b.ids, ids * sizeof *b.ids);
    batch_free(&b);
    return hash;
}

/* Setting.users names the tasks whose sequences the setting changes. */
TEST(tasks_use_the_settings_that_they_are_listed_for)
{
    static const char *const others[] = {"symbols=40", "values=5", "queries=3",
                                         "members=2"};
    for (int k = 0; k < task_count; k++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            const char *task = tasks[k].task->name;
            char *name = copy_text(others[i]);
            *strchr(name, '=') = 0;
            if (!tasks[k].task->draw) /* the text needs a file */
                continue;
            const Setting *s = setting_named(name);
            bool same = drawn(task, "") == drawn(task, others[i]);
            ck_assert_msg(same == (index_in(s->users, task) < 0),
                          "%s: is %s listed for it?", task, name);
        }
}

/* In which places do tokens speak with answer t in every game? Counted is how
   often token j, of -1 and +1, goes with it. */
TEST(fixed_places)
{
    enum { MOST_TOKENS = 32 };
    Dataset s = open_task("subset", "length=12");
    Batch b = batch_new(s.sizes, 1);
    Random r = dataset_stream(&s, TRAINING);
    double together[MOST_TOKENS][MOST_TOKENS] = {{0}};
    int n = s.sizes.tokens, members = s.config.members, games = 4000;
    for (int game = 0; game < games; game++) {
        dataset_draw(&s, TRAINING, &r, game, &b);
        for (int t = 0; t < n; t++)
            for (int j = 0; j < n; j++)
                together[t][j] +=
                    (2 * b.ids[j] - 1) * (2 * b.targets[t] - members) / 2.;
    }
    for (int t = 0; t < n; t++) {
        int found = 0;
        for (int j = 0; j < n; j++)
            found += together[t][j] > 0.4 * games;
        ck_assert_int_eq(found, members);
    }
    /* and the answer is the sum over them, in each game */
    for (int game = 0; game < GAMES; game++) {
        dataset_draw(&s, TRAINING, &r, game, &b);
        for (int t = 0; t < n; t++) {
            int sum = 0;
            for (int j = 0; j < n; j++)
                sum += together[t][j] > 0.4 * games && b.ids[j];
            ck_assert_int_eq(sum, b.targets[t]);
        }
    }
    ck_assert(fabs(s.sizes.first + 2 * s.sizes.step) < 1e-12);
}

/* Facts known without playing: chance is 1/classes; an arbitrary stored value
   is right in 1 of n cases, and in 1 of `values` of the others. */
TEST(levels)
{
    for (int k = 0; k < task_count; k++) {
        if (!tasks[k].task->draw)
            continue;
        Dataset s = open_task(tasks[k].task->name, "");
        Baselines l = dataset_baselines(&s, VALIDATION);
        if (s.sizes.step) { /* answering with the mean explains nothing */
            ck_assert(l.chance == 0 && l.trivial == 0 && l.chance_loss >= 1);
            continue;
        }
        ck_assert(fabs(l.chance * s.sizes.classes - 1) < 1e-12);
        ck_assert(fabs(l.chance_loss - log(s.sizes.classes)) < 1e-12);
        ck_assert(isnan(l.bigram_loss));
        ck_assert_msg(l.trivial > l.chance && l.trivial < 0.5, "%s: %g",
                      tasks[k].task->name, l.trivial);
        double n = s.config.length, v = s.config.values;
        if (!strcmp(tasks[k].task->name, "recall") ||
            !strcmp(tasks[k].task->name, "mqar"))
            ck_assert(fabs(l.trivial - 1 / n - (1 - 1 / n) / v) < 0.025);
    }
}

/* Training, validation and test are different data, the same at each call, and
   another seed has others. */
TEST(splits_are_apart)
{
    Dataset s = open_task("reverse", "seed=1"),
            other = open_task("reverse", "seed=2");
    Batch b[4];
    for (int i = 0; i < 4; i++) {
        const Dataset *from = i < 3 ? &s : &other;
        Split split = i < 3 ? (Split)i : TRAINING;
        b[i] = batch_new(s.sizes, 4);
        for (int again = 0; again < 2; again++) {
            Random r = dataset_stream(from, split);
            int first = b[i].ids[0];
            ck_assert_int_eq(dataset_draw(from, split, &r, 0, &b[i]), 4);
            ck_assert(!again || b[i].ids[0] == first);
        }
        for (int k = 0; k < i; k++)
            ck_assert(
                memcmp(b[i].ids, b[k].ids, (size_t)b[i].rows * sizeof(int)));
    }
}

/* 70 test sequences in batches of 32: the last one holds 6. */
TEST(the_last_batch_is_smaller)
{
    Dataset s = open_task("recall", "test=70");
    Batch b = batch_new(s.sizes, 32);
    Random r = dataset_stream(&s, TEST);
    ck_assert_int_eq(dataset_draw(&s, TEST, &r, 0, &b), 32);
    ck_assert_int_eq(dataset_draw(&s, TEST, &r, 1, &b), 32);
    ck_assert_int_eq(dataset_draw(&s, TEST, &r, 2, &b), 6);
    ck_assert_int_eq(b.rows, 6 * s.sizes.tokens);
    ck_assert_int_eq(dataset_draw(&s, TEST, &r, 3, &b), 0);
}

static char *
text_file(const char *content, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/text-XXXXXX", test_directory);
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, content, size) == (ssize_t)size);
    close(file);
    return path;
}

TEST(text_is_cut_into_characters)
{
    char content[401] = "";
    for (int i = 0; i < 40; i++)
        strcat(content, "aé€\xf0\x9d\x84\x9e"); /* 1, 2, 3 and 4 bytes */
    char *path = text_file(content, strlen(content));
    Corpus *t = corpus_open(path, 8);
    ck_assert_int_eq(t->begin[3], 160);
    ck_assert_int_eq(t->names.count, 4);
    const char *const names[] = {"a", "é", "€", "\xf0\x9d\x84\x9e"};
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(t->names.text[t->ids[i]], names[i]);
    ck_assert_int_eq(t->begin[1], 128);
    ck_assert_int_eq(t->begin[2], 144);
}

/* The first and the last character of each length. */
TEST(characters_at_the_ends)
{
    char content[1024] = "";
    for (int i = 0; i < 20; i++)
        strcat(content, "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf"
                        "\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80"
                        "\xf4\x8f\xbf\xbf");
    Corpus *t = corpus_open(text_file(content, strlen(content)), 8);
    const char *const names[] = {"\x01",
                                 "\x7f",
                                 "\xc2\x80",
                                 "\xdf\xbf",
                                 "\xe0\xa0\x80",
                                 "\xed\x9f\xbf",
                                 "\xee\x80\x80",
                                 "\xef\xbf\xbf",
                                 "\xf0\x90\x80\x80",
                                 "\xf4\x8f\xbf\xbf"};
    ck_assert_int_eq(t->begin[3], 200);
    ck_assert_int_eq(t->names.count, 10);
    for (int i = 0; i < 10; i++)
        ck_assert_str_eq(t->names.text[i], names[i]);
}

/* "abababab...": the pair tells everything. */
TEST(text_baselines)
{
    char content[2000];
    for (int i = 0; i < 2000; i++)
        content[i] = "ab"[i % 2];
    char *path = text_file(content, sizeof content);
    Corpus *t = corpus_open(path, 16);
    PairBaseline c = pair_baseline(t, VALIDATION);
    /* 799 or 800 of each pair in training, one added to each of two */
    ck_assert(fabs(c.loss - log(802. / 801)) < 2e-3);
    ck_assert(c.accuracy == 1);
}

/* Validation windows: inside the part, one after the other, each target the
   next character. */
TEST(text_windows)
{
    char content[3000];
    for (int i = 0; i < 3000; i++)
        content[i] = (char)('a' + i * 7 % 26);
    char *path = text_file(content, sizeof content), more[128];
    Config c = task_start("text");
    snprintf(more, sizeof more, "file=%s length=16 batch=4", path);
    config_apply(&c, more);
    c.task = interned("text");
    Dataset s = dataset_open(&c);
    ck_assert(c.file_hash != 0);
    Batch b = batch_new(s.sizes, 4);
    Random r = dataset_stream(&s, VALIDATION);
    int windows = 0, got;
    for (int i = 0; (got = dataset_draw(&s, VALIDATION, &r, i, &b)); i++)
        for (int k = 0; k < got; k++, windows++)
            for (int t = 0; t < 16; t++) {
                int at = 2400 + windows * 16 + t;
                ck_assert_int_eq(*s.corpus->names.text[b.ids[k * 16 + t]],
                                 content[at]);
                ck_assert_int_eq(*s.corpus->names.text[b.targets[k * 16 + t]],
                                 content[at + 1]);
            }
    ck_assert_int_eq(windows, 18); /* of 299 characters with a next one */
}

/* What is no UTF-8 (RFC 3629), and what cannot be a text at all: exit 1. */
EXITS(bad_text, 1, 10)
{
    expect_a_message();
    static const char *const bad[] = {
        "\x80",         "\xc3",         "\xc0\x80",
        "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xff",         "\xe2\x82",     "",
        "too short",
    };
    char content[600] = "";
    const char *piece = bad[_i];
    if (_i < 8)
        memset(content, 'x', 500);
    strcat(content, piece);
    corpus_open(text_file(content, strlen(content)), 8);
}

EXITS(zero_bytes_are_no_text, 1, 1)
{
    expect_a_message();
    corpus_open(text_file("ab\0cdefghijklmnopqrstuvwxyz", 26), 1);
}
