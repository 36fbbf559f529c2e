# verdicts.awk - a sentence that says which variant trains better is held by a comparison
# whose rates were chosen, or says that it is not.
#
#     awk -f lessons/verdicts.awk lessons/verdicts.tsv README.md lessons/0*.md lessons/1[0-6]*.md
#
# A row of the table has a page, words of one of its sentences, and what holds it:
#   recipe NAME, claim NAME   a script of plots with several rates: --lr auto, or a list
#   rates                     a command with several rates on the page itself
#   one rate                  nothing does, and the sentence says that it is one rate
#   cost                      no training: parameters, operations or memory are counted
#   question                  nothing is claimed: it is asked, quoted, or explains a word
# Each sentence with a word of the trade needs a row, and each row its sentence.

BEGIN {
    FS = "\t"
    verdict = "[^a-z](better|worse|faster|slower|sooner|as fast|as well|more slowly" \
        "|(fewer|more|as many) ([a-z]+ )?steps)[^a-z]"
    rates = "--lr (auto|[0-9.]+,)"
}

function complain(what) {
    print what > "/dev/stderr"
    failed = 1
}

# Does a line of the file match?
function has(file, what,    line, found) {
    while ((getline line < file) > 0)
        found = found || line ~ what
    close(file)
    return found
}

function held(page, by, sentence,    part) {
    split(by, part, " ")
    if (by == "cost" || by == "question")
        return 1
    if (by == "one rate")
        return sentence ~ /rate/
    if (by == "rates")
        return has(page, rates)
    return (part[1] == "recipe" || part[1] == "claim") && has("plots/" part[1] "s/" part[2] ".sh", rates)
}

# The paragraph that ends, sentence by sentence.
function flush(    n, i, k, list, sentence, found) {
    gsub(/<!--[^>]*-->|!\[[^]]*\]/, "", text)
    gsub(/[ \n]+/, " ", text)
    n = split(text, list, /[.?!:][")*]* /)
    for (i = 1; i <= n; i++) {
        sentence = " " list[i] " "
        if (sentence !~ verdict)
            continue
        found = 0
        for (k = 1; k <= rows; k++) {
            if (page[k] != here || !index(sentence, words[k]))
                continue
            found = used[k] = 1
            if (!held(here, by[k], sentence))
                complain(here ": " by[k] " has no chosen rates, or does not say so:" sentence)
        }
        if (!found)
            complain(here ": no row of verdicts.tsv says what holds:" sentence)
    }
    text = ""
}

FILENAME ~ /verdicts.tsv$/ {
    if ($0 !~ /^#/) {
        page[++rows] = $1
        words[rows] = $2
        by[rows] = $3
    }
    next
}
FNR == 1 {
    flush()
    here = FILENAME
    code = hidden = 0
}
/^<!--$/ { hidden = 1 }
/^-->$/ { hidden = 0; next }
/^```/ { code = !code; next }
code || hidden { next }
/^$|^#|^- |^[0-9]+\. |^\|/ { flush() }
{ text = text $0 "\n" }
/^#|^\|/ { flush() }
END {
    flush()
    for (k = 1; k <= rows; k++)
        if (!used[k])
            complain(page[k] ": no sentence has the words of its row: " words[k])
    exit failed
}
