# qkv.bash - completion for bash. It asks the program that is being typed for its commands,
# a command's options, its variants and its tasks. For other words the shell offers files.
# In zsh: autoload -U bashcompinit && bashcompinit, and then source this file.
_qkv() {
    local qkv=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} list= words=
    case $COMP_CWORD:${COMP_WORDS[COMP_CWORD - 1]}:$current in
    1:*) words=$("$qkv" help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p') ;;
    *:*:-*)
        words=$("$qkv" "${COMP_WORDS[1]}" --help=all 2>/dev/null |
            sed -n 's/^  ... \(--[a-z0-9-]*\).*/\1/p')
        ;;
    *:-v:* | *:--*variant:* | *:--baseline:*)
        words=$("$qkv" list --names)
        ;;
    *:-t:* | *:--task:*) words=$("$qkv" list --tasks --tsv | sed 1d | cut -f 1) ;;
    esac
    case $current in *,*) list=${current%,*}, ;; esac
    COMPREPLY=($(compgen -P "$list" -W "$words" -- "${current#"$list"}"))
}
complete -o bashdefault -o default -F _qkv qkv qkv-double
