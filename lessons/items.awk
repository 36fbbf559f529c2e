# items.awk - which functions of the code the lessons show.
#
#     awk -v shown=STRETCHES -f lessons/items.awk FILE.c ...
#     awk -v shown=STRETCHES -v stage=1 -f lessons/items.awk FILE.c       the file so far
#
# STRETCHES has lines FILE:FIRST-LAST, as excerpts.awk prints them. Complains of each
# function of the heart that is not shown exactly once, and of each variant whose
# equation, its forward, is never shown. With stage=1 it prints the file instead, without
# the functions and variables that are not shown: types, macros and includes stay.

BEGIN {
    while ((getline line < shown) > 0) {
        colon = index(line, ":")
        split(substr(line, colon + 1), range, "-")
        for (i = range[1] + 0; i <= range[2] + 0; i++)
            seen[substr(line, 1, colon - 1), i]++
    }
}

# The first line of the item at line i: of the type above it, and of its comment.
function beginning(i) {
    while (i > 1 && text[i - 2] !~ /\\$/ && text[i - 1] !~ /^$|^}|^#|^[^ \/].*[;}]$|^\/\* clang-format/)
        i--
    return i
}

# A variable's first line: no type, and no declaration of a function.
function is_variable(line) {
    return line ~ /^[A-Za-z_].*( =|;$)/ && line !~ /^(typedef|extern|struct|union|enum) / &&
        (line !~ /\(/ || line ~ / = |\(\*/)
}

function finish(    i, j, last) {
    for (i = 1; i <= lines; i = last + 1) {
        last = i
        if (text[i] ~ /^\/\*/ && text[i] !~ /\*\/$/) { # a comment
            while (text[last] !~ /\*\/$/)
                last++
            continue
        }
        if (text[i] ~ /^(typedef |struct |union |enum ).*\{$/) { # a type
            while (text[last] !~ /^}/)
                last++
            continue
        }
        if (text[i] ~ /^[a-z_A-Z0-9]+\(/) {
            while (text[last] !~ /^}/)
                last++
            count(i)
        } else if (is_variable(text[i])) {
            while (text[last] !~ /;$/)
                last++
        } else
            continue
        if (!((file, i) in seen))
            for (j = beginning(i); j <= last; j++)
                hidden[j] = 1
    }
    for (i = 1; stage && i <= lines; i++)
        if (!(i in hidden))
            print text[i]
    lines = 0
    delete hidden
}

# Line i begins a function.
function count(i,    name, times) {
    name = substr(text[i], 1, index(text[i], "(") - 1)
    times = (file, i) in seen ? seen[file, i] : 0
    if (stage || (file ~ /^variants\// ? name != "forward" || times > 0 : times == 1))
        return
    printf "%s: %s is shown %s\n", file, name, times ? times " times, and must be once" : "in no lesson"
}

FNR == 1 { finish(); file = FILENAME }
{ text[++lines] = $0 }
END { finish() }
