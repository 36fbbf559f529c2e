/* judge.c - qkv judge: a table of anybody's results, from anywhere. */
#include "driver/commands.h"
#include "driver/options.h"
#include "study/judge_table.h"

int
command_judge(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Judgement j = judge(o.rest[0], &o.question);
    judgement_print(&j, o.columns, layout_of(&o));
    if (o.out_given)
        judgement_draw(&o.draw, &j);
    return 0;
}
