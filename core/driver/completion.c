/* completion.c - qkv completion: what a shell needs to complete a command line,
   from the tables that --help is printed from.

   bash calls a function with the words so far; zsh has a function of its own
   around the same. Names of variants are asked of the program when they are
   wanted: a plugin that is new is completed too. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/task.h"
#include "driver/cli/own_options.h"
#include "driver/commands.h"

/* Both shells: words that begin with the current one. After a comma the list
   that stands before it stays. */
static const char begin[] =
    "# completion of qkv for %s; written by `qkv completion %s`\n"
    "_qkv_variants() {\n"
    "    qkv list --variants --tsv 2>/dev/null | sed 1d | cut -f1\n"
    "}\n"
    "\n"
    "# The words that can stand after the one before ($1), within command $2.\n"
    "_qkv_words() {\n"
    "    case $1 in\n";

static const char between[] = "    esac\n"
                              "    case $2 in\n";

static const char end[] = "    esac\n"
                          "}\n"
                          "\n"
                          "_qkv() {\n";

static const char bash_end[] =
    "    local current=${COMP_WORDS[COMP_CWORD]} list=\n"
    "    local before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    [ \"$COMP_CWORD\" -gt 1 ] || command=\n"
    "    case $current in -*) before= ;; *,*) list=${current%,*}, ;; esac\n"
    "    COMPREPLY=($(compgen -P \"$list\" -W \"$(_qkv_words \"$before\" "
    "\"$command\")\" \\\n"
    "        -- \"${current#\"$list\"}\"))\n"
    "}\n"
    "complete -o bashdefault -o default -F _qkv qkv qkv-double\n";

static const char zsh_end[] =
    "    local command=$words[2] before=$words[CURRENT-1] list=\n"
    "    local current=$words[CURRENT]\n"
    "    (( CURRENT > 2 )) || command=\n"
    "    case $current in -*) before= ;; *,*) list=${current%,*}, ;; esac\n"
    "    local -a found\n"
    "    found=(${=\"$(_qkv_words \"$before\" \"$command\")\"})\n"
    "    (( $#found )) && compadd -P \"$list\" -- $found || _files\n"
    "}\n"
    "_qkv \"$@\"\n";

static void
print_tasks(void)
{
    for (int i = 0; i < task_count; i++)
        printf("%s%s", i ? " " : "", tasks[i].name);
}

/* What can follow an option: a variant, a task, one of its choices. Others
   take what the shell offers, files. */
static void
print_values(void)
{
    printf("    -v | --to | --baseline");
    for (int i = 0; i < setting_count; i++)
        if (setting_plugin(&settings[i]))
            printf(" | --%s", settings[i].name);
    printf(")\n        _qkv_variants\n        return\n        ;;\n");
    printf("    -t | --task)\n        echo '");
    print_tasks();
    printf("'\n        return\n        ;;\n");
    for (int i = 0; i < setting_count; i++)
        if (settings[i].help && settings[i].choices)
            printf("    --%s)\n        echo '%s'\n        return\n        ;;\n",
                   settings[i].name, settings[i].choices);
    printf("    --format)\n"
           "        echo 'svg png pdf tikz cairolatex dumb'\n"
           "        return\n        ;;\n");
    /* words that are the user's own: nothing to offer but files */
    printf("    -o");
    for (int i = 0; i < own_count; i++)
        if (own[i].shape != SWITCH && own[i].shape != MAYBE &&
            index_in("format to baseline", own[i].name) < 0)
            printf(" | --%s", own[i].name);
    for (int i = 0; i < setting_count; i++)
        if (settings[i].help && !settings[i].choices &&
            !setting_plugin(&settings[i]) && strcmp(settings[i].name, "task"))
            printf(" | --%s", settings[i].name);
    printf(")\n        return\n        ;;\n");
}

/* The options of each command. */
static void
print_options(void)
{
    for (int k = 0; k < commands_count; k++) {
        int bit = commands[k].bit;
        printf("    %s)\n        echo '--help", commands[k].name);
        for (int i = 0; i < own_count; i++)
            if (own[i].bits & bit)
                printf(" --%s", own[i].name);
        for (int i = 0; i < setting_count; i++)
            if (takes(bit, &settings[i]))
                printf(" --%s", settings[i].name);
        printf("'\n        ;;\n");
    }
    printf("    '' | help)\n        echo '--version help");
    for (int k = 0; k < commands_count; k++)
        printf(" %s", commands[k].name);
    printf("'\n        ;;\n");
}

int
command_completion(int argc, char **argv)
{
    Options o = options_read(argc, argv, COMPLETION);
    const char *shell = o.rest_count == 1 ? o.rest[0] : "";
    bool zsh = !strcmp(shell, "zsh");
    if (!zsh && strcmp(shell, "bash"))
        usage("completion takes one word, bash or zsh: the shell that is to "
              "read what it prints");
    if (zsh)
        printf("#compdef qkv qkv-double\n");
    printf(begin, shell, shell);
    print_values();
    printf("%s", between);
    print_options();
    printf("%s%s", end, zsh ? zsh_end : bash_end);
    options_free(&o);
    return 0;
}
