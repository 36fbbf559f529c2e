/* check_run.c - configs, tables and the directory of a run. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/npy.h"
#include "base/words.h"
#include "heart/fail.h"
#include "run/experiment.h"
#include "suites.h"
#include "training/build_model.h"

/* Every setting survives being printed and read. */
TEST(settings_round_trip)
{
    Config a = config_start(), b = config_start();
    config_apply(&a, "lr=0.1234567890123456 beta2=1e-300 seed=2147483647 "
                     "norm=pre positions=rope mask=causal d-k=7 "
                     "optimizer=adamw file-hash=00ff00ff00ff00ff task=sort");
    for (int i = 0; i < setting_count; i++) {
        ck_assert(
            !setting_set(&settings[i], &b, setting_text(&settings[i], &a)));
    }
    ck_assert(a.lr == b.lr && a.beta2 == b.beta2 && a.seed == b.seed);
    char x[9], y[9];
    config_digest(&a, x);
    config_digest(&b, y);
    ck_assert_str_eq(x, y);
    b.beta1 = 0.8;
    config_digest(&b, y);
    ck_assert_str_ne(x, y);
}

/* Each has one role; shape is what plugins may declare, and what nobody may
   give is record. */
TEST(roles_of_settings)
{
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        ck_assert_msg(s->role && !(s->role & (s->role - 1)), "%s", s->name);
        ck_assert_msg((s->role == OF_SHAPE) ==
                          (index_in(SHAPE_OPTIONS, s->name) >= 0),
                      "%s", s->name);
        ck_assert_msg((s->role == OF_RECORD) == !s->help, "%s", s->name);
    }
}

TEST(wrong_values_are_refused)
{
    static const char *const wrong[][2] = {
        {"heads", ""},          {"heads", "x"},       {"heads", "2.5"},
        {"heads", "-1"},        {"d-model", "0"},     {"d-model", "1e30"},
        {"d-model", " 8"},      {"d-model", "8 "},    {"d-model", "nan"},
        {"lr", "-1"},           {"lr", "inf"},        {"lr", "1e"},
        {"norm", "post"},       {"norm", ""},         {"norm", "none pre"},
        {"task", "a\tb"},       {"mask", "caus"},     {"threshold", "1.01"},
        {"seed", "3000000000"}, {"file-hash", "xyz"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Config c = config_start();
        const char *why =
            setting_set(setting_named(wrong[i][0]), &c, wrong[i][1]);
        ck_assert_msg(why != NULL, "%s=%s", wrong[i][0], wrong[i][1]);
    }
    ck_assert(!setting_named("no-such"));
}

/* What a setting may be at least and at most, and what lies beyond. */
TEST(ends_of_settings)
{
    static const struct {
        const char *names, *below, *least, *most, *above;
    } ends[] = {
        {"seed", "-1", "0", "2147483647", "2147483648"},
        {"length symbols values members d-model batch validate", "0", "1",
         "1000000", "1000001"},
        {"queries heads d-k d-v kv-heads latent", "-1", "0", "1000000",
         "1000001"},
        {"layers", "0", "1", "1000", "1001"},
        {"encoder mlp", "-1", "0", "1000", "1001"},
        {"steps warmup", "-1", "0", "1000000000", "1000000001"},
        {"log-every test", "0", "1", "1000000000", "1000000001"},
        {"lr weight-decay", "-1e-9", "0", "1e6", "1000001"},
        {"momentum beta1", "-1e-9", "0", "0.999999", "1"},
        {"beta2", "-1e-9", "0", "0.999999999", "1"},
        {"threshold", "-1e-9", "0", "1", "1.000001"},
    };
    int tried = 0, ranges = 0;
    for (int i = 0; i < setting_count; i++)
        ranges += settings[i].help && settings[i].kind & NUMERIC;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *names = copy_text(ends[i].names);
        for (char *s = strtok(names, " "); s; s = strtok(NULL, " "), tried++) {
            const Setting *one = setting_named(s);
            Config c = config_start();
            ck_assert_msg(setting_set(one, &c, ends[i].below) != NULL, "%s", s);
            ck_assert_msg(!setting_set(one, &c, ends[i].least), "%s", s);
            ck_assert_msg(!setting_set(one, &c, ends[i].most), "%s", s);
            ck_assert_msg(setting_set(one, &c, ends[i].above) != NULL, "%s", s);
        }
        free(names);
    }
    ck_assert_int_eq(tried, ranges);
}

