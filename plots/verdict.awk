# verdict.awk - decides whether the tables of a claim's commands are as the claim expects. The
# head of the claim, a script, has lines
#
#     # expect N: [KEY=VALUE ...] COLUMN is VALUE,...  (or < VALUE, or > VALUE)
#
# about table N: the TSV that its N-th command other than plot prints, N.tsv in $QKV_TABLES. It
# must have a row with these keys, and the column of each such row must be as expected. The
# script is read from stdin; $QKV_SCRIPT is its path and $QKV_CLAIM the claim's name. With -v
# only=check the head is checked, and no table is read.

BEGIN {
    tables = ENVIRON["QKV_TABLES"]
    name = ENVIRON["QKV_CLAIM"]
}

/^# expect [0-9]+: / {
    of[++count] = substr($0, 10, index($0, ":") - 10)
    expected[count] = substr($0, index($0, ": ") + 2)
    n = split(expected[count], word, " ")
    good = n >= 3 && (word[n - 1] == "is" || word[n - 1] ~ /^[<>]$/ && word[n] ~ /^[-+.0-9e]+$/)
    for (i = 1; i <= n - 3; i++)
        good = good && word[i] ~ /=/
    if (!good)
        fail(2, "expect \"" expected[count] "\": give keys and a column's value, as in " \
            "variant=mqa verdict is same,better, or to=mqa logits < 1e-5")
}
/^# untestable: / { untestable = 1 }

function fail(status, words) {
    print "qkv: " ENVIRON["QKV_SCRIPT"] ": " words >"/dev/stderr"
    failed = status
    exit status
}

# Is a cell as expected? Returns 1 for no, 2 for undecided, 4 for yes, and 3 for the opposite:
# worse if only better was expected, or better if only worse was.
function met(cell, sign, value) {
    if (sign != "is") {
        beyond = sub(/^>/, "", cell) # ">400": more than 400, by an unknown amount
        if (cell !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/)
            return 1
        return (sign == "<" ? !beyond && cell + 0 < value + 0 : cell + beyond > value + 0) ? 4 : 1
    }
    if (cell == "identical" && value !~ /identical/)
        cell = "same"
    if (index("," value ",", "," cell ","))
        return 4
    if (index(" better worse better ", " " cell " " value " "))
        return 3
    return cell == "undecided" || cell == "untested" ? 2 : 1
}

function column(i, name) {
    if (!(name in at))
        fail(1, "expect " of[i] ": the table has no column \"" name "\"; correct the line, or the command")
    return at[name]
}

# Compares expectation i with its table. Returns the least that met() returns for its rows, and
# sets `found` to their cells; 1 and "" if there is no such row.
function look(i,    file, n, k, word, least, keys, cell) {
    n = split(expected[i], word, " ")
    file = tables "/" of[i] ".tsv"
    split("", at)
    found = ""
    least = 4
    if ((getline <file) > 0)
        for (k = 1; k <= NF; k++)
            at[$k] = k
    column(i, word[n - 2])
    while ((getline <file) > 0) {
        keys = 0
        for (k = 1; k <= n - 3; k++)
            keys += $column(i, substr(word[k], 1, index(word[k], "=") - 1)) == substr(word[k], index(word[k], "=") + 1)
        if (keys < n - 3)
            continue
        cell = $at[word[n - 2]]
        k = met(cell, word[n - 1], word[n])
        least = k < least ? k : least
        if (word[n - 2] == "verdict")
            cell = cell " " $column(i, "difference") " [" $column(i, "difference_low") ", " $column(i, "difference_high") "]"
        found = found (found ? "; " : "") cell
    }
    close(file)
    return found ? least : 1
}

END {
    if (!failed && !count && !untestable)
        fail(2, "its head has neither \"# expect N: ...\" nor \"# untestable: ...\"; add one of them")
    if (failed)
        exit failed
    if (only == "check")
        exit 0
    split("no,undecided,the opposite,yes", words, ",")
    rows = "table\texpected\tfound\tmet\n"
    for (i = 1; i <= count; i++) {
        total[result = look(i)]++
        rows = rows of[i] "\t" expected[i] "\t" (found ? found : "no such row") "\t" words[result] "\n"
    }
    verdict = !count ? "not testable here" : total[4] == count ? "reproduced" : total[3] == count ? \
        "the opposite" : total[1] + total[3] ? "not reproduced" : "undecided"
    met_of = total[4] + 0 " of " count + 0
    print "\n" (count ? rows : "") name ": " verdict (count ? ", " met_of " met, " runs " runs" : "")
    printf "%s%s\t%s\t%s\t%s\n", rows, name, verdict, met_of, runs >(tables "/verdict.tsv")
}
