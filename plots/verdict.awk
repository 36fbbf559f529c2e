# verdict.awk - what a claim expects, and whether the tables of its commands say so; it is
# read after words.awk. The claim is a script, whose head has lines of a word and a text
# (the next lines go on with it, indented):
#
#     # claim: source: published: ours: hypothesis:    all five are there
#     # untestable: what cannot be tested here, and why
#     # expect N: [KEY=VALUE ...] COLUMN is VALUE,...  (or < VALUE, or > VALUE)
#
# An expectation is about table N, what the N-th command other than plot prints as TSV: of
# its rows with these keys, one at least, each must be so. Without -v tables=FOLDER only
# the head is looked at: is it complete?

FNR == 1 { question = substr($0, 3) }
FNR > 1 && /^# [a-z]+( [0-9]+)?: / {
    key = substr($0, 3, index($0, ": ") - 3)
    if (key ~ /^expect/) {
        expected[++count] = substr($0, index($0, ": ") + 2)
        of[count] = substr(key, 8)
        line[count] = FNR
    } else
        fact[key] = substr($0, index($0, ": ") + 2)
    next
}
/^#   / { fact[key] = fact[key] " " substr($0, 5) }
FNR > 1 && /^# / && !key { lead = lead (lead ? " " : "") substr($0, 3) }
/^[^#]/ { commands = commands "    " $0 "\n" }

function fail(status, words) {
    print "qkv: " FILENAME ": " words >"/dev/stderr"
    failed = status
    exit status
}

# Is the cell what is expected: yes, undecided, the opposite (worse, where better was
# expected, and not sameness too; or the other way round), no?
function met(cell, sign, value,    other) {
    if (sign != "is") {
        beyond = sub(/^>/, "", cell) # ">400": who knows how far
        if (cell !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/)
            return "no"
        return (sign == "<" ? !beyond && cell + 0 < value + 0 : cell + beyond > value + 0) ? "yes" : "no"
    }
    if (index("," value ",", "," cell ","))
        return "yes"
    other["better"] = "worse"
    other["worse"] = "better"
    other["more"] = "less"
    other["less"] = "more"
    if (cell in other && other[cell] == value)
        return "the opposite"
    return cell == "undecided" ? "undecided" : "no"
}

# The column of that name, in the table that expectation i is about.
function column(i, name) {
    if (!(name in at))
        fail(1, "line " line[i] ": table " of[i] " has no column \"" name "\"")
    return at[name]
}

# What expectation i finds: the least of what its rows meet; their cells in `found`.
function look(i,    file, row, cell, word, n, k, c, least, is, key) {
    n = split(expected[i], word, " ")
    file = tables "/" of[i] ".tsv"
    found = ""
    least = 4
    for (row = 0; (getline row_text < file) > 0; row++) {
        c = split(row_text, cell, "\t")
        if (!row) {
            split("", at)
            for (k = 1; k <= c; k++)
                at[cell[k]] = k
            column(i, word[n - 2])
            continue
        }
        is = 1
        for (k = 1; k <= n - 3; k++) {
            key = substr(word[k], 1, index(word[k], "=") - 1)
            is = is && cell[column(i, key)] == substr(word[k], index(word[k], "=") + 1)
        }
        if (!is)
            continue
        c = cell[at[word[n - 2]]]
        k = rank[met(c, word[n - 1], word[n])]
        least = k < least ? k : least
        if (word[n - 2] == "outcome")
            c = cell[column(i, "verdict")] " [" cell[column(i, "difference_low")] ", " \
                cell[column(i, "difference_high")] "]"
        found = found (found ? "; " : "") c
    }
    close(file)
    if (!found)
        found = "no such row"
    return found == "no such row" ? 1 : least
}

# Is the head complete, and each expectation one?
function check(    i, n, word, good, k, need) {
    split("claim source published ours hypothesis", need, " ")
    for (i = 1; i <= 5; i++)
        if (!(need[i] in fact))
            fail(2, "no line \"# " need[i] ": ...\": a claim has claim, source, published, ours and hypothesis")
    if (!question || !(count || "untestable" in fact))
        fail(2, "a claim has a question in its first line, and a line \"# expect N: ...\" or \"# untestable: ...\"")
    for (i = 1; i <= count; i++) {
        n = split(expected[i], word, " ")
        good = n >= 3 && (word[n - 1] == "is" || word[n - 1] ~ /^[<>]$/ && word[n] ~ /^[-+.0-9e]+$/)
        for (k = 1; k <= n - 3; k++)
            good = good && word[k] ~ /=/
        if (!good)
            fail(2, "line " line[i] ": expect \"" expected[i] "\": give keys and a column's value, as in " \
                "variant=mqa outcome is same,better, or to=mqa logits < 1e-5")
    }
}

function show(word, title) {
    if (word in fact)
        print "- **" title ".** " md(fact[word])
}

# The text of a file, without blank lines before it.
function copy(file,    text, begun) {
    while ((getline text < file) > 0) {
        begun = begun || text
        if (begun)
            print text
    }
    close(file)
}

function caption(file,    text, all) {
    while ((getline text < file) > 0)
        all = all (all ? " " : "") text
    close(file)
    return md(all)
}

END {
    if (failed)
        exit failed
    check()
    if (!tables)
        exit 0
    split("no,undecided,the opposite,yes", word, ",")
    for (i = 1; i <= 4; i++)
        rank[word[i]] = i
    for (i = 1; i <= count; i++) {
        result[i] = look(i)
        saw[i] = found
        total[result[i]]++
    }
    verdict = !count ? "not testable here" : total[4] == count ? "reproduced" \
        : total[3] == count ? "the opposite" : total[1] + total[3] ? "not reproduced" : "undecided"
    print "\n## " md(name ": " question)
    if (lead)
        print "\n" paragraph(lead)
    print ""
    show("claim", "Claim")
    show("source", "Source")
    show("published", "Published setting")
    show("ours", "Setting here")
    show("hypothesis", "Hypothesis, written before the run")
    show("untestable", count ? "Not tested" : "Not testable here")
    if (with)
        print "- **Run with.** " md(with)
    met_count = total[4] + 0
    print "- **Verdict.** **" verdict "**" (count ? " (" met_count " of " count " met): " runs " runs" : "")
    if (rows)
        print name "\t" md(question) "\t" verdict "\t" (count ? met_count " of " count : "-") "\t" \
            (count ? runs : "-") >>rows
    if (!count)
        exit 0
    print "\n| table | expected | found | met |\n|--:|---|---|---|"
    for (i = 1; i <= count; i++)
        print "| " of[i] " | " md(expected[i]) " | " md(saw[i]) " | " word[result[i]] " |"
    printf "\n%s", commands
    for (i = 1; i <= count; i++)
        if (of[i] != of[i - 1]) {
            print "\nTable " of[i] ".\n"
            copy(tables "/" of[i] ".md")
        }
    n = split(names, figure, " ")
    for (i = 1; i <= n; i++) {
        if (figure[i] != "parameters") # which the tables have
            print "\n![" caption(drawn "/" figure[i] ".txt") "](" from "/" figure[i] ".svg)"
    }
}
