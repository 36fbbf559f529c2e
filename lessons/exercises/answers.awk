# answers.awk - judges the answers to an exercise: a line for each that is missing or wrong,
# with a hint if it is a known mistake; nothing if all are right.
#
#     awk -F '\t' -v name=03-numbers -f answers.awk 03-numbers.answers 03-numbers.txt
#     qkv derive ./06-form.eq | awk -F '\t' -v name=06-form -f answers.awk 06-form.answers -
#
# The first file has, separated by tabs, a question, an answer, and "ok" or a hint. The answer *
# is any other one, and its hint says how to find the right one. The second file is the learner's,
# with lines "a: 5" or "a: scores, softmax", or what the program derives from an equation, with
# lines "  M_i = ...". Whatever else that form has is wrong. The web edition runs this file by
# its own small awk, lessons/web/awk.js.

BEGIN { number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)$" }

FILENAME ~ "answers$" {
    said[$1 "\t" $2] = $3
    if ($3 == "ok") {
        keys[++n] = $1
        right[$1] = $2
    }
}

FILENAME !~ "answers$" && $0 ~ "^[a-z]:" {
    value = substr($0, 3)
    gsub("^ +| +$", "", value)
    if (value ~ "^[0-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+$")
        gsub(",", "", value)
    if (value ~ number)
        value = value + 0 "" # .25 is 0.25
    if (right[substr($0, 1, 1)] !~ number)
        gsub(",? +|,", " ", value)
    given[substr($0, 1, 1)] = value
}

FILENAME !~ "answers$" && $0 ~ "^  [MN]_i = " {
    value = substr($0, 9)
    gsub(", rank <= .*", "", value)
    given[substr($0, 3, 1)] = value
}

FILENAME !~ "answers$" && $0 ~ "^  (no form|[mn]_i = |c = )" { besides = substr($0, 3) }

END {
    if (besides != "")
        printf "%s N: besides, it has %s\n", name, besides
    for (i = 1; i <= n; i++) {
        key = keys[i]
        value = given[key]
        hint = said[key "\t" value]
        if (value == "")
            hint = right[key] ~ number ? "no number yet" : "no answer yet"
        if (hint == "" && right[key] ~ number && value !~ number)
            hint = "\"" value "\": write it as a plain number, 0.25 and not 1/4 or 25%"
        if (hint == "")
            hint = key ~ "[MN]" ? key "_i is " value ", which is not what was asked for" : value " is wrong: " said[key "\t*"]
        if (hint != "ok")
            printf "%s %s: %s\n", name, key, hint
    }
}
