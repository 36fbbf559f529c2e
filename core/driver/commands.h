/* commands.h - the list of the subcommands of `qkv`, each of which is a
   function in a file of its name; only command_train is in compare.c. main.c
   finds the function by the command's name, option_table.c has what it does and
   its options, and help.c prints these. */
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

/* Only scripts call the following commands, which `qkv help` does not list:

       qkv draft DIR PROGRAM [WORD ...]
       qkv suggest WORD [NAME ...]
       qkv write-plugin NAME EQUATION */
CommandFunction command_draft, command_suggest, command_write_plugin;

#endif