/* What a variant does not use does not make two runs of one. */
TEST(unused_shape_options_are_dropped)
{
    Config a = config_start(), b = config_start();
    config_apply(&a, "d-k=4");
    config_apply(&b, "d-k=16");
    config_resolve(&a, "heads d-v");
    config_resolve(&b, "heads d-v");
    char x[9], y[9];
    config_digest(&a, x);
    config_digest(&b, y);
    ck_assert_str_eq(x, y);
    ck_assert_int_eq(a.d_k, 0);
    ck_assert_int_eq(a.d_v, 8);
}

EXITS(contradictions_are_refused, 2, 6)
{
    expect_a_message();
    static const char *const wrong[] = {
        "heads=3",
        "heads=0",
        "heads=1000000 d-k=2000 d-v=1",
        "heads=1000000 d-k=1 d-v=3000",
        "heads=4000 latent=1000000",
        "heads=4000 d-model=1000000 d-k=1 d-v=1 latent=1"};
    Config c = config_start();
    config_apply(&c, wrong[_i]);
    config_resolve(&c, "heads d-k d-v latent");
}

/* A small run, trained and written. */
static Run
written(const char *name)
{
    Config c = config_start();
    config_apply(&c, "steps=20 test=8 validate=8 d-model=8 heads=2 seed=5");
    Plugin p = plugin_open("standard");
    config_resolve(&c, p.variant->shape);
    c.plugin_hash = p.hash;
    Dataset s = dataset_open(&c);
    Model *m = model_new(&c, s.sizes, p.variant);
    Finished e = {.result = train(m, &s, NULL, NULL)};
    Result r = e.result;
    char *path = format_text("%s/%s", test_directory, name);
    for (int i = 0; i < 3; i++) { /* the second finds the first, and stays */
        Draft *d = draft_begin(test_directory, name);
        char *to = run_write(d, name, m, &e, &(Observer){0}, &s);
        matrices_write(to, "weights", m, m->values);
        ck_assert(draft_end(d, i == 2 ? REPLACE_OLD : KEEP_OLD) == (i != 1));
        ck_assert(run_exists(test_directory, name));
    }
    Run run = run_read(path);
    ck_assert(run_number(&run, "test_loss") > 0);
    ck_assert(fabs(run_number(&run, "test_loss") / r.test_loss - 1) < 1e-9);
    ck_assert_int_eq(run.log.rows, r.count);
    ck_assert_str_eq(run_text(&run, "status"), "finished");
    ck_assert(run_number(&run, "parameters") == (double)m->parameters);
    free(r.rows);
    model_free(m);
    free(path);
    return run;
}

TEST(a_run_round_trips)
{
    Run run = written("round-trip");
    char x[9], y[9];
    Run again = run_read(run.path);
    config_digest(&run.config, x);
    config_digest(&again.config, y);
    ck_assert_str_eq(x, y);
    ck_assert_int_eq(again.config.seed, 5);
    discard(within(test_directory, "round-trip"));
    ck_assert(!run_exists(test_directory, "round-trip"));
}

/* Puts a file of that word into the draft's directory NAME. */
static Draft *
drafted(const char *word)
{
    Draft *d = draft_begin(test_directory, "thing");
    char *inner = new_directory(d->path, "thing");
    FILE *file = begin_file(inner, word);
    fputs(word, file);
    end_file(file, inner, word);
    return d;
}

static bool
there(const char *word)
{
    char *name = format_text("thing/%s", word);
    bool is = !access(within(test_directory, name), F_OK);
    free(name);
    return is;
}

/* Whole or not at all; replaced only where that is asked for; what the draft
   still has, and what was there before, goes with it. */
TEST(drafts_are_published)
{
    static const char *const words[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        Draft *d = drafted(words[i]);
        char *hidden = d->path;
        ck_assert(!there(words[i]));
        ck_assert(draft_end(d, i == 2 ? REPLACE_OLD : KEEP_OLD) == (i != 1));
        ck_assert(there(words[i]) == (i != 1));
        ck_assert(access(hidden, F_OK));
    }
    ck_assert(!there("one"));
    discard(within(test_directory, "thing"));
}

