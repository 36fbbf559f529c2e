/* commands.h - the subcommands of `qkv` that are written in C.

   command_NAME is in NAME.c, except command_train, which is in compare.c, and
   the commands that only scripts call, which are in for_scripts.c. main.c finds
   the function of a command by its name. option_table.c says what the command
   does and which options it has, and help.c prints that. */
#ifndef COMMANDS_H
#define COMMANDS_H

/* Runs a command and returns its exit status. argv[0] is the command's name,
   and argv[argc] is NULL. A command runs in its own process (plugin_process.h),
   so it need not free its memory. */
typedef int CommandFunction(int argc, char **argv);

CommandFunction command_list, command_train, command_compare, command_plot,
    command_table, command_judge, command_equiv, command_count, command_derive,
    command_inspect, command_trace, command_generate, command_export,
    command_check, command_open;

/* open_against (against.c) is `qkv open DIR --against DIR`, and open_kv_heads
   (kv_heads.c) is `qkv open DIR --kv-heads N`. command_open calls them with its
   own arguments. */
CommandFunction open_against, open_kv_heads;

/* Only scripts call the following commands, which `qkv help` does not list:

       qkv draft DIR PROGRAM [WORD ...]
       qkv suggest WORD [NAME ...]
       qkv write-plugin NAME EQUATION */
CommandFunction command_draft, command_suggest, command_write_plugin;

#endif
