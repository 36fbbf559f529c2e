# mutants.awk - lists every place where one token of C could be another, one a
# line: file, line, column, token, its replacement, the line. Nothing in comments,
# strings and directives, and no size of an array or of an snprintf: there a fault
# shows in no result.

function place(width, to) {
    printf "%s\t%d\t%d\t%s\t%s\t%s\n", FILENAME, FNR, at, substr($0, at, width), to, $0
}

BEGIN {
    # A token and what it becomes. Two letters are looked for before one: the longest
    # token is the token.
    n = split("== != != == <= < >= > && || || && += -= -= += *= /= /= *= ++ -- -- ++ " \
        "<< >> >> << |= &= &= |= < <= > >= + - - + * / / * % / true false false true " \
        "break continue continue break fmax fmin fmin fmax", list, " ")
    for (i = 1; i < n; i += 2)
        instead[list[i]] = list[i + 1]
}

FNR == 1 { comment = directive = 0 }

{
    if (directive || $0 ~ /^[ \t]*#/) {
        directive = $0 ~ /\\$/
        next
    }
    n = length($0)
    for (at = 1; at <= n; at++) {
        c = substr($0, at, 1)
        two = substr($0, at, 2)
        if (comment) {
            if (two == "*/") {
                comment = 0
                at++
            }
        } else if (two == "/*") {
            comment = 1
            at++
        } else if (two == "//")
            break
        else if (c == "\"" || c == "'") {
            for (at++; at <= n && substr($0, at, 1) != c; at++)
                if (substr($0, at, 1) == "\\")
                    at++
        } else if (two == "->")
            at++
        else if (length(two) == 2 && two in instead) {
            place(2, instead[two])
            at++
        } else if (c == "!")
            place(1, "")
        else if (c in instead && substr($0, at - 1, 1) == " " && \
            substr($0, at + 1, 1) == " ")
            place(1, instead[c])
        else if (match(substr($0, at), /^[A-Za-z_][A-Za-z_0-9]*/)) {
            name = substr($0, at, RLENGTH)
            if (name in instead)
                place(RLENGTH, instead[name])
            at += length(name) - 1
            if (name == "snprintf" && \
                match(substr($0, at + 1), /^\([^;]*sizeof [^,]*,|^\([^,;]*, [0-9A-Z_]+,/))
                at += RLENGTH
        } else if (match(substr($0, at), /^[0-9][0-9A-Za-z.]*/)) {
            number = substr($0, at, RLENGTH)
            if (number ~ /^[0-9]+$/ && substr($0, at - 1, 1) != "[")
                place(RLENGTH, number == "0" ? 1 : number == "1" ? 0 : number + 1)
            at += length(number) - 1
        }
    }
}
