/* progress.c - how far the runs are, on stderr. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "run/run.h"
#include "driver/sweep/progress.h"

/* A run at work. */
typedef struct Lane {
    const Job *job; /* NULL: none */
    double effort, start;
    LogRow row; /* its last one; step 0 before the first */
} Lane;

static struct {
    const Options *o;
    pid_t owner; /* the driver: a worker that exits draws nothing */
    bool drawing, colour;
    int slots, total, done, failed;
    double effort, finished; /* of all, and of the runs that are done */
    double start, last;      /* when it began, and was drawn */
    Lane *lanes;
    int *lengths, lines; /* of what stands on the terminal */
} state;

/* A frame is put together here and written at once, or it would flicker. */
static char frame[32768];
static size_t used;

PRINTF(1, 2)
static void
put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(frame + used, sizeof frame - used, format, args);
    va_end(args);
    if (n > 0 && used + (size_t)n < sizeof frame)
        used += (size_t)n;
}

static void
show(void)
{
    fwrite(frame, 1, used, stderr);
    used = 0;
}

static struct winsize
terminal_size(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    return size;
}

/* Back to the first line drawn. A terminal that has become narrower since has
   broken the lines anew. */
static void
put_back(int width)
{
    int rows = 0;
    for (int i = 0; i < state.lines; i++)
        rows += state.lengths[i] ? (state.lengths[i] - 1) / width + 1 : 1;
    if (rows > 1)
        put("\033[%dA", rows - 1);
    put("\r\033[J");
    state.lines = 0;
}

/* A run's name without its digest; where that is too long, its begin and seed:
   "induction.full-r..seed3". To be freed. */
static char *
short_name(const char *name, int room)
{
    int whole = (int)(strrchr(name, '.') - name), seed = whole;
    while (seed > 0 && name[seed - 1] != '.')
        seed--;
    int tail = whole - seed, head = room - tail - 2;
    if (whole <= room || head < 1)
        return format_text("%.*s", whole, name);
    return format_text("%.*s..%.*s", head, name, tail, name + seed);
}

enum { BAR = 10, MARGIN = 3 };

/* The columns that are left for a name. */
static int
name_room(const char *facts, int width)
{
    return width - MARGIN - (BAR + 4) - (int)strlen(facts);
}

/* NAME [####......] FACTS, cut where the terminal ends: three columns early, so
   that the ^C which it shows itself begins no new line. */
static void
put_line(const char *name, double share, const char *facts, int width)
{
    int full = (int)floor(BAR * fmin(fmax(share, 0), 1));
    int room = name_room(facts, width);
    if (state.lines)
        put("\n");
    if (room >= 8)
        put("%-*.*s [%s%.*s%s%.*s] %s", room, room, name,
            state.colour ? "\033[32m" : "", full, "##########",
            state.colour ? "\033[0m" : "", BAR - full, "..........", facts);
    else
        put("%.*s", width - MARGIN, facts);
    int length = (int)strlen(facts), most = width - MARGIN;
    state.lengths[state.lines++] = room >= 8 || length > most ? most : length;
}

/* "0:41", "1:02:03", or nothing where it cannot be told. */
static void
time_text(double seconds, const char *after, char text[32])
{
    int s = seconds >= 0 && seconds < 3.6e6 ? (int)seconds : -1;
    if (s < 0)
        *text = 0;
    else if (s < 3600)
        snprintf(text, 32, "%d:%02d%.16s", s / 60, s % 60, after);
    else
        snprintf(text, 32, "%d:%02d:%02d%.12s", s / 3600, s / 60 % 60, s % 60,
                 after);
}

static void
put_lane(const Lane *l, int width)
{
    char facts[160], left[32], speed[32];
    int steps = l->job->config.steps, step = l->row.step;
    double each = (now() - l->start) / step, rate = 1 / each;
    time_text(each * (steps - step), "", left);
    if (rate < 0.5)
        snprintf(speed, sizeof speed, "%.0f s/step", each);
    else
        snprintf(speed, sizeof speed, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
    if (step)
        snprintf(facts, sizeof facts, "%d/%d loss %.3f %7s %6s", step, steps,
                 l->row.loss, speed, left);
    else
        snprintf(facts, sizeof facts, "starting");
    char *name = short_name(l->job->name, name_room(facts, width));
    put_line(name, steps ? (double)step / steps : 0, facts, width);
    free(name);
}

static void
draw(void)
{
    struct winsize size = terminal_size();
    char facts[160], left[32], bad[32] = "", name[64];
    double worked = state.finished;
    put_back(size.ws_col);
    for (int i = 0; i < state.slots; i++) {
        const Lane *l = &state.lanes[i];
        if (!l->job)
            continue;
        worked += l->effort * l->row.step / fmax(l->job->config.steps, 1);
        if (state.lines + 2 < size.ws_row)
            put_lane(l, size.ws_col);
    }
    double share = worked / state.effort, spent = now() - state.start;
    time_text(share > 0.02 ? spent / share - spent : -1, " left", left);
    if (state.failed)
        snprintf(bad, sizeof bad, "%d failed ", state.failed);
    snprintf(facts, sizeof facts, "%s%11s", bad, left);
    snprintf(name, sizeof name, "%d of %d runs", state.done, state.total);
    if (state.total > 1)
        put_line(name, share, facts, size.ws_col);
    show();
    state.last = now();
}

void
progress_clear(void)
{
    if (!state.lines || getpid() != state.owner)
        return;
    put_back(terminal_size().ws_col);
    show();
}

void
progress_start(const Options *o, int slots, int total, double effort)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool dumb = !terminal || !strcmp(terminal, "dumb");
    free(state.lanes);
    free(state.lengths);
    state.o = o;
    state.owner = getpid();
    state.drawing = isatty(STDERR_FILENO) && !dumb && !o->quiet;
    state.colour = !none || !*none;
    state.slots = slots;
    state.total = total;
    state.done = state.failed = state.lines = 0;
    state.effort = effort > 0 ? effort : 1;
    state.finished = state.last = 0;
    state.start = now();
    state.lanes = allocate((size_t)slots, sizeof *state.lanes);
    state.lengths = allocate((size_t)slots + 1, sizeof *state.lengths);
    if (state.drawing)
        atexit(progress_clear); /* a message that ends the program, too */
}

void
progress_begin(int slot, const Job *job, double effort)
{
    state.lanes[slot] = (Lane){.job = job, .effort = effort, .start = now()};
    if (state.drawing)
        draw();
}

void
progress_row(int slot, LogRow row)
{
    state.lanes[slot].row = row;
    if (state.drawing && now() - state.last > 0.1)
        draw();
}

void
progress_done(int slot, bool there)
{
    const Job *job = state.lanes[slot].job;
    state.done++;
    state.failed += !there;
    state.finished += state.lanes[slot].effort;
    state.lanes[slot].job = NULL;
    if (state.drawing || state.o->quiet || !there)
        return;
    Run r = run_read(within(state.o->out, job->name).text);
    fprintf(stderr, "%d/%d %s: test accuracy %.3f, loss %.3f\n", state.done,
            state.total, job->name, run_number(&r, "test_accuracy"),
            run_number(&r, "test_loss"));
    run_free(&r);
}
