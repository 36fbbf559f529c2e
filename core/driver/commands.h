/* commands.h - the subcommands of `qkv`, each in a file of its name. argv[0] is
   the command's name; each returns the exit status. A command runs in its own
   process (plugin_process.h), so it need not free its memory. grammar.c has the
   table of their options and help, main.c that of these functions. */
#ifndef COMMANDS_H
#define COMMANDS_H

int command_list(int argc, char **argv);
int command_train(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_equiv(int argc, char **argv);
int command_count(int argc, char **argv);
int command_derive(int argc, char **argv);
int command_check(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_export(int argc, char **argv);
int command_table(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_open(int argc, char **argv);
int command_generate(int argc, char **argv);

/* Only scripts call these, and no list shows them:
   qkv draft DIR PROGRAM [WORD ...]
   qkv suggest WORD [NAME ...]
   qkv write-plugin NAME EQUATION */
int command_draft(int argc, char **argv);
int command_suggest(int argc, char **argv);
int command_write_plugin(int argc, char **argv);

#endif
