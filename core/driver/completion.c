/* completion.c - qkv completion: what a shell needs to complete a command line.

   The script asks the program that is typed, at each key: `qkv completion words
   COMMAND BEFORE` prints what may follow, from the tables of the options. So a
   plugin that is new is completed too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "driver/cli/grammar.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "config/tasks.h"
#include "config/find.h"

/* Of a list "a,b" only the last word is completed. */
static const char bash[] =
    "# completion of qkv for bash; written by `qkv completion bash`\n"
    "_qkv() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} list= command=\n"
    "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]} || before=\n"
    "    case $current in -*) before= ;; *,*) list=${current%,*}, ;; esac\n"
    "    COMPREPLY=($(compgen -P \"$list\" -W \"$(\"${COMP_WORDS[0]}\" \\\n"
    "        completion words \"$command\" \"$before\" 2>/dev/null)\" \\\n"
    "        -- \"${current#\"$list\"}\"))\n"
    "}\n"
    "complete -o bashdefault -o default -F _qkv qkv qkv-double\n";

static const char zsh[] =
    "#compdef qkv qkv-double\n"
    "# completion of qkv for zsh; written by `qkv completion zsh`\n"
    "_qkv() {\n"
    "    local current=$words[CURRENT] list= command=\n"
    "    local before=$words[CURRENT-1]\n"
    "    (( CURRENT > 2 )) && command=$words[2] || before=\n"
    "    case $current in -*) before= ;; *,*) list=${current%,*}, ;; esac\n"
    "    local -a found\n"
    "    found=(${=\"$($words[1] completion words \"$command\" \"$before\" "
    "2>/dev/null)\"})\n"
    "    (( $#found )) && compadd -P \"$list\" -- $found || _files\n"
    "}\n"
    "_qkv \"$@\"\n";

static void
print_variants(void)
{
    Values names = plugin_list();
    for (int i = 0; i < names.count; i++)
        printf("%s\n", names.text[i]);
    values_free(&names);
}

/* The words that may stand behind an option: none where it takes a file or a
   word of the user's own, for which the shell offers files. */
static void
print_values(const Option *o)
{
    const Setting *s = o->shape == OF_SETTING ? &settings[o->offset] : NULL;
    if (s ? setting_plugin(s) : !strcmp(o->argument, "VARIANT"))
        print_variants();
    else if (!strcmp(o->name, "task"))
        for (int i = 0; i < task_count; i++)
            printf("%s\n", tasks[i].task->name);
    else if (o->choices)
        printf("%s\n", o->choices);
}

/* What may follow `before` in a command line of that command; "" where there
   is none. */
static void
print_words(const char *command, const char *before)
{
    Option list[MOST_OPTIONS];
    int bit = 0;
    for (int i = 0; i < commands_count; i++)
        if (!strcmp(commands[i].name, command))
            bit = commands[i].bit;
    if (!*command || !strcmp(command, "help")) {
        printf("--version help\n");
        for (int i = 0; i < commands_count; i++)
            printf("%s\n", commands[i].name);
        return;
    }
    if (!bit)
        return;
    int count = options_of(bit, list);
    for (int i = 0; i < count; i++) {
        char letter[] = {'-', (char)list[i].letter, 0};
        bool named =
            !strncmp(before, "--", 2) && !strcmp(before + 2, list[i].name);
        if ((named || (letter[1] && !strcmp(before, letter))) &&
            list[i].argument && list[i].shape != MAYBE) {
            print_values(&list[i]);
            return;
        }
    }
    for (int i = 0; i < count; i++)
        printf("--%s\n", list[i].name);
}

int
command_completion(int argc, char **argv)
{
    bool words = argc > 1 && !strcmp(argv[1], "words");
    if (words && argc == 4) {
        print_words(argv[2], argv[3]);
        return 0;
    }
    Options o = options_read(argc, argv, COMPLETION);
    const char *shell = o.rest[0];
    bool for_zsh = !strcmp(shell, "zsh");
    if (!for_zsh && strcmp(shell, "bash"))
        usage("completion %s: it is for bash or zsh", shell);
    printf("%s", for_zsh ? zsh : bash);
    options_free(&o);
    return 0;
}
