/* inspect.c - qkv inspect: what a trained run's heads are. */
#include "driver/commands.h"
#include "driver/options.h"
#include "run/run.h"
#include "study/inspect.h"

int
command_inspect(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Run r = run_read(o.rest[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    if (o.attention)
        attention_show(&o.draw, o.columns, layout_of(&o), m, &data, r.name);
    else
        heads_print(o.columns, layout_of(&o), m);
    return 0;
}