/* A draft is swept away when its writer is gone, and not before. */
TEST(drafts_are_swept)
{
    int says[2], status;
    char left[4096];
    Draft *mine = drafted("mine");
    ck_assert(!pipe(says));
    pid_t child = fork();
    if (child == 0) {
        char *path = drafted("left")->path;
        if (write(says[1], path, strlen(path) + 1) < 0)
            _exit(1);
        pause();
    }
    ck_assert(read(says[0], left, sizeof left) > 0);
    drafts_sweep(test_directory);
    ck_assert(!access(left, F_OK));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ck_assert(!access(left, F_OK));
    drafts_sweep(test_directory);
    ck_assert(access(left, F_OK) && !access(mine->path, F_OK));
    draft_end(mine, REPLACE_OLD);
    ck_assert(there("mine"));
    discard(within(test_directory, "thing"));
    close(says[0]);
    close(says[1]);
}

/* An experiment's runs are those whose names end in their settings' digest. */
TEST(an_experiment_of_runs)
{
    char digest[DIGEST_SIZE];
    Run run = written("first");
    config_digest(&run.config, digest);
    char *name = format_text("a.name.%s", digest);
    char *directory = within(test_directory, "experiment");
    mkdir(directory, 0777);
    ck_assert(!rename(run.path, within(directory, name)));
    /* a copy elsewhere counts once */
    Run copy = written("copy");
    char *same = within(test_directory, name);
    ck_assert(!rename(copy.path, same));
    const char *const paths[] = {same, directory};
    Experiment e = experiment_read(paths, 2);
    ck_assert_int_eq(e.count, 1);
    free(name);
}

/* The header of a matrix, byte by byte, and the numbers behind it. */
TEST(matrices_are_npy)
{
    Run run = written("matrices");
    size_t size;
    char *path = format_text("%s/weights/block0.attention.W_Q.npy", run.path);
    char *bytes = read_file(path, "matrix", &size), wanted[128];
    ck_assert_uint_eq(size, 128 + 64 * sizeof(real));
    ck_assert(!memcmp(bytes, "\x93NUMPY\x01\x00\x76\x00", 10));
    snprintf(wanted, sizeof wanted,
             "{'descr': '<f%zu', 'fortran_order': False, 'shape': (8, 8), }",
             sizeof(real));
    ck_assert(!memcmp(bytes + 10, wanted, strlen(wanted)));
    ck_assert(bytes[127] == '\n');
    real first;
    memcpy(&first, bytes + 128, sizeof first);
    ck_assert(isfinite(first) && first != 0);
    free(bytes);
    free(path);
}

/* What is read back is what was written, and forward gives the same logits. */
TEST(models_round_trip)
{
    Run run = written("model");
    Dataset s;
    Model *m = run_model(&run, &s);
    double loss, accuracy;
    Batch b = batch_new(s.sizes, m->config.batch);
    Tape *t = tape_new(COMPUTE);
    evaluate(m, &s, TEST, t, &b, &loss, &accuracy);
    ck_assert(fabs(loss / run_number(&run, "test_loss") - 1) < 1e-9);
    char *path = format_text("%s/weights/unembedding.npy", run.path);
    real other[2][80];
    npy_read(path, other[0], 8, 10);
    npy_write(run.path, "weights/unembedding.npy", NPY_REALS, other[0],
              (NpyShape){.first = 8, .second = 10});
    npy_read(path, other[1], 8, 10);
    ck_assert(!memcmp(other[0], other[1], sizeof *other));
    free(path);
    tape_free(t);
    batch_free(&b);
    model_free(m);
}

/* A matrix of another kind than the one that belongs there: exit 1. */
EXITS(malformed_matrices, 1, 8)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", /* right,
                                                          but cut short */
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 9), }",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2), }",
        "{}",
        "",
    };
    expect_a_message();
    char path[128], bytes[10 + 128 + 16] = "\x93NUMPY\x01\x00\x80";
    real values[6];
    memset(bytes + 10, ' ', 128);
    memcpy(bytes + 10, headers[_i], strlen(headers[_i]));
    snprintf(path, sizeof path, "%s/bad%d.npy", test_directory, _i);
    if (_i == 7)
        bytes[0] = 'x'; /* the magic */
    FILE *file = fopen(path, "wb");
    ck_assert(file && fwrite(bytes, sizeof bytes, 1, file) == 1);
    fclose(file);
    npy_read(path, values, 2, _i ? 2 : 3);
}

/* One file of a run replaced by something else: refused, exit 1. */
EXITS(broken_runs, 1, 7)
{
    expect_a_message();
    static const char *const broken[][2] = {
        {"config.tsv", ""},
        {"config.tsv", "key\tvalue\nformat\t3\n"},
        {"config.tsv", "key\tvalue"},
        {"log.tsv", "step\tloss\n1\n"},
        {"log.tsv", ""},
        {"result.tsv", "key\n"},
        {"result.tsv", "key\tvalue\ntest_loss\tlow\n"},
    };
    char name[32];
    snprintf(name, sizeof name, "broken%d", _i);
    Run run = written(name);
    char *path = format_text("%s/%s", run.path, broken[_i][0]);
    int file = open(path, O_WRONLY | O_TRUNC);
    size_t size = strlen(broken[_i][1]);
    ck_assert(write(file, broken[_i][1], size) == (ssize_t)size);
    close(file);
    Run again = run_read(run.path);
    run_number(&again, "test_loss");
}

static char *
manifest_for(const char *lr, const char *baseline)
{
    char *a = copy_text("compare");
    manifest_add(&a, "variant", "mqa,standard");
    manifest_add(&a, "task", "reverse");
    manifest_add(&a, "seed", "1");
    manifest_add(&a, "lr", lr);
    manifest_add(&a, "baseline", baseline);
    return a;
}

static void
ask(char *place, char *a)
{
    experiment_open(place, a);
    free(a);
}

/* Each command once, in its order, and what all of them said counts. Several
   may be recorded at the same time. */
TEST(what_was_asked)
{
    enum { CHILDREN = 8 };
    char *place = within(test_directory, "asked");
    ask(place, manifest_for("0.1,0.2", "standard"));
    ask(place, manifest_for("0.1,0.2", "standard"));
    ask(place, manifest_for("0.1,0.2", "mqa"));
    Experiment e = {0};
    manifest_read(place, &e.record);
    ck_assert_int_eq(e.record.count, 2);
    ck_assert_str_eq(recorded_value(&e, "lr"), "0.1,0.2");
    ck_assert(!recorded_value(&e, "baseline"));
    e.record.count = 1;
    ck_assert_str_eq(recorded_value(&e, "baseline"), "standard");
    ck_assert(setting_was_given(&e, "lr") && !setting_was_given(&e, "r"));
    e.record.count = 2;
    for (int i = 0; i < CHILDREN; i++)
        if (!fork()) {
            ask(place, manifest_for(format_text("%d", i + 1), "standard"));
            _exit(0);
        }
    for (int i = 0; i < CHILDREN; i++)
        wait(NULL);
    Values list = {0};
    manifest_read(place, &list);
    ck_assert_int_eq(list.count, 2 + CHILDREN);
    for (int i = 2; i < list.count; i++)
        ck_assert_str_eq(manifest_value(list.text[i], "baseline"), "standard");
}

/* It holds a run, but no experiment.tsv. */
EXITS(a_directory_that_is_no_experiment, 1, 1)
{
    expect_a_message();
    written("stray");
    experiment_open(test_directory, copy_text("train"));
}

TEST(names_of_runs)
{
    static const char uses[] = "heads d-k d-v";
    Config a = config_start();
    a.variant = interned("./somewhere/mine.so");
    config_apply(&a, "seed=4 d-k=3 lr=0.01");
    config_resolve(&a, uses);
    char *name = run_name(&a, uses);
    ck_assert_msg(!strncmp(name, "reverse.mine.d-k3.lr0.01.seed4.", 31), "%s",
                  name);
    ck_assert_uint_eq(strlen(name), 39);
    free(name);
}

TEST(names_of_plugins)
{
    static const char *const words[] = {"m", "m.so", "./m.so", "a.b/m",
                                        "an+odd_-name0.so"};
    static const char *const names[] = {"m", "m", "m", "m", "an+odd_-name0"};
    char longest[NAME_SIZE];
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(plugin_name(words[i]), names[i]);
    memset(longest, 'x', NAME_SIZE - 1);
    longest[NAME_SIZE - 1] = 0;
    ck_assert_str_eq(plugin_name(longest), longest);
}

EXITS(names_that_no_plugin_has, 2, 8)
{
    expect_a_message();
    static const char *const wrong[] = {"",    "./", "a/.so",   "m.c",
                                        "a b", "m*", "m.so.so", NULL};
    char longer[NAME_SIZE + 1];
    memset(longer, 'x', NAME_SIZE);
    longer[NAME_SIZE] = 0;
    plugin_name(wrong[_i] ? wrong[_i] : longer);
}
